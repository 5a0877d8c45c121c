#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strandline/project/project.h"

namespace strandline::quality {

// A check as SQL over the audited rows (and, for reconcile, the other table).
struct CheckSql {
  std::string counts;   // One row: checked, violating.
  std::string samples;  // Rows of text, as many as wanted; empty: there are none to show.
};

// `"a"."b"`, quotes doubled.
std::string QuotedName(std::string_view name);
std::string QuotedTable(const catalog::TableName& table);
std::string QuotedText(std::string_view text);

// Pure. Absent for checks that are not answered by SQL (`unique`, `row_count`). `key_columns` make
// the samples readable.
//
// `reconcile` compares one value of each side, or with `by` one of each group. Groups are the same
// when their keys are, nulls being equal; a group that only one side has violates. Without `by` an
// aggregate that is null because its side has no rows counts as 0: over an empty window
// `sum(impressions)` agrees with `count(*)`. Two nulls agree; a null agrees with nothing else.
std::optional<CheckSql> SqlOf(const project::Check& check, const catalog::TableName& table,
                              const std::vector<std::string>& key_columns);

}  // namespace strandline::quality
