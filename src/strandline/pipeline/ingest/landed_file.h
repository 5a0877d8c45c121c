#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strandline/base/interval.h"
#include "strandline/project/project.h"

namespace strandline::pipeline {

// One file that landed in a unit.
struct LandedFile {
  std::string location;
  std::string name;  // Relative to the unit's folder; orders files (rule 22: lowest file first).
  std::int64_t size_bytes = 0;
  std::string
      version;  // The etag, or the modification time in microseconds: part of the stamp (rule 14).

  friend bool operator==(const LandedFile&, const LandedFile&) = default;
};

// What is to be read in one go: a landing unit, or those of its files that are new (rule 17).
struct LandingUnit {
  const project::Source* source = nullptr;
  Interval interval;
  std::vector<LandedFile> files;  // Sorted by name.
  std::int64_t stamp = 0;         // Of the whole unit, also when only some files are read.
};

}  // namespace strandline::pipeline
