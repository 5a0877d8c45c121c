#pragma once

#include <string>
#include <vector>

#include "strandline/engine/sql_analysis.h"
#include "strandline/project/internal/columns.h"
#include "strandline/project/internal/problem_list.h"
#include "strandline/project/internal/yaml_value.h"
#include "strandline/project/project.h"

namespace strandline::project::internal {

// What a check takes from the table that it is declared on.
struct CheckContext {
  engine::SqlParser& parser;
  std::string owner;
  Severity severity = Severity::kBlock;
  KnownColumns columns;
};

// Reads `checks:`, a list of mappings with one kind of check each and `severity`, `owner` and `id`
// beside it. Null: no checks. Faults are reported and cost only their own check. Whether the table
// of a `reconcile` can be compared with is for CheckProject to say.
std::vector<Check> ReadChecks(const YamlEntry* entry, const CheckContext& context,
                              ProblemList& problems);

}  // namespace strandline::project::internal
