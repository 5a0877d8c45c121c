#pragma once

#include <optional>
#include <string>

#include "strandline/engine/sql_analysis.h"
#include "strandline/project/internal/config_file.h"
#include "strandline/project/internal/problem_list.h"
#include "strandline/project/internal/project_files.h"
#include "strandline/project/project.h"

namespace strandline::project::internal {

// A model as its own file tells it: `inputs` holds what the settings say, in the order of the file,
// and is matched with the tables that the SELECT names once all files are read.
struct ModelFile {
  Model model;
  bool has_sql = false;  // The SELECT parsed, and `model.analysis` says what it is.
};

// Reads models/*.sql: a YAML block comment `/* strandline ... */` on top, one SELECT below. Faults
// are reported, and what they touch keeps its default. Absent when the file does not name its
// table.
std::optional<ModelFile> ReadModel(const ProjectFile& file, const Defaults& defaults,
                                   engine::SqlParser& parser, ProblemList& problems);

// Where a place in the model's SELECT is in its file.
FilePosition PositionInFile(const Model& model, const engine::SqlPosition& at);

}  // namespace strandline::project::internal
