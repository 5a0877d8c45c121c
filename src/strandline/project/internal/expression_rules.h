#pragma once

#include <string_view>

#include "strandline/engine/sql_analysis.h"
#include "strandline/project/internal/columns.h"
#include "strandline/project/internal/problem_list.h"

namespace strandline::project::internal {

// Checks that carry SQL: it must parse, look at the one table it is declared on, and give the same
// answer whenever it is asked. Faults are reported at `at`, the start of the text in its file.

// One true or false per row: `cost_micros >= 0`.
bool CheckRowExpression(engine::SqlParser& parser, std::string_view sql,
                        const KnownColumns& columns, const FilePosition& at, ProblemList& problems);

// One value for a group of rows: `sum(impressions)`.
bool CheckAggregateExpression(engine::SqlParser& parser, std::string_view sql,
                              const KnownColumns& columns, const FilePosition& at,
                              ProblemList& problems);

}  // namespace strandline::project::internal
