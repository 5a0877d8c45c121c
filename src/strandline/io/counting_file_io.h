#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "strandline/io/file_io.h"

namespace strandline::io {

// Passes everything on and counts bytes read and written, for benchmarks and reports. Thread-safe.
// `target` must outlive it and every file opened through it.
class CountingFileIo final : public FileIo {
 public:
  explicit CountingFileIo(FileIo& target) : target_(target) {}

  std::int64_t bytes_read() const { return bytes_read_; }
  std::int64_t bytes_written() const { return bytes_written_; }
  void AddRead(std::int64_t bytes) { bytes_read_ += bytes; }
  void AddWritten(std::int64_t bytes) { bytes_written_ += bytes; }

  Result<std::unique_ptr<InputFile>> Open(const std::string& location) override;
  Result<std::unique_ptr<OutputFile>> Create(const std::string& location) override;
  Status Delete(const std::string& location) override;
  Result<FileInfo> Stat(const std::string& location) override;
  Status List(const std::string& location, Recursive recursive,
              const FileVisitor& visitor) override;
  Result<std::vector<std::string>> ListFolders(const std::string& location) override;

 private:
  FileIo& target_;
  std::atomic<std::int64_t> bytes_read_{0};
  std::atomic<std::int64_t> bytes_written_{0};
};

}  // namespace strandline::io
