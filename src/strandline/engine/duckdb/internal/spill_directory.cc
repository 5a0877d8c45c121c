#include "strandline/engine/duckdb/internal/spill_directory.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace strandline::engine {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "engine-";
constexpr int kAttemptsMax = 10;

// An open, locked descriptor of a folder; -1 when it is gone or somebody else's.
int Lock(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return -1;
  }
  struct stat opened = {};
  struct stat named = {};
  // The folder may have been removed by another process between its making and our lock.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &opened) == 0 &&
      ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino) {
    return descriptor;
  }
  ::close(descriptor);
  return -1;
}

void RemoveAbandoned(const std::string& parent) {
  std::error_code ignored;
  for (fs::directory_iterator entry(parent, ignored), end; entry != end; entry.increment(ignored)) {
    if (!entry->path().filename().string().starts_with(kPrefix)) {
      continue;
    }
    const int lock = Lock(entry->path().string());
    if (lock >= 0) {
      fs::remove_all(entry->path(), ignored);
      ::close(lock);
    }
  }
}

}  // namespace

Result<std::unique_ptr<SpillDirectory>> SpillDirectory::Make(const std::string& parent) {
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) {
    return MakeError(ErrorKind::kUnavailable, "cannot make the folder for spilled data: {}: {}",
                     parent, error.message());
  }
  RemoveAbandoned(parent);
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    std::string path = parent + "/" + std::string(kPrefix) + "XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
      return MakeError(ErrorKind::kUnavailable, "cannot make a folder for spilled data in {}: {}",
                       parent, std::generic_category().message(errno));
    }
    if (const int lock = Lock(path); lock >= 0) {
      return std::unique_ptr<SpillDirectory>(new SpillDirectory(std::move(path), lock));
    }
  }
  return MakeError(ErrorKind::kUnavailable, "cannot lock a folder for spilled data in {}", parent);
}

SpillDirectory::~SpillDirectory() {
  std::error_code ignored;  // What is left is removed by the next engine.
  fs::remove_all(path_, ignored);
  ::close(lock_);
}

}  // namespace strandline::engine
