#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/base/time_text.h"
#include "strandline/cli/commands/commands.h"
#include "strandline/cli/output/text.h"
#include "strandline/cli/output/unit_json.h"
#include "strandline/pipeline/plan/landed_rows.h"

namespace strandline::cli {
namespace {

using pipeline::PlannedUnit;
using pipeline::UnitStatus;

std::string SizeText(const PlannedUnit& unit) {
  std::string text;
  if (unit.files > 0) {
    text = Counted(unit.files, "file") + "  ";
  }
  if (unit.bytes > 0) {
    text += BytesText(unit.bytes);
  }
  if (unit.rows && *unit.rows > 0) {
    text += fmt::format("  {} rows", CountText(*unit.rows));
  }
  return text;
}

std::string DetailText(const PlannedUnit& unit) {
  const std::string size = unit.action == pipeline::UnitAction::kIngest ? SizeText(unit) : "";
  if (unit.reason.empty() || size.empty()) {
    return unit.reason.empty() ? (size.empty() ? SizeText(unit) : size) : unit.reason;
  }
  return size + "  " + unit.reason;
}

void PrintTable(const pipeline::Plan& plan) {
  TextTable table;
  for (const PlannedUnit& unit : plan.units) {
    table.AddRow({ToString(unit.table), FormatTimestamp(unit.window.start),
                  std::string(pipeline::ToString(unit.action)),
                  std::string(pipeline::ToString(unit.status)), DetailText(unit)});
  }
  fmt::print("{}", table.ToText());
  for (const std::string& problem : plan.problems) {
    fmt::print("{}\n", problem);
  }
  const std::size_t refused = static_cast<std::size_t>(
      std::ranges::count(plan.units, UnitStatus::kNotDeployed, &PlannedUnit::status));
  std::string last =
      plan.units.empty()
          ? "Nothing to run"
          : fmt::format("{} to run",
                        Counted(static_cast<std::int64_t>(plan.units.size() - refused), "unit"));
  if (refused > 0) {
    last += fmt::format(", {} refused (see `strandline deploy`)", refused);
  }
  last += fmt::format(", {} waiting", plan.waiting.size());
  if (!plan.waiting.empty()) {
    const pipeline::Waiting& first = plan.waiting.front();
    last += fmt::format(": {} {} {}", ToString(first.table), FormatTimestamp(first.window.start),
                        first.reason);
    if (plan.waiting.size() > 1) {
      last += fmt::format(", and {} more", plan.waiting.size() - 1);
    }
  }
  fmt::print("{}\n", last);
  const bool ingests = std::ranges::any_of(plan.units, [](const PlannedUnit& unit) {
    return unit.action == pipeline::UnitAction::kIngest;
  });
  if (ingests) {
    std::fflush(stdout);  // Where both go to one place, this comes last.
    fmt::print(stderr,
               "Rows that arrived late can restate further windows; which, is known once they are "
               "read.\n");
  }
}

void PrintPlanJson(const pipeline::Plan& plan) {
  nlohmann::json object = {{"version", 1},
                           {"command", "plan"},
                           {"now", FormatTimestamp(plan.now)},
                           {"units", nlohmann::json::array()},
                           {"waiting", nlohmann::json::array()},
                           {"problems", plan.problems}};
  for (const PlannedUnit& unit : plan.units) {
    object["units"].push_back(PlannedUnitJson(unit));
  }
  for (const pipeline::Waiting& waiting : plan.waiting) {
    object["waiting"].push_back(WaitingJson(waiting));
  }
  PrintJson(object);
}

}  // namespace

Result<ExitCode> RunPlan(Session& session, const PlanOptions& options) {
  pipeline::Plan plan = SL_TRY(session.MakePlan(options.scope));
  SL_TRY(pipeline::CountLandedRows(plan, session.io()));
  if (session.options().output == OutputFormat::kJson) {
    PrintPlanJson(plan);
  } else {
    PrintTable(plan);
  }
  if (!plan.problems.empty()) {
    return ExitCode::kFailed;
  }
  return options.detailed_exit_code && !plan.units.empty() ? ExitCode::kChanges : ExitCode::kDone;
}

}  // namespace strandline::cli
