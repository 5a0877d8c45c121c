#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/project/internal/problem_list.h"

namespace strandline::project::internal {

inline constexpr std::string_view kConfigFile = "strandline.yml";

// A file's text as read, with its path relative to the project.
struct ProjectFile {
  std::string name;  // `sources/impressions.yml`
  std::string text;  // UTF-8.
};

// The files of a project by what they are, each list sorted by name. Reading stops at a bound that
// no project file comes near.
struct ProjectFiles {
  std::optional<ProjectFile> config;  // Absent only when it could not be read (reported).
  std::vector<ProjectFile> sources;
  std::vector<ProjectFile> models;
  bool is_complete = true;  // Every file of sources/ and models/ could be read.
};

// Finds and reads them. Reports files that cannot be read or are not UTF-8, files in sources/ and
// models/ whose name says that they are neither, and files that belong to parts of a project which
// are not supported yet (contracts, service levels, maintenance policies, unit tests): believed to
// be in force, they would do harm. kNotFound when `directory` has no strandline.yml.
Result<ProjectFiles> ReadProjectFiles(const std::string& directory, ProblemList& problems);

}  // namespace strandline::project::internal
