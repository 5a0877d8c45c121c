#pragma once

#include "strandline/pipeline/run/run.h"

namespace strandline::pipeline {

// Ingests, audits and publishes one landing unit: its table and quarantine in one transaction.
// `table` is the unit's table as planned. The report says how it ended; kConflict comes back as an
// error, to be planned again.
Result<UnitReport> IngestStep(const RunContext& context, const PlannedUnit& unit,
                              const PlannedTable& table, RunObserver& observer);

}  // namespace strandline::pipeline
