#pragma once

#include <string>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/project/project.h"
#include "strandline/table/schema/schema.h"

namespace strandline::quality {

// A check as SQL over the audited rows (and, for reconcile, the other table).
struct CheckSql {
  std::string counts;   // One row: checked, violating.
  std::string samples;  // Rows of text, as many as wanted; empty: there are none to show.
};

// `"a"."b"`, quotes doubled.
std::string QuotedTable(const catalog::TableName& table);

// Pure. `schema` is the audited rows'; the check's columns are in it (checked). `key_columns` make
// the samples readable. kUnsupported for checks that are not answered by SQL (`unique`,
// `row_count`).
//
// `accepted_values` compares values of the column's type, each written as table::ParseValue reads
// it (binary as hex); null passes. kInvalidArgument for a value that is none of that type, or that
// the type would round; the message names the check and the value.
//
// `reconcile` compares one value of each side, or with `by` one of each group. Groups are the same
// when their keys are, nulls being equal; a group that only one side has violates. Without `by` an
// aggregate that is null because its side has no rows counts as 0: over an empty window
// `sum(impressions)` agrees with `count(*)`. Two nulls agree; a null agrees with nothing else.
Result<CheckSql> SqlOf(const project::Check& check, const catalog::TableName& table,
                       const table::Schema& schema, const std::vector<std::string>& key_columns);

}  // namespace strandline::quality
