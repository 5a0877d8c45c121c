#pragma once

#include <cstdint>
#include <memory>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include "strandline/io/file_io.h"

namespace strandline::format {

// Shows a file of ours to Arrow. Every read is exact: bytes that the file should have and storage
// does not give are an error, never a short read. Errors of ours travel inside the arrow::Status
// (format/batch/arrow_status.h). ReadAt is thread-safe; the cursor (Read, Seek, Tell) is not.
class ArrowInputFile final : public arrow::io::RandomAccessFile {
 public:
  explicit ArrowInputFile(std::shared_ptr<io::InputFile> file);

  arrow::Result<std::int64_t> ReadAt(std::int64_t position, std::int64_t size,
                                     bool allow_short_read, void* into) override;
  arrow::Result<std::int64_t> ReadAt(std::int64_t position, std::int64_t size, void* into) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(std::int64_t position, std::int64_t size,
                                                       bool allow_short_read) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(std::int64_t position,
                                                       std::int64_t size) override;
  arrow::Result<std::int64_t> GetSize() override;

  arrow::Result<std::int64_t> Read(std::int64_t size, void* into) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t size) override;
  arrow::Status Seek(std::int64_t position) override;
  arrow::Result<std::int64_t> Tell() const override;
  arrow::Status Close() override;
  bool closed() const override;

 private:
  std::shared_ptr<io::InputFile> file_;
  std::int64_t position_ = 0;
  bool closed_ = false;
};

// Lets Arrow write into a file of ours. Close() ends Arrow's part only; making the file durable
// stays with its owner.
class ArrowOutputFile final : public arrow::io::OutputStream {
 public:
  explicit ArrowOutputFile(std::unique_ptr<io::OutputFile> file);

  io::OutputFile& file() { return *file_; }

  // From now on nothing is written and every write fails: Arrow's writers try to finish their file
  // when they are destroyed, which an abandoned file must not suffer.
  void Abandon() { abandoned_ = true; }

  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* data, std::int64_t size) override;
  arrow::Result<std::int64_t> Tell() const override;
  arrow::Status Close() override;
  bool closed() const override;

 private:
  std::unique_ptr<io::OutputFile> file_;
  bool abandoned_ = false;
  bool closed_ = false;
};

}  // namespace strandline::format
