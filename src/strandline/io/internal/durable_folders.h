#pragma once

#include <mutex>
#include <set>
#include <string>

#include "strandline/base/result.h"

namespace strandline::io::internal {

// Makes folders and makes them last. A file survives a power failure only if its own entry and
// those of all folders above it were synced; remembers which folders are known to be safe, so that
// a thousand files in one folder cost one walk up. Thread-safe.
class DurableFolders {
 public:
  // Makes `folder` and whatever is missing above it; fine when it is there.
  Status Make(const std::string& folder);

  // Syncs the entries of `folder`, and of every folder above it whose own entry isn't known to be
  // durable: also those that another process has just made and not synced yet.
  Status Sync(const std::string& folder);

 private:
  // Beyond this many remembered folders all are forgotten: walks repeat, memory stays small.
  static constexpr std::size_t kRememberedMax = 4096;

  bool IsRemembered(const std::string& folder);
  void Remember(std::string folder);
  void Forget(const std::string& folder);

  std::mutex mutex_;
  std::set<std::string, std::less<>> durable_;
};

// The folder that holds `path`: `/a` for `/a/b`, `/` for `/a`.
std::string ParentFolder(const std::string& path);

}  // namespace strandline::io::internal
