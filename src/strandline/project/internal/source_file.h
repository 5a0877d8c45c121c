#pragma once

#include <optional>
#include <string>

#include "strandline/engine/sql_analysis.h"
#include "strandline/project/internal/config_file.h"
#include "strandline/project/internal/problem_list.h"
#include "strandline/project/internal/project_files.h"
#include "strandline/project/project.h"

namespace strandline::project::internal {

// Reads sources/*.yml. Faults are reported, and what they touch keeps its default. Absent when the
// file has no settings at all or does not name its table: then nothing else can refer to it.
// `directory` (absolute) is what a relative path starts from.
std::optional<Source> ReadSource(const ProjectFile& file, const std::string& directory,
                                 const Defaults& defaults, engine::SqlParser& parser,
                                 ProblemList& problems);

}  // namespace strandline::project::internal
