#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/base/time_text.h"
#include "strandline/cli/commands/commands.h"
#include "strandline/cli/output/text.h"
#include "strandline/cli/output/unit_json.h"

namespace strandline::cli {
namespace {

using pipeline::PlannedTable;
using pipeline::UnitStatus;

constexpr std::string_view kLegend = "● published ○ missing ▲ stale ✗ not deployed · waiting";

std::string_view Symbol(UnitStatus status) {
  switch (status) {
    case UnitStatus::kFresh:
      return "●";
    case UnitStatus::kMissing:
      return "○";
    case UnitStatus::kStaleInput:
    case UnitStatus::kStaleLogic:
    case UnitStatus::kModifiedByOthers:
      return "▲";
    case UnitStatus::kPending:
      return "○";
    case UnitStatus::kWaiting:
      return "·";
    case UnitStatus::kNotDeployed:
      return "✗";
  }
  return "?";
}

// A window that runs after its inputs is missing or stale, by whether readers have it already.
std::string_view SymbolOf(const PlannedTable& table, Timestamp start,
                          const pipeline::Judgement& judgement) {
  const bool is_published = table.state && IsIngested(*table.state, start);
  return judgement.status == UnitStatus::kPending && is_published ? Symbol(UnitStatus::kStaleInput)
                                                                  : Symbol(judgement.status);
}

// The newest windows that any table has, oldest first.
std::vector<Timestamp> Columns(const pipeline::Plan& plan, int windows_max) {
  std::set<Timestamp> starts;
  for (const PlannedTable& table : plan.tables) {
    for (const auto& [start, judgement] : table.windows) {
      starts.insert(start);
    }
  }
  std::vector<Timestamp> columns(starts.begin(), starts.end());
  const auto keep = static_cast<std::ptrdiff_t>(windows_max);
  if (static_cast<std::ptrdiff_t>(columns.size()) > keep) {
    columns.erase(columns.begin(), columns.end() - keep);
  }
  return columns;
}

// A heading says the hour, and the day where it changes.
std::string Heading(Timestamp start, bool new_day) {
  const std::string text = FormatTimestamp(start);
  return new_day ? text.substr(5, 5) + "T" + text.substr(11, 2) : text.substr(11, 2);
}

void PrintGrid(const pipeline::Plan& plan, const std::vector<Timestamp>& columns) {
  TextTable grid;
  std::vector<std::string> heading = {""};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool new_day = i == 0 || std::chrono::floor<std::chrono::days>(columns[i]) !=
                                       std::chrono::floor<std::chrono::days>(columns[i - 1]);
    heading.push_back(Heading(columns[i], new_day));
  }
  heading.emplace_back(kLegend);
  grid.AddRow(std::move(heading));
  for (const PlannedTable& table : plan.tables) {
    std::vector<std::string> row = {ToString(table.table)};
    for (const Timestamp start : columns) {
      const auto found = table.windows.find(start);
      row.emplace_back(found == table.windows.end() ? " " : SymbolOf(table, start, found->second));
    }
    grid.AddRow(std::move(row));
  }
  fmt::print("{}", grid.ToText());
}

}  // namespace

Result<ExitCode> RunStatus(Session& session, const StatusOptions& options) {
  const pipeline::Plan plan = SL_TRY(session.MakePlan(options.scope));
  const std::vector<Timestamp> columns = Columns(plan, options.windows);
  if (session.options().output == OutputFormat::kJson) {
    nlohmann::json object = {{"version", 1},
                             {"command", "status"},
                             {"tables", nlohmann::json::array()},
                             {"waiting", nlohmann::json::array()},
                             {"problems", plan.problems}};
    for (const PlannedTable& table : plan.tables) {
      nlohmann::json windows = nlohmann::json::object();
      for (const auto& [start, judgement] : table.windows) {
        windows[FormatTimestamp(start)] = {{"state", pipeline::ToString(judgement.status)},
                                           {"reason", judgement.reason}};
      }
      object["tables"].push_back(
          {{"table", ToString(table.table)}, {"windows", std::move(windows)}});
    }
    for (const pipeline::Waiting& waiting : plan.waiting) {
      object["waiting"].push_back(WaitingJson(waiting));
    }
    PrintJson(object);
    return ExitCode::kDone;
  }
  if (columns.empty()) {
    fmt::print("Nothing has landed yet.\n");
  } else {
    PrintGrid(plan, columns);
  }
  for (const pipeline::Waiting& waiting : plan.waiting) {
    fmt::print("waiting: {} {} {}\n", ToString(waiting.table),
               FormatTimestamp(waiting.window.start), waiting.reason);
  }
  for (const std::string& problem : plan.problems) {
    fmt::print("{}\n", problem);
  }
  return ExitCode::kDone;
}

}  // namespace strandline::cli
