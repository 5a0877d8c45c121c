#include "strandline/pipeline/run/run.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "strandline/base/time_text.h"
#include "strandline/pipeline/run/compute_step.h"
#include "strandline/pipeline/run/ingest_step.h"
#include "strandline/table/read/scan_reader.h"

namespace strandline::pipeline {
namespace {

constexpr int kTriesMax = 3;

using UnitKey = std::pair<catalog::TableName, Timestamp>;

UnitKey KeyOf(const PlannedUnit& unit) { return {unit.table, unit.window.start}; }

bool IsRunnable(const PlannedUnit& unit) {
  return unit.status != UnitStatus::kPending && unit.status != UnitStatus::kNotDeployed;
}

std::string_view EngineFamily(std::string_view name) { return name.substr(0, name.find(' ')); }

UnitReport FailedReport(const PlannedUnit& unit, UnitOutcome outcome, Error error) {
  UnitReport report;
  report.table = unit.table;
  report.action = unit.action;
  report.window = unit.window;
  report.was = unit.status;
  report.reason = unit.reason;
  report.outcome = outcome;
  report.error = std::move(error);
  return report;
}

UnitOutcome OutcomeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kCommitUnknown:
      return UnitOutcome::kUnknown;
    case ErrorKind::kCancelled:
      return UnitOutcome::kCancelled;
    case ErrorKind::kConflict:
      return UnitOutcome::kLostRace;
    default:
      return UnitOutcome::kFailed;
  }
}

class Runner {
 public:
  Runner(const RunContext& context, const PlanScope& scope, RunObserver& observer)
      : context_(context), scope_(scope), observer_(observer) {}

  Result<RunReport> Run() {
    while (true) {
      Plan plan = SL_TRY(MakePlan({.project = context_.project,
                                   .catalog = context_.catalog,
                                   .io = context_.io,
                                   .now = now_,
                                   .engine = std::string(EngineFamily(context_.engine.name())),
                                   .threads = context_.threads},
                                  scope_));
      PassPoint(context_, "after listing");
      report_.waiting = plan.waiting;
      report_.problems = plan.problems;
      report_.refused.clear();
      std::ranges::copy_if(
          plan.units, std::back_inserter(report_.refused),
          [](const PlannedUnit& unit) { return unit.status == UnitStatus::kNotDeployed; });
      if (!RunPass(plan) || report_.cancelled) {
        return std::move(report_);
      }
    }
  }

 private:
  // Runs what can run now. False when nothing could: then the run is over.
  bool RunPass(const Plan& plan) {
    std::vector<const PlannedUnit*> ready;
    for (const PlannedUnit& unit : plan.units) {
      if (IsRunnable(unit) && !given_up_.contains(KeyOf(unit))) {
        ready.push_back(&unit);
      }
    }
    if (ready.empty()) {
      return false;
    }
    if (ready.front()->action == UnitAction::kIngest) {
      return RunIngests(plan, ready);
    }
    return RunWindows(plan, ready);
  }

  // Each unit of a table is deduplicated against those before it, so a plan holds for one unit a
  // table; units of different tables do not touch each other.
  bool RunIngests(const Plan& plan, const std::vector<const PlannedUnit*>& ready) {
    std::set<catalog::TableName> moved;
    for (const PlannedUnit* unit : ready) {
      if (unit->action != UnitAction::kIngest || !moved.insert(unit->table).second) {
        continue;
      }
      const auto table = std::ranges::find(plan.tables, unit->table, &PlannedTable::table);
      RunOne(*unit, [&] { return IngestStep(context_, *unit, *table, observer_); });
      if (report_.cancelled) {
        return false;
      }
    }
    return true;
  }

  // Windows of one pass are independent of each other except that a table takes one commit at a
  // time: those with the same window share a scan; then the lake is planned again.
  bool RunWindows(const Plan& plan, const std::vector<const PlannedUnit*>& ready) {
    const Interval window = ready.front()->window;
    std::vector<const PlannedUnit*> group;
    std::ranges::copy_if(ready, std::back_inserter(group),
                         [&window](const PlannedUnit* unit) { return unit->window == window; });
    table::ColumnCache cache(context_.memory_limit_bytes / 2);
    std::vector<std::vector<table::FieldId>> announced;
    for (const PlannedUnit* unit : group) {
      announced.push_back(ColumnsOf(plan, *unit));
      cache.Announce(announced.back());
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      const PlannedUnit& unit = *group[i];
      RunOne(unit, [&] { return ComputeStep(context_, plan, unit, &cache); });
      cache.Release(announced[i]);
      if (report_.cancelled) {
        return false;
      }
    }
    report_.chunks_decoded += cache.chunks_decoded();
    report_.chunks_reused += cache.chunks_reused();
    return true;
  }

  static std::vector<table::FieldId> ColumnsOf(const Plan& plan, const PlannedUnit& unit) {
    std::vector<table::FieldId> columns;
    for (const project::ModelInput& input : unit.model->inputs) {
      const auto pinned = plan.pinned.find(input.table);
      if (pinned != plan.pinned.end()) {
        const table::Schema& schema = CurrentSchema(*pinned->second.table.metadata);
        std::ranges::transform(ColumnsRead(*unit.model, schema), std::back_inserter(columns),
                               [](const table::NestedField* column) { return column->id; });
      }
    }
    return columns;
  }

  template <typename Step>
  void RunOne(const PlannedUnit& unit, const Step& step) {
    if (context_.stop.stop_requested()) {
      report_.cancelled = true;
      return;
    }
    observer_.OnStart(unit);
    Result<UnitReport> result = step();
    const UnitKey key = KeyOf(unit);
    if (!result && result.error().kind == ErrorKind::kConflict && ++tries_[key] < kTriesMax) {
      return;  // Planned again by the next pass.
    }
    UnitReport report = result ? *std::move(result)
                               : FailedReport(unit, OutcomeOf(result.error().kind), result.error());
    report_.cancelled = report.outcome == UnitOutcome::kCancelled;
    if (report.outcome != UnitOutcome::kPublished) {
      given_up_.insert(key);
    } else if (++published_[key] >= kTriesMax) {
      given_up_.insert(key);  // Others keep changing what it reads; the next run goes on.
    }
    observer_.OnEnd(report);
    report_.units.push_back(std::move(report));
  }

  const RunContext& context_;
  const PlanScope& scope_;
  RunObserver& observer_;
  const Timestamp now_ =
      context_.clock.Now();  // One reading of the clock for the whole run (rule 1).
  RunReport report_;
  std::map<UnitKey, int> tries_;
  std::map<UnitKey, int> published_;
  std::set<UnitKey> given_up_;
};

}  // namespace

std::string_view ToString(UnitOutcome outcome) {
  switch (outcome) {
    case UnitOutcome::kPublished:
      return "published";
    case UnitOutcome::kBlocked:
      return "blocked";
    case UnitOutcome::kFailed:
      return "failed";
    case UnitOutcome::kLostRace:
      return "lost the race";
    case UnitOutcome::kUnknown:
      return "outcome unknown";
    case UnitOutcome::kCancelled:
      return "cancelled";
  }
  return "unknown";
}

Result<RunReport> Run(const RunContext& context, const PlanScope& scope, RunObserver& observer) {
  return Runner(context, scope, observer).Run();
}

}  // namespace strandline::pipeline
