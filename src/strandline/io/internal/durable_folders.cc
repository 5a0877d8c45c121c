#include "strandline/io/internal/durable_folders.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

#include "strandline/io/internal/file_descriptor.h"
#include "strandline/io/internal/posix_error.h"

namespace strandline::io::internal {
namespace {

Status SyncFolder(const std::string& folder) {
  const FileDescriptor descriptor = OpenDescriptor(folder, O_RDONLY | O_DIRECTORY);
  if (!descriptor.is_open()) {
    return PosixError(errno, "opening the folder to sync", folder);
  }
  Status synced = SyncDescriptor(descriptor, folder);
  if (!synced && synced.error().kind == ErrorKind::kInvalidArgument) {
    return {};  // A file system that cannot sync folders (some network ones) answers so.
  }
  return synced;
}

}  // namespace

std::string ParentFolder(const std::string& path) {
  const std::size_t end = path.find_last_not_of('/');
  const std::size_t slash = end == std::string::npos ? end : path.find_last_of('/', end);
  if (slash == std::string::npos) {
    return "/";
  }
  const std::size_t last = path.find_last_not_of('/', slash);
  return last == std::string::npos ? "/" : path.substr(0, last + 1);
}

Status DurableFolders::Make(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0777) == 0) {
    Forget(folder);  // A folder of this name may have been removed since it was synced.
    return {};
  }
  if (errno == EEXIST) {
    return {};
  }
  if (errno != ENOENT || folder == "/") {
    return PosixError(errno, "making the folder", folder);
  }
  SL_TRY(Make(ParentFolder(folder)));
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    return PosixError(errno, "making the folder", folder);
  }
  Forget(folder);
  return {};
}

Status DurableFolders::Sync(const std::string& folder) {
  SL_TRY(SyncFolder(folder));
  std::string above = folder;
  while (above != "/" && !IsRemembered(above)) {
    const std::string parent = ParentFolder(above);
    const Status synced = SyncFolder(parent);
    if (!synced && synced.error().kind == ErrorKind::kPermissionDenied) {
      // A folder that we may only pass through: it was there before us, and is not ours to sync.
      return {};
    }
    SL_TRY(synced);
    Remember(above);
    above = parent;
  }
  return {};
}

bool DurableFolders::IsRemembered(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  return durable_.contains(folder);
}

void DurableFolders::Remember(std::string folder) {
  const std::lock_guard lock(mutex_);
  if (durable_.size() >= kRememberedMax) {
    durable_.clear();
  }
  durable_.insert(std::move(folder));
}

void DurableFolders::Forget(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  durable_.erase(folder);
}

}  // namespace strandline::io::internal
