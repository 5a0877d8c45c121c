#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strandline/project/internal/check_project.h"
#include "strandline/project/internal/problem_list.h"

namespace strandline::project::internal {

// A table that a model may name.
struct KnownTable {
  catalog::TableName name;
  const Source* source = nullptr;    // Its writer is a source,
  const ModelFile* model = nullptr;  // or a model, or neither: a quarantine, or a broken file.
  bool is_quarantine = false;
};

std::vector<KnownTable> KnownTables(const ProjectParts& parts);

// The table that is called so; SQL does not tell upper from lower case. Null: none.
const KnownTable* FindKnownTable(const std::vector<KnownTable>& tables,
                                 const catalog::TableName& name);

// Replaces `file.model.inputs` by one input per table that the SELECT names, by name, told how to
// be read by the settings; reports tables that are not there and settings of tables that it does
// not read. Warns where an input's partitions are longer than the model's window (docs/STATE.md
// rule 7).
void ResolveInputs(const std::vector<KnownTable>& tables, bool has_unknown_tables, ModelFile& file,
                   ProblemList& problems);

// Where the SELECT names `table` first.
FilePosition MentionOf(const ModelFile& file, const catalog::TableName& table);

}  // namespace strandline::project::internal
