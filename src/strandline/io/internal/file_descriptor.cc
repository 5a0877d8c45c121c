#include "strandline/io/internal/file_descriptor.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "strandline/io/internal/posix_error.h"

namespace strandline::io::internal {

void FileDescriptor::Reset() {
  if (is_open()) {
    // Also after EINTR the descriptor is gone on Linux; what had to be durable was synced before.
    ::close(Release());
  }
}

FileDescriptor OpenDescriptor(const std::string& path, int flags, unsigned mode) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return FileDescriptor(fd);
}

Status SyncDescriptor(const FileDescriptor& descriptor, const std::string& path) {
  int outcome = 0;
  do {
    outcome = ::fsync(descriptor.get());
  } while (outcome < 0 && errno == EINTR);
  if (outcome < 0) {
    return PosixError(errno, "syncing", path);
  }
  return {};
}

}  // namespace strandline::io::internal
