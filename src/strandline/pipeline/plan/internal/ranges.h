#pragma once

#include <optional>

#include "strandline/pipeline/plan/internal/node.h"

namespace strandline::pipeline::planning {

// What a person asked for, as far as it decides which units are looked at.
struct Look {
  std::optional<Interval> interval;  // `--start/--end`: lifts the horizon.
  bool beyond_horizon = false;
  Timestamp now;  // Only bounds how far an interval may reach past what has landed.
};

// Decides which units and windows of each table may be planned, which must be judged since others
// need them, and which times must be read for that (rules 18 and 20, decision 0009). Pure: uses
// what was read first, and sets the ranges.
//
// The horizon of a source is its lateness, counted back from the end of the newest unit that has
// landed, or the newest unit done if that is earlier (a first run that was interrupted goes on).
// That of a model is the oldest window that a row of any such unit may reach, and at least its
// sources' lateness before its own newest window. There is none where late rows are all accepted.
void FindRanges(Graph& graph, const Look& look);

}  // namespace strandline::pipeline::planning
