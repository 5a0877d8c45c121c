#pragma once

#include <string>

#include "strandline/pipeline/run/run.h"

namespace strandline::cli {

// `ads.impressions 2026-11-30T05:00Z: 4.1 M of 12.5 M rows …`: rows, bytes, rate and time left.
std::string ProgressText(const pipeline::PlannedUnit& unit,
                         const pipeline::IngestProgress& progress, double seconds);

// What became of one unit: a line, and below it what a person needs to know (rows that were not
// published and why, checks that did not pass, the error).
std::string UnitReportText(const pipeline::UnitReport& report);

// The last lines of a run.
std::string RunSummaryText(const pipeline::RunReport& report);

}  // namespace strandline::cli
