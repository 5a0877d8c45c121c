#pragma once

#include "strandline/pipeline/run/run.h"
#include "strandline/pipeline/transform/compute_window.h"

namespace strandline::pipeline {

// Computes, audits and publishes one derived window. The report says how it ended; kConflict comes
// back as an error, to be planned again.
Result<UnitReport> ComputeStep(const RunContext& context, const Plan& plan, const PlannedUnit& unit,
                               table::ColumnCache* cache);

}  // namespace strandline::pipeline
