#include "strandline/io/internal/local_listing.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <optional>

#include "strandline/io/internal/file_descriptor.h"
#include "strandline/io/internal/posix_error.h"
#include "strandline/io/location.h"

namespace strandline::io::internal {
namespace {

// An open folder for readdir(3).
class DirectoryStream {
 public:
  explicit DirectoryStream(FileDescriptor descriptor) : stream_(::fdopendir(descriptor.get())) {
    if (stream_ != nullptr) {
      descriptor.Release();  // closedir(3) closes it.
    }
  }
  ~DirectoryStream() {
    if (stream_ != nullptr) {
      ::closedir(stream_);
    }
  }
  DirectoryStream(const DirectoryStream&) = delete;
  DirectoryStream& operator=(const DirectoryStream&) = delete;

  bool is_open() const { return stream_ != nullptr; }
  int fd() const { return ::dirfd(stream_); }
  // Null at the end and on failure; then errno tells them apart.
  const dirent* Next() {
    errno = 0;
    return ::readdir(stream_);
  }

 private:
  DIR* stream_;
};

struct Child {
  std::string name;  // Folders end in a slash: the order of names is then the order of locations.
  bool is_folder() const { return name.ends_with('/'); }
};

bool IsGone(int errno_value) { return errno_value == ENOENT || errno_value == ENOTDIR; }

// Empty for what is neither file nor folder, and for what has just vanished.
std::optional<Child> Classify(int folder_fd, const dirent& entry) {
  const std::string name(static_cast<const char*>(entry.d_name));
  if (name == "." || name == "..") {
    return std::nullopt;
  }
  if (entry.d_type == DT_REG) {
    return Child{name};
  }
  if (entry.d_type == DT_DIR) {
    return Child{name + "/"};
  }
  struct stat status{};
  if (::fstatat(folder_fd, name.c_str(), &status, 0) != 0) {
    return std::nullopt;  // A link that leads nowhere.
  }
  if (S_ISDIR(status.st_mode)) {
    return Child{name + "/"};
  }
  return S_ISREG(status.st_mode) ? std::optional(Child{name}) : std::nullopt;
}

Result<std::vector<Child>> ReadChildren(DirectoryStream& stream, const std::string& path) {
  std::vector<Child> children;
  while (const dirent* entry = stream.Next()) {
    if (std::optional<Child> child = Classify(stream.fd(), *entry)) {
      children.push_back(*std::move(child));
    }
  }
  if (errno != 0) {
    return PosixError(errno, "listing", path);
  }
  std::sort(children.begin(), children.end(),
            [](const Child& a, const Child& b) { return a.name < b.name; });
  return children;
}

// One walk over a tree: what the levels of the recursion share.
class Walk {
 public:
  Walk(Recursive recursive, const FileVisitor& visitor)
      : recursive_(recursive), visitor_(visitor) {}

  // False when the visitor has seen enough.
  Result<bool> Visit(const std::string& location, const std::string& path,
                     FileDescriptor descriptor) {
    struct stat status{};
    if (::fstat(descriptor.get(), &status) != 0) {
      return PosixError(errno, "listing", path);
    }
    const FolderId id{status.st_dev, status.st_ino};
    if (std::find(open_folders_.begin(), open_folders_.end(), id) != open_folders_.end()) {
      return true;  // A link back up: everything in there is listed already.
    }
    open_folders_.push_back(id);
    const Result<bool> go_on = VisitChildren(location, path, std::move(descriptor));
    open_folders_.pop_back();
    return go_on;
  }

 private:
  using FolderId = std::pair<dev_t, ino_t>;

  Result<bool> VisitChildren(const std::string& location, const std::string& path,
                             FileDescriptor descriptor) {
    DirectoryStream stream(std::move(descriptor));
    if (!stream.is_open()) {
      return PosixError(errno, "listing", path);
    }
    const std::vector<Child> children = SL_TRY(ReadChildren(stream, path));
    for (const Child& child : children) {
      const bool go_on = SL_TRY(child.is_folder() ? VisitFolder(location, path, stream.fd(), child)
                                                  : VisitFile(location, path, stream.fd(), child));
      if (!go_on) {
        return false;
      }
    }
    return true;
  }

  Result<bool> VisitFile(const std::string& location, const std::string& path, int folder_fd,
                         const Child& child) {
    struct stat status{};
    if (::fstatat(folder_fd, child.name.c_str(), &status, 0) != 0) {
      if (IsGone(errno)) {
        return true;
      }
      return PosixError(errno, "looking at", JoinLocation(path, child.name));
    }
    return visitor_(LocalFileInfo(JoinLocation(location, child.name), status));
  }

  Result<bool> VisitFolder(const std::string& location, const std::string& path, int folder_fd,
                           const Child& child) {
    if (recursive_ == Recursive::kNo) {
      return true;
    }
    const std::string name = child.name.substr(0, child.name.size() - 1);
    FileDescriptor descriptor(
        ::openat(folder_fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!descriptor.is_open()) {
      if (IsGone(errno)) {
        return true;
      }
      return PosixError(errno, "listing", JoinLocation(path, name));
    }
    return Visit(JoinLocation(location, name), JoinLocation(path, name), std::move(descriptor));
  }

  Recursive recursive_;
  const FileVisitor& visitor_;
  std::vector<FolderId> open_folders_;
};

// Not open for a folder that is not there.
Result<FileDescriptor> OpenFolder(const std::string& path) {
  FileDescriptor descriptor = OpenDescriptor(path, O_RDONLY | O_DIRECTORY);
  if (!descriptor.is_open() && !IsGone(errno)) {
    return PosixError(errno, "listing", path);
  }
  return descriptor;
}

}  // namespace

FileInfo LocalFileInfo(std::string location, const struct stat& status) {
  const auto modified = std::chrono::seconds(status.st_mtim.tv_sec) +
                        std::chrono::nanoseconds(status.st_mtim.tv_nsec);
  return {.location = std::move(location),
          .size_bytes = status.st_size,
          .modified = Timestamp(std::chrono::floor<std::chrono::microseconds>(modified)),
          .etag = {}};
}

Status ListLocalFiles(const std::string& location, const std::string& path, Recursive recursive,
                      const FileVisitor& visitor) {
  FileDescriptor descriptor = SL_TRY(OpenFolder(path));
  if (!descriptor.is_open()) {
    return {};
  }
  SL_TRY(Walk(recursive, visitor).Visit(location, path, std::move(descriptor)));
  return {};
}

Result<std::vector<std::string>> ListLocalFolders(const std::string& path) {
  FileDescriptor descriptor = SL_TRY(OpenFolder(path));
  std::vector<std::string> names;
  if (!descriptor.is_open()) {
    return names;
  }
  DirectoryStream stream(std::move(descriptor));
  if (!stream.is_open()) {
    return PosixError(errno, "listing", path);
  }
  const std::vector<Child> children = SL_TRY(ReadChildren(stream, path));
  for (const Child& child : children) {
    if (child.is_folder()) {
      names.push_back(child.name.substr(0, child.name.size() - 1));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace strandline::io::internal
