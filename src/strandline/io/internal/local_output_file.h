#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "strandline/io/file_io.h"
#include "strandline/io/internal/durable_folders.h"
#include "strandline/io/internal/file_descriptor.h"

namespace strandline::io::internal {

// A new local file. Gathers small writes, and asks the kernel to start writing back every few
// megabytes, so that the sync in Close() finds little left to do. Removed again when it is
// destroyed unclosed.
class LocalOutputFile final : public OutputFile {
 public:
  // Makes the file and its folders. kAlreadyExists when the name is taken. `folders` must outlive
  // it.
  static Result<std::unique_ptr<OutputFile>> Make(std::string location, std::string path,
                                                  DurableFolders& folders);
  ~LocalOutputFile() override;

  const std::string& location() const override { return location_; }
  std::int64_t position() const override { return position_; }
  Status Write(std::string_view bytes) override;
  Status Close() override;

 private:
  LocalOutputFile(std::string location, std::string path, FileDescriptor descriptor,
                  DurableFolders& folders);

  Status WriteThrough(std::string_view bytes);
  void StartWriteBack();

  std::string location_;
  std::string path_;
  FileDescriptor descriptor_;
  DurableFolders& folders_;
  std::string buffer_;
  std::int64_t position_ = 0;         // What the caller has written.
  std::int64_t written_ = 0;          // What the kernel has.
  std::int64_t write_back_from_ = 0;  // What it was asked to write back already.
  bool closed_ = false;
  bool failed_ = false;  // A write failed: the bytes on disk are not the caller's any more.
};

}  // namespace strandline::io::internal
