#include "strandline/io/local_file_io.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "strandline/io/internal/durable_folders.h"
#include "strandline/io/internal/file_descriptor.h"
#include "strandline/io/internal/local_listing.h"
#include "strandline/io/internal/local_output_file.h"
#include "strandline/io/internal/posix_error.h"
#include "strandline/io/location.h"

namespace strandline::io {
namespace {

Error NoRegularFile(std::string_view path) {
  return MakeError(ErrorKind::kNotFound, "there is something here that is no file: {}", path);
}

class LocalInputFile final : public InputFile {
 public:
  LocalInputFile(std::string location, std::string path, internal::FileDescriptor descriptor,
                 std::int64_t size_bytes)
      : location_(std::move(location)),
        path_(std::move(path)),
        descriptor_(std::move(descriptor)),
        size_bytes_(size_bytes) {}

  const std::string& location() const override { return location_; }
  std::int64_t size_bytes() const override { return size_bytes_; }

  Status ReadAt(std::int64_t offset, std::span<std::byte> into) override {
    if (offset < 0) {
      return MakeError(ErrorKind::kCorrupt, "reading before the file's start: offset {} of {}",
                       offset, path_);
    }
    std::size_t filled = 0;
    while (filled < into.size()) {
      const ssize_t count = ::pread(descriptor_.get(), &into[filled], into.size() - filled,
                                    offset + static_cast<std::int64_t>(filled));
      if (count < 0 && errno == EINTR) {
        continue;
      }
      if (count < 0) {
        return internal::PosixError(errno, "reading", path_);
      }
      if (count == 0) {
        return MakeError(ErrorKind::kCorrupt,
                         "file ends too early: {} bytes wanted at offset {}, found {} of them: {}",
                         into.size(), offset, filled, path_);
      }
      filled += static_cast<std::size_t>(count);
    }
    return {};
  }

 private:
  std::string location_;
  std::string path_;
  internal::FileDescriptor descriptor_;
  std::int64_t size_bytes_;
};

class LocalFileIo final : public FileIo {
 public:
  Result<std::unique_ptr<InputFile>> Open(const std::string& location) override {
    std::string path = SL_TRY(LocalPath(location));
    // O_NONBLOCK: a pipe without a writer must not hang us. It changes nothing for regular files.
    internal::FileDescriptor descriptor = internal::OpenDescriptor(path, O_RDONLY | O_NONBLOCK);
    if (!descriptor.is_open()) {
      return internal::PosixError(errno, "opening", path);
    }
    struct stat status{};
    if (::fstat(descriptor.get(), &status) != 0) {
      return internal::PosixError(errno, "opening", path);
    }
    if (!S_ISREG(status.st_mode)) {
      return NoRegularFile(path);
    }
    return std::make_unique<LocalInputFile>(location, std::move(path), std::move(descriptor),
                                            status.st_size);
  }

  Result<std::unique_ptr<OutputFile>> Create(const std::string& location) override {
    std::string path = SL_TRY(LocalPath(location));
    return internal::LocalOutputFile::Make(location, std::move(path), folders_);
  }

  // Not synced: a file that comes back after a power failure is one more orphan, nothing else.
  Status Delete(const std::string& location) override {
    const std::string path = SL_TRY(LocalPath(location));
    if (::unlink(path.c_str()) != 0) {
      return internal::PosixError(errno, "deleting", path);
    }
    return {};
  }

  Result<FileInfo> Stat(const std::string& location) override {
    const std::string path = SL_TRY(LocalPath(location));
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) {
      return internal::PosixError(errno, "looking at", path);
    }
    if (!S_ISREG(status.st_mode)) {
      return NoRegularFile(path);
    }
    return internal::LocalFileInfo(location, status);
  }

  Status List(const std::string& location, Recursive recursive,
              const FileVisitor& visitor) override {
    const std::string path = SL_TRY(LocalPath(location));
    return internal::ListLocalFiles(location, path, recursive, visitor);
  }

  Result<std::vector<std::string>> ListFolders(const std::string& location) override {
    const std::string path = SL_TRY(LocalPath(location));
    return internal::ListLocalFolders(path);
  }

 private:
  internal::DurableFolders folders_;
};

}  // namespace

std::unique_ptr<FileIo> MakeLocalFileIo() { return std::make_unique<LocalFileIo>(); }

}  // namespace strandline::io
