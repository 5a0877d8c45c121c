#include "strandline/io/internal/local_output_file.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "strandline/io/internal/posix_error.h"

namespace strandline::io::internal {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::int64_t kWriteBackBytes = std::int64_t{8} << 20;

// Between making the folders and the file somebody may remove them again (an empty one, in a
// clean-up).
constexpr int kCreateAttemptsMax = 3;

}  // namespace

Result<std::unique_ptr<OutputFile>> LocalOutputFile::Make(std::string location, std::string path,
                                                          DurableFolders& folders) {
  FileDescriptor descriptor;
  for (int attempt = 0; !descriptor.is_open(); ++attempt) {
    descriptor = OpenDescriptor(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    const int errno_value = errno;
    if (descriptor.is_open()) {
      break;
    }
    if (errno_value == ENOTDIR) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "creating {}: a file is in the way of its folder", path);
    }
    if (errno_value != ENOENT || attempt == kCreateAttemptsMax) {
      return PosixError(errno_value, "creating", path);
    }
    SL_TRY(folders.Make(ParentFolder(path)), "creating {}", path);
  }
  return std::unique_ptr<OutputFile>(
      new LocalOutputFile(std::move(location), std::move(path), std::move(descriptor), folders));
}

LocalOutputFile::LocalOutputFile(std::string location, std::string path, FileDescriptor descriptor,
                                 DurableFolders& folders)
    : location_(std::move(location)),
      path_(std::move(path)),
      descriptor_(std::move(descriptor)),
      folders_(folders) {}

LocalOutputFile::~LocalOutputFile() {
  if (!closed_) {
    // Nothing names it. If this fails too, the removal of orphan files finds it.
    ::unlink(path_.c_str());
  }
}

Status LocalOutputFile::Write(std::string_view bytes) {
  SL_CHECK(!closed_);
  position_ += static_cast<std::int64_t>(bytes.size());
  if (buffer_.size() + bytes.size() < kBufferBytes) {
    buffer_.append(bytes);
    return {};
  }
  SL_TRY(WriteThrough(buffer_));
  buffer_.clear();
  if (bytes.size() < kBufferBytes) {
    buffer_.append(bytes);
    return {};
  }
  return WriteThrough(bytes);
}

Status LocalOutputFile::Close() {
  SL_CHECK(!closed_);
  SL_TRY(WriteThrough(buffer_));
  buffer_ = {};
  SL_TRY(SyncDescriptor(descriptor_, path_));
  SL_TRY(folders_.Sync(ParentFolder(path_)));
  descriptor_.Reset();
  closed_ = true;
  return {};
}

Status LocalOutputFile::WriteThrough(std::string_view bytes) {
  if (failed_) {
    return MakeError(ErrorKind::kUnavailable, "writing {}: an earlier write failed", path_);
  }
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      failed_ = true;
      return PosixError(errno, "writing", path_);
    }
    written_ += count;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  StartWriteBack();
  return {};
}

void LocalOutputFile::StartWriteBack() {
  if (written_ - write_back_from_ < kWriteBackBytes) {
    return;
  }
  // Only a hint, so its outcome does not matter: the sync in Close() reports what went wrong.
  ::sync_file_range(descriptor_.get(), write_back_from_, written_ - write_back_from_,
                    SYNC_FILE_RANGE_WRITE);
  write_back_from_ = written_;
}

}  // namespace strandline::io::internal
