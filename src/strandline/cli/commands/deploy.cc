#include <algorithm>

#include <fmt/format.h>

#include "strandline/base/hash.h"
#include "strandline/base/time_text.h"
#include "strandline/cli/commands/commands.h"
#include "strandline/pipeline/state/records.h"

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

// The first window that is not published yet.
Timestamp NextWindow(const PlannedTable& table) {
  Timestamp next{};
  for (const auto& [start, judgement] : table.windows) {
    const bool published = std::ranges::any_of(
        table.state->partitions, [start = start](const pipeline::PartitionState& partition) {
          return std::ranges::any_of(partition.marks, [start](const pipeline::UnitMark& mark) {
            return mark.unit == start;
          });
        });
    if (published) {
      next = start + LengthOf(table.model->window);
    }
  }
  return next;
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
  const std::vector<catalog::TableName> selected = SL_TRY(SelectTables(session.project(), scope));
  bool any = false;
  for (const PlannedTable& table : plan.tables) {
    const bool is_selected = std::ranges::find(selected, table.table) != selected.end();
    if (!table.logic_needs_deploy || !is_selected) {
      continue;
    }
    any = true;
    std::optional<Timestamp> starts = from;
    if (options.on_change == "forward") {
      starts = NextWindow(table);
    }
    const std::string effect = starts
                                   ? fmt::format("windows from {} on; older ones stay as they are",
                                                 FormatTimestamp(*starts))
                                   : std::string("all windows, which are restated by the next run");
    if (!options.dry_run) {
      SL_TRY(CommitDeployment(session, table, Deployed(table, starts)), "deploying {}",
             ToString(table.table));
    }
    fmt::print("{}: logic {} {} in force for {}\n", ToString(table.table),
               FingerprintText(*table.logic), options.dry_run ? "would be" : "is", effect);
  }
  if (!any) {
    fmt::print(
        "Nothing to deploy: every selected model's logic is in force already, or its table is not "
        "there yet.\n");
  }
  return ExitCode::kDone;
}

}  // namespace strandline::cli
