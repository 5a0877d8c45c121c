#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "strandline/pipeline/plan/plan.h"

namespace strandline::pipeline::planning {

// The order in which the units of a plan run (rules 19 and 30): ingests by the start of their unit;
// then new windows, oldest first; then restatements, newest first. A restatement that the horizon
// would pass over once newer windows are published comes before the first of those: `lateness_of` a
// table says how far that is. Units that compare equal keep their order.
void OrderUnits(
    std::vector<PlannedUnit>& units,
    const std::function<std::chrono::microseconds(const catalog::TableName& table)>& lateness_of);

}  // namespace strandline::pipeline::planning
