#pragma once

#include <map>
#include <string>
#include <vector>

#include "strandline/project/internal/problem_list.h"
#include "strandline/project/internal/yaml_value.h"
#include "strandline/project/project.h"

namespace strandline::project::internal {

// Reads the `columns:` of a source: `name: {type: long, required: true}`, or `name: long` for
// short. JSON lines carry no types, so there each column needs one (`needs_types`).
std::vector<SourceColumn> ReadSourceColumns(const YamlEntry* entry, bool needs_types,
                                            ProblemList& problems);

// Reads the `columns:` of a model: `name: type`, the type that this column of the result is cast
// to.
std::map<std::string, table::Type> ReadOutputTypes(const YamlEntry* entry, ProblemList& problems);

const SourceColumn* FindSourceColumn(const std::vector<SourceColumn>& columns,
                                     std::string_view name);

}  // namespace strandline::project::internal
