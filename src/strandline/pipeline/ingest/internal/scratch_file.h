#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "strandline/base/result.h"

namespace strandline::pipeline::ingest {

// Space on a local disk for what does not fit into memory. It has no name: whatever way the process
// ends, nothing is left behind. Not durable, and not storage of the lake, so it does not go through
// FileIo. Thread-safe.
class ScratchFile {
 public:
  // Creates `directory` if it is not there. kUnavailable or kPermissionDenied, naming it.
  static Result<std::unique_ptr<ScratchFile>> Make(const std::string& directory);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // Where the bytes went. kUnavailable when the disk is full.
  Result<std::int64_t> Append(std::span<const char> bytes);
  Status ReadAt(std::int64_t offset, std::span<char> into) const;

 private:
  ScratchFile(int descriptor, std::string directory)
      : descriptor_(descriptor), directory_(std::move(directory)) {}

  int descriptor_;
  std::string directory_;
  std::mutex mutex_;
  std::int64_t end_ = 0;
};

}  // namespace strandline::pipeline::ingest
