#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "strandline/pipeline/plan/plan.h"
#include "strandline/pipeline/publish/publish.h"
#include "strandline/pipeline/run/run_context.h"
#include "strandline/quality/audit.h"

namespace strandline::pipeline {

// How one unit ended.
enum class UnitOutcome {
  kPublished,  // A new snapshot, or a record that it is empty.
  kBlocked,    // A blocking check failed: nothing was changed.
  kFailed,     // An error: nothing was changed.
  kLostRace,   // Others changed the table each time it was tried: nothing was changed.
  kUnknown,    // The commit's outcome cannot be told: run again.
  kCancelled,  // The run was asked to stop first.
};
std::string_view ToString(UnitOutcome outcome);

// What a run did about one unit.
struct UnitReport {
  catalog::TableName table;
  UnitAction action = UnitAction::kIngest;
  Interval window;
  UnitStatus was = UnitStatus::kMissing;  // Why it ran, and the reason in words.
  std::string reason;
  UnitOutcome outcome = UnitOutcome::kPublished;
  std::optional<Error> error;  // kFailed, kLostRace, kUnknown.
  std::optional<table::SnapshotId> snapshot;
  std::int64_t rows = 0;   // Published.
  std::int64_t bytes = 0;  // Written.
  std::optional<IngestCounts> counts;
  std::vector<std::pair<std::string, std::int64_t>> quarantine_reasons;
  quality::AuditReport audit;
  std::chrono::milliseconds duration{0};
};

// Told what happens while it happens, from the run's threads, one call at a time.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void OnStart(const PlannedUnit& unit) = 0;
  virtual void OnProgress(const PlannedUnit& unit, const IngestProgress& progress) = 0;
  virtual void OnEnd(const UnitReport& report) = 0;
};

struct RunReport {
  std::vector<UnitReport> units;      // In the order they ended.
  std::vector<Waiting> waiting;       // As of the last plan.
  std::vector<PlannedUnit> refused;   // Logic not deployed.
  std::vector<std::string> problems;  // Units overdue.
  bool cancelled = false;
  // How the shared scans did: column chunks decoded, and served again without reading.
  std::int64_t chunks_decoded = 0;
  std::int64_t chunks_reused = 0;
};

// Does what the plan says: first every landing unit, in the order of their start; then plans again,
// since the rows that arrived late decide which windows are restated; then computes windows until
// nothing is left, models over the same window sharing one scan. A unit that fails or is blocked
// costs only itself and what depends on it. A unit whose table moved under it is planned again, at
// most three times in one run (rule 29).
//
// Running it again with nothing new commits nothing. Fails only when planning fails.
Result<RunReport> Run(const RunContext& context, const PlanScope& scope, RunObserver& observer);

}  // namespace strandline::pipeline
