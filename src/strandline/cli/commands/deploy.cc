#include <algorithm>

#include <fmt/format.h>

#include "strandline/base/hash.h"
#include "strandline/base/time_text.h"
#include "strandline/cli/commands/commands.h"
#include "strandline/pipeline/state/records.h"
#include "strandline/pipeline/state/table_state.h"

namespace strandline::cli {
namespace {

using pipeline::DeployedLogic;
using pipeline::PlannedTable;

// The list of deployed logics once the code at hand is in force as asked (STATE.md rule 8).
std::vector<DeployedLogic> Deployed(const PlannedTable& table,
                                    const std::optional<Timestamp>& from) {
  std::vector<DeployedLogic> entries;
  if (from) {
    entries = table.state->deployed;
    // What was to take effect later is replaced: the newest word counts.
    std::erase_if(entries, [&from](const DeployedLogic& entry) {
      return entry.from && *entry.from >= *from;
    });
  }
  entries.push_back({.logic = *table.logic, .from = from});
  return entries;
}

// The first window after everything that is published, rows or not; absent when nothing is. Looks
// at the whole table (metadata only): what is published may end before the plan's range begins.
Result<std::optional<Timestamp>> NextWindow(Session& session, const PlannedTable& table) {
  const pipeline::TableState state = SL_TRY(
      pipeline::ReadTableState(table.state->table, table.state->time, std::nullopt, session.io()));
  std::optional<Timestamp> newest;
  if (!state.empty_records.empty()) {
    newest = state.empty_records.rbegin()->first;
  }
  for (const pipeline::PartitionState& partition : state.partitions) {
    for (const pipeline::UnitMark& mark : partition.marks) {
      newest = std::max(newest, std::optional(mark.unit));
    }
  }
  if (newest) {
    *newest += LengthOf(table.model->window);
  }
  return newest;
}

// What becomes of windows that are published already, under a logic in force from `from` on
// (absent: for all time). `all` is the table however far back, `table` within the horizon.
std::string RestatedText(const PlannedTable& table, const PlannedTable& all,
                         const std::optional<Timestamp>& from) {
  if (table.windows.empty()) {
    return "";
  }
  const Timestamp horizon = std::max(table.windows.begin()->first, table.horizon);
  const Timestamp oldest = std::max(all.windows.begin()->first, from.value_or(Timestamp::min()));
  std::string text = fmt::format("    The next run restates the windows from {} on.\n",
                                 FormatTimestamp(std::max(horizon, oldest)));
  if (oldest < horizon) {
    text += fmt::format("    Older ones: strandline run --select {} --start {} --end {}\n",
                        ToString(table.table), FormatTimestamp(oldest), FormatTimestamp(horizon));
  }
  return text;
}

Status CommitDeployment(Session& session, const PlannedTable& table,
                        const std::vector<DeployedLogic>& entries) {
  catalog::Catalog* catalog = SL_TRY(session.OpenCatalog());
  const catalog::LoadedTable& base = table.state->table;
  const auto propose =
      [&](const catalog::Bases& bases) -> Result<std::vector<catalog::TableCommit>> {
    if (!bases.front() || bases.front()->metadata->properties != base.metadata->properties) {
      return MakeError(ErrorKind::kConflict,
                       "the properties of {} were changed meanwhile; nothing was deployed",
                       ToString(table.table));
    }
    table::CommitRequest request;
    request.requirements.emplace_back(table::AssertUuid{base.metadata->table_uuid});
    request.updates.emplace_back(table::SetProperties{
        {{std::string(pipeline::kDeployedKey), pipeline::DeployedJson(entries)}}});
    return std::vector<catalog::TableCommit>{{table.table, std::move(request)}};
  };
  const RetryPolicy policy = SL_TRY(RetryPolicyOf(*base.metadata));
  SL_TRY(Commit(*catalog, {table.table}, propose, policy, session.rng()));
  return {};
}

}  // namespace

Result<ExitCode> RunDeploy(Session& session, const DeployOptions& options) {
  std::optional<Timestamp> from;
  if (!options.from.empty()) {
    from = SL_TRY(ParseTimestamp(options.from), "--from");
  }
  pipeline::PlanScope scope;
  scope.select = options.select;
  const pipeline::Plan plan = SL_TRY(session.MakePlan(scope));
  scope.beyond_horizon = true;
  const pipeline::Plan all = SL_TRY(session.MakePlan(scope));
  const std::vector<catalog::TableName> selected = SL_TRY(SelectTables(session.project(), scope));
  const bool forward = options.on_change == "forward";
  bool any = false;
  for (const PlannedTable& table : plan.tables) {
    const bool is_selected = std::ranges::find(selected, table.table) != selected.end();
    if (!is_selected || !table.logic || !table.state) {
      continue;
    }
    // The same code may be in force for some windows only: asked to restate, for all of them.
    const bool reaches_further = !forward && Deployed(table, from) != table.state->deployed;
    if (!table.logic_needs_deploy && !reaches_further) {
      continue;
    }
    any = true;
    const std::optional<Timestamp> starts =
        forward ? SL_TRY(NextWindow(session, table), "reading {}", ToString(table.table)) : from;
    if (!options.dry_run) {
      SL_TRY(CommitDeployment(session, table, Deployed(table, starts)), "deploying {}",
             ToString(table.table));
    }
    fmt::print("{}: logic {} {} in force for {}\n", ToString(table.table),
               FingerprintText(*table.logic), options.dry_run ? "would be" : "is",
               starts ? fmt::format("windows from {} on; older ones stay as they are",
                                    FormatTimestamp(*starts))
                      : "all windows");
    const auto same = std::ranges::find(all.tables, table.table, &PlannedTable::table);
    if (!forward && same != all.tables.end()) {
      fmt::print("{}", RestatedText(table, *same, starts));
    }
  }
  if (!any) {
    fmt::print(
        "Nothing to deploy: every selected model's logic is in force already, or its table is not "
        "there yet.\n");
  }
  return ExitCode::kDone;
}

}  // namespace strandline::cli
