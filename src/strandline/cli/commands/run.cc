#include "strandline/pipeline/run/run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/base/log.h"
#include "strandline/base/time_text.h"
#include "strandline/cli/commands/commands.h"
#include "strandline/cli/output/run_text.h"
#include "strandline/cli/output/text.h"
#include "strandline/cli/output/unit_json.h"

namespace strandline::cli {
namespace {

using pipeline::IngestProgress;
using pipeline::PlannedUnit;
using pipeline::RunReport;
using pipeline::UnitOutcome;
using pipeline::UnitReport;

// Shows what happens: on a terminal one line that is written over, and a line for each unit that
// ended.
class ConsoleObserver final : public pipeline::RunObserver {
 public:
  ConsoleObserver(const Clock& clock, bool show_units, bool show_progress)
      : clock_(clock), show_units_(show_units), show_progress_(show_progress) {}

  void OnStart(const PlannedUnit& unit) override {
    started_ = clock_.Now();
    ShowProgress(fmt::format("{} {} …", ToString(unit.table), FormatTimestamp(unit.window.start)));
  }

  void OnProgress(const PlannedUnit& unit, const IngestProgress& progress) override {
    const double seconds = std::chrono::duration<double>(clock_.Now() - started_).count();
    ShowProgress(ProgressText(unit, progress, seconds));
  }

  void OnEnd(const UnitReport& report) override {
    ClearProgress();
    if (show_units_) {
      fmt::print("{}", UnitReportText(report));
      std::fflush(stdout);
    }
  }

 private:
  void ShowProgress(const std::string& text) {
    if (show_progress_) {
      fmt::print(stderr, "\r\033[K{}", text);
      std::fflush(stderr);
    }
  }
  void ClearProgress() {
    if (show_progress_) {
      fmt::print(stderr, "\r\033[K");
      std::fflush(stderr);
    }
  }

  const Clock& clock_;
  bool show_units_;
  bool show_progress_;
  Timestamp started_{};
};

void PrintRunJson(const RunReport& report, const std::string& run_id, const Session& session) {
  nlohmann::json object = {{"version", 1},
                           {"command", "run"},
                           {"run_id", run_id},
                           {"units", nlohmann::json::array()},
                           {"waiting", nlohmann::json::array()},
                           {"refused", nlohmann::json::array()},
                           {"problems", report.problems},
                           {"cancelled", report.cancelled},
                           {"column_chunks_decoded", report.chunks_decoded},
                           {"column_chunks_shared", report.chunks_reused},
                           {"bytes_read", session.bytes_read()},
                           {"bytes_written", session.bytes_written()}};
  for (const UnitReport& unit : report.units) {
    object["units"].push_back(UnitReportJson(unit));
  }
  for (const pipeline::Waiting& waiting : report.waiting) {
    object["waiting"].push_back(WaitingJson(waiting));
  }
  for (const PlannedUnit& unit : report.refused) {
    object["refused"].push_back(PlannedUnitJson(unit));
  }
  PrintJson(object);
}

}  // namespace

Result<ExitCode> RunRun(Session& session, const RunOptions& options, const std::stop_token& stop) {
  if (options.dry_run) {
    return RunPlan(session, {.scope = options.scope, .detailed_exit_code = false});
  }
  const bool json = session.options().output == OutputFormat::kJson;
  const bool progress = !options.quiet && isatty(STDERR_FILENO) == 1;
  const SystemClock wall_clock;
  ConsoleObserver observer(wall_clock, !json, progress);
  const pipeline::RunContext context = SL_TRY(session.MakeRunContext());
  ConfigureLog(LogLevel::kInfo, session.options().log_format, context.run_id);
  const RunReport report = SL_TRY(Run(context, options.scope, observer));
  for (const std::string& problem : report.problems) {
    Log(LogLevel::kError, problem);
  }
  if (json) {
    PrintRunJson(report, context.run_id, session);
  } else {
    fmt::print("{}", RunSummaryText(report));
  }
  if (report.cancelled || stop.stop_requested()) {
    LogInfo(
        "Stopped as asked. Every table is as it was before the unit that was running; "
        "`strandline run` goes on from there.");
  }
  const bool asked_for = !options.scope.select.empty() || options.scope.interval.has_value();
  return ExitCodeOf(report, asked_for);
}

}  // namespace strandline::cli
