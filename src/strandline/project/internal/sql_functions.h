#pragma once

#include <string_view>

namespace strandline::project::internal {

// What Strandline knows of the engine's functions: which of them break the rule that a window's
// result follows from its inputs alone (docs/STATE.md rule 10). Names in lower case.

// Gives another answer at another time, in another session or on another machine: `random`, `now`,
// `version`.
bool IsVolatile(std::string_view function);

// Those of them that SQL lets stand without brackets, so that they can be meant as the column of
// that name: `current_date`, `user`.
bool IsVolatileKeyword(std::string_view name);

// A function whose result follows the order in which rows happen to come, unless it is told an
// ORDER BY: `first`, `list`, `string_agg`, `row_number`.
bool FollowsRowOrder(std::string_view function);

// Picks one of several rows that compare equal, whichever comes first: `arg_max`, `mode`.
bool BreaksTiesByRowOrder(std::string_view function);

// An estimate: `approx_count_distinct`.
bool IsApproximate(std::string_view function);

// Adds up: exact over integers and decimals, dependent on the order in its last digits over
// floating point.
bool AddsUp(std::string_view function);

// Calculates in floating point whatever it is given: `stddev`, `corr`.
bool AddsUpInFloatingPoint(std::string_view function);

// Makes one value of several rows: `count`, `sum`.
bool IsAggregate(std::string_view function);

// A table function that reads nothing but its arguments: `unnest`, `range`.
bool IsPureTableFunction(std::string_view function);

}  // namespace strandline::project::internal
