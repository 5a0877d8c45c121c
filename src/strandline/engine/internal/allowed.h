#pragma once

#include "strandline/base/result.h"
#include "strandline/engine/sql_analysis.h"

namespace strandline::engine {

// Refuses calls that read something other than the statement's relations: table functions except
// those that only compute, and functions that tell of the engine's settings. kInvalidArgument with
// the place. (The engine itself is closed to files and network as well; this one says why.)
Status CheckCalls(const SqlAnalysis& analysis);

}  // namespace strandline::engine
