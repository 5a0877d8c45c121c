#pragma once

#include <string>
#include <utility>
#include <vector>

#include "strandline/base/ignore_error.h"
#include "strandline/io/file_io.h"

namespace strandline::table {

// The files written for one attempt at a commit. Deletes them again when it goes, unless they are
// kept: call Keep() before anything may name them.
class AttemptFiles {
 public:
  explicit AttemptFiles(io::FileIo& io) : io_(io) {}
  AttemptFiles(const AttemptFiles&) = delete;
  AttemptFiles& operator=(const AttemptFiles&) = delete;
  ~AttemptFiles() {
    for (const std::string& location : locations_) {
      IgnoreError(io_.Delete(location), "nothing names it; orphan removal will find it");
    }
  }

  // Call it before the file is written: a failed write may leave a part of it.
  void Add(const std::string& location) { locations_.push_back(location); }
  std::vector<std::string> Keep() { return std::exchange(locations_, {}); }

 private:
  io::FileIo& io_;
  std::vector<std::string> locations_;
};

}  // namespace strandline::table
