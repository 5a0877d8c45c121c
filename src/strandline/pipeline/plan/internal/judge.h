#pragma once

#include <map>
#include <string>

#include "strandline/pipeline/plan/internal/node.h"
#include "strandline/pipeline/plan/internal/ranges.h"
#include "strandline/pipeline/plan/plan.h"

namespace strandline::pipeline::planning {

// Judges every unit and window of the graph, upstream first, and adds to `plan` what is to be done,
// what waits for something outside of the plan, and what somebody must look at. Pure: needs states
// and listings as FindRanges() asked for them. `engine` is part of a model's logic.
void Judge(Graph& graph, const Look& look, const std::string& engine, Plan& plan);

}  // namespace strandline::pipeline::planning
