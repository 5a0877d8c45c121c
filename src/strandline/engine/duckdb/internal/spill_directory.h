#pragma once

#include <memory>
#include <string>

#include "strandline/base/result.h"

namespace strandline::engine {

// A folder of one engine's own for spilled data, gone when this is. The engine names its files
// alike in every process, so two processes must not share a folder.
class SpillDirectory {
 public:
  // Makes a new folder below `parent` (and `parent`), and removes those that processes left behind
  // which died. kUnavailable when that cannot be done.
  static Result<std::unique_ptr<SpillDirectory>> Make(const std::string& parent);

  SpillDirectory(const SpillDirectory&) = delete;
  SpillDirectory& operator=(const SpillDirectory&) = delete;
  ~SpillDirectory();

  const std::string& path() const { return path_; }

 private:
  SpillDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;  // An open descriptor; the lock on it says that the folder is in use.
};

}  // namespace strandline::engine
