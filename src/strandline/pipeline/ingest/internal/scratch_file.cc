#include "strandline/pipeline/ingest/internal/scratch_file.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace strandline::pipeline::ingest {
namespace {

Error DiskError(std::string_view what, const std::string& directory, int code) {
  const ErrorKind kind =
      code == EACCES || code == EPERM ? ErrorKind::kPermissionDenied : ErrorKind::kUnavailable;
  return MakeError(kind, "{} in the temporary folder failed ({}): {}", what,
                   std::generic_category().message(code), directory);
}

// A new file that has no name, or loses it at once where the file system needs one.
int OpenNameless(const std::string& directory) {
  const int descriptor = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) {
    return descriptor;
  }
  std::string name = directory + "/ingest-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) {
    ::unlink(name.c_str());
  }
  return named;
}

}  // namespace

Result<std::unique_ptr<ScratchFile>> ScratchFile::Make(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return DiskError("creating it or a file", directory, error.value());
  }
  const int descriptor = OpenNameless(directory);
  if (descriptor < 0) {
    return DiskError("creating a file", directory, errno);
  }
  return std::unique_ptr<ScratchFile>(new ScratchFile(descriptor, directory));
}

ScratchFile::~ScratchFile() { ::close(descriptor_); }

Result<std::int64_t> ScratchFile::Append(std::span<const char> bytes) {
  const std::int64_t begin = [&] {
    const std::lock_guard lock(mutex_);
    return std::exchange(end_, end_ + static_cast<std::int64_t>(bytes.size()));
  }();
  std::int64_t offset = begin;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return DiskError("writing", directory_, errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += written;
  }
  return begin;
}

Status ScratchFile::ReadAt(std::int64_t offset, std::span<char> into) const {
  while (!into.empty()) {
    const ssize_t read = ::pread(descriptor_, into.data(), into.size(), offset);
    if (read < 0 && errno == EINTR) {
      continue;
    }
    if (read <= 0) {
      return DiskError("reading", directory_, read == 0 ? EIO : errno);
    }
    into = into.subspan(static_cast<std::size_t>(read));
    offset += read;
  }
  return {};
}

}  // namespace strandline::pipeline::ingest
