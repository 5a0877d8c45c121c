#pragma once

#include <map>
#include <string>

#include "strandline/project/internal/problem_list.h"
#include "strandline/project/internal/project_files.h"
#include "strandline/project/project.h"

namespace strandline::project::internal {

// What sources and models get unless they say otherwise.
struct Defaults {
  std::string owner;
  int tier = 2;
  Severity severity = Severity::kBlock;
};

// strandline.yml, typed.
struct Config {
  std::string project;
  std::vector<CatalogConfig> catalogs;
  std::string default_catalog;
  EngineConfig engine;
  Defaults defaults;
};

// Reads strandline.yml. `directory` (absolute) is what relative paths start from; `environment`
// replaces `${NAME}`. Faults are reported, and what they touch keeps its default.
Config ReadConfig(const ProjectFile& file, const std::string& directory,
                  const std::map<std::string, std::string>& environment, ProblemList& problems);

}  // namespace strandline::project::internal
