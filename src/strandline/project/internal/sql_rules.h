#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/engine/sql_analysis.h"
#include "strandline/project/project.h"

namespace strandline::project::internal {

// Something in a SQL text that a rule forbids or doubts.
struct SqlFinding {
  engine::SqlPosition at;
  ProblemSeverity severity = ProblemSeverity::kError;
  std::string message;
};

// What makes a statement read anything but its tables and parameters (docs/STATE.md rules 3 and
// 10): volatile functions, table functions that open files, parameters that no run sets, names that
// begin with `_strand_`. `columns`: known names of the tables it reads, lower case: a column called
// `user` is no function.
std::vector<SqlFinding> FindOutsideReads(std::string_view sql, const engine::SqlAnalysis& analysis,
                                         const std::set<std::string>& columns);

// What makes its answer depend on the order in which rows come (rule 10): errors for what is
// certain, warnings for what is only likely, or only in the last digits. `floating_columns`: float
// and double columns of the tables it reads, lower case.
std::vector<SqlFinding> FindOrderDependence(std::string_view sql,
                                            const engine::SqlAnalysis& analysis,
                                            const std::set<std::string>& floating_columns);

// The message of an error of engine::AnalyzeSql without the position it begins with.
std::string WithoutPosition(std::string_view message);

}  // namespace strandline::project::internal
