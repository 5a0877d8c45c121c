#pragma once

#include <string>
#include <utility>

#include "strandline/base/result.h"

namespace strandline::io::internal {

// Owns an open file descriptor; closes it when destroyed, without asking whether that worked.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { Reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // Gives the descriptor away, to somebody who closes it.
  int Release() { return std::exchange(fd_, -1); }
  void Reset();

 private:
  int fd_ = -1;
};

// open(2), again when a signal interrupts it; close-on-exec. The errno is left for the caller.
FileDescriptor OpenDescriptor(const std::string& path, int flags, unsigned mode = 0);

// fsync(2). The file's bytes, or a folder's entries, survive a power failure afterwards.
Status SyncDescriptor(const FileDescriptor& descriptor, const std::string& path);

}  // namespace strandline::io::internal
