#pragma once

#include <nlohmann/json_fwd.hpp>

#include "strandline/pipeline/plan/plan.h"
#include "strandline/pipeline/run/run.h"
#include "strandline/quality/audit.h"

namespace strandline::cli {

// The stable JSON of docs/CLI.md: `{"version":1,"command":…}` around these.
nlohmann::json PlannedUnitJson(const pipeline::PlannedUnit& unit);
nlohmann::json WaitingJson(const pipeline::Waiting& waiting);
nlohmann::json UnitReportJson(const pipeline::UnitReport& report);
nlohmann::json CheckResultJson(const quality::CheckResult& result);

// One object on standard output, with a line feed. Text that is not UTF-8 is shown with replacement
// characters.
void PrintJson(const nlohmann::json& object);

}  // namespace strandline::cli
