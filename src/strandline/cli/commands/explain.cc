#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/base/hash.h"
#include "strandline/base/time_text.h"
#include "strandline/cli/commands/commands.h"
#include "strandline/cli/output/unit_json.h"
#include "strandline/pipeline/plan/recorded.h"
#include "strandline/pipeline/state/bookkeeping.h"

namespace strandline::cli {
namespace {

using pipeline::Judgement;
using pipeline::PlannedTable;
using pipeline::PlannedUnit;

// What a person asks about a window, gathered once and shown as text or JSON.
struct Explanation {
  std::string table;
  std::string window;
  Judgement judgement;
  std::vector<std::string> lines;
};

std::string SummaryOr(const table::Snapshot& snapshot, const char* key, std::string_view fallback) {
  const auto found = snapshot.summary.find(key);
  return found == snapshot.summary.end() ? std::string(fallback) : found->second;
}

std::string SnapshotTime(const table::Snapshot& snapshot) {
  return FormatTimestamp(Timestamp(std::chrono::milliseconds(snapshot.timestamp_ms)));
}

// Who wrote version `digest` of a partition: versions are sequence numbers unless a table was
// rolled back or copied.
std::string WriterOf(const table::TableMetadata& metadata, std::string_view digest) {
  for (const table::Snapshot& snapshot : metadata.snapshots) {
    if (fmt::format("{}", snapshot.sequence_number) == digest) {
      const std::string run = SummaryOr(snapshot, "strandline.run-id", "");
      return fmt::format(", by {} at {}", run.empty() ? "another program" : "run " + run,
                         SnapshotTime(snapshot));
    }
  }
  return "";
}

// A member of what a summary holds, as text. Summaries may have been written by anyone: what is
// missing or of another kind is a question mark.
std::string TextOf(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) {
    return "?";
  }
  if (found->is_string()) {
    return found->get<std::string>();
  }
  return found->is_number_integer() ? found->dump() : "?";
}

// The verdicts of `strandline.checks`.
void DescribeChecks(const std::string& json, Explanation& explanation) {
  const nlohmann::json checks = nlohmann::json::parse(json, nullptr, false);
  if (!checks.is_array()) {
    return;
  }
  for (const nlohmann::json& check : checks) {
    if (check.is_object()) {
      explanation.lines.push_back(fmt::format(
          "check {} ({}): {}, {} of {} violating", TextOf(check, "id"), TextOf(check, "severity"),
          TextOf(check, "result"), TextOf(check, "violating"), TextOf(check, "checked")));
    }
  }
}

void DescribePublished(const table::Snapshot& snapshot, Explanation& explanation) {
  explanation.lines.push_back(fmt::format("published at {} in snapshot {} by run {}",
                                          SnapshotTime(snapshot), snapshot.id,
                                          SummaryOr(snapshot, "strandline.run-id", "unknown")));
  if (snapshot.summary.contains("strandline.rows-in")) {
    explanation.lines.push_back(
        fmt::format("{} rows in = {} published + {} duplicate + {} suppressed + {} quarantined",
                    SummaryOr(snapshot, "strandline.rows-in", "?"),
                    SummaryOr(snapshot, "strandline.rows-published", "?"),
                    SummaryOr(snapshot, "strandline.rows-duplicate", "?"),
                    SummaryOr(snapshot, "strandline.rows-suppressed", "?"),
                    SummaryOr(snapshot, "strandline.rows-quarantined", "?")));
  }
  DescribeChecks(SummaryOr(snapshot, "strandline.checks", "[]"), explanation);
}

// Every watched partition of every input: its version now, then, and who moved it.
void DescribeInputs(const pipeline::Plan& plan, const PlannedUnit* unit,
                    const table::Snapshot* published, Explanation& explanation) {
  if (unit == nullptr) {
    return;
  }
  const std::vector<pipeline::RecordedInput> recorded =
      published == nullptr ? std::vector<pipeline::RecordedInput>()
                           : pipeline::RecordedInputsOf(*published);
  for (const pipeline::InputDigest& input : unit->inputs) {
    const auto table = std::ranges::find_if(plan.tables, [&input](const PlannedTable& other) {
      return ToString(other.table) == input.table;
    });
    const auto then = std::ranges::find(recorded, input.table, &pipeline::RecordedInput::table);
    for (const pipeline::PartitionDigest& partition : input.partitions) {
      const std::string name = pipeline::ShortPartition(partition.partition);
      std::string before = "none";
      if (then != recorded.end()) {
        const auto old =
            std::ranges::find(then->partitions, name, &pipeline::PartitionDigest::partition);
        before = old == then->partitions.end() ? "none" : old->digest;
      }
      const bool moved = published != nullptr && before != partition.digest;
      std::string line =
          fmt::format("reads {} {}: version {}", input.table, name, partition.digest);
      if (moved) {
        line += fmt::format(", was {} when it was published", before);
      }
      if (moved && table != plan.tables.end() && table->state) {
        line += WriterOf(*table->state->table.metadata, partition.digest);
      }
      explanation.lines.push_back(std::move(line));
    }
  }
}

// Why rows of a landing unit are not in the table.
Status DescribeQuarantine(Session& session, const catalog::TableName& table, const Interval& window,
                          Explanation& explanation) {
  catalog::Catalog* catalog = SL_TRY(session.OpenCatalog());
  const catalog::TableName name = pipeline::QuarantineTable(table);
  if (!catalog->LoadTable(name)) {
    return {};
  }
  const std::int64_t seconds =
      std::chrono::floor<std::chrono::seconds>(window.start.time_since_epoch()).count();
  const std::vector<std::vector<std::string>> rows = SL_TRY(
      QueryTexts(session, fmt::format("select reason, coalesce(\"column\", ''), count(*), min(file "
                                      "|| ' at ' || position) from {} where "
                                      "_strand_unit = {} group by 1, 2 order by 3 desc, 1, 2",
                                      ToString(name), seconds)));
  for (const std::vector<std::string>& row : rows) {
    explanation.lines.push_back(
        fmt::format("quarantined: {} {}, {}{}, first in {}", row[2], row[2] == "1" ? "row" : "rows",
                    row[0], row[1].empty() ? "" : fmt::format(" (column {})", row[1]), row[3]));
  }
  return {};
}

}  // namespace

Result<ExitCode> RunExplain(Session& session, const std::string& table_text,
                            const std::string& window_text) {
  const catalog::TableName name = SL_TRY(catalog::ParseTableName(table_text));
  const project::Source* source = FindSource(session.project(), name);
  const project::Model* model = FindModel(session.project(), name);
  if (source == nullptr && model == nullptr) {
    return MakeError(ErrorKind::kNotFound, "no source or model of the project makes table {}",
                     table_text);
  }
  const project::Unit length = source != nullptr ? source->unit : model->window;
  const Timestamp start = WindowStart(length, SL_TRY(ParseTimestamp(window_text)));
  const Interval window{start, start + LengthOf(length)};

  pipeline::PlanScope scope;
  scope.select = {ToString(name)};
  scope.interval = window;
  const pipeline::Plan plan = SL_TRY(session.MakePlan(scope));
  const auto planned = std::ranges::find(plan.tables, name, &PlannedTable::table);
  SL_CHECK(planned != plan.tables.end());
  Explanation explanation{
      .table = ToString(name), .window = FormatTimestamp(start), .judgement = {}, .lines = {}};
  const auto found = planned->windows.find(start);
  if (found == planned->windows.end()) {
    explanation.judgement = {pipeline::UnitStatus::kWaiting,
                             "it is before the source's start, or nothing of it has landed"};
  } else {
    explanation.judgement = found->second;
  }
  const table::Snapshot* published =
      planned->state ? pipeline::PublishingSnapshot(*planned->state->table.metadata, start)
                     : nullptr;
  if (published != nullptr) {
    DescribePublished(*published, explanation);
  } else if (planned->state && planned->state->empty_records.contains(start)) {
    explanation.lines.push_back(fmt::format(
        "recorded as empty: {}", EmptyRecordJson(planned->state->empty_records.at(start))));
  } else if (explanation.judgement.status == pipeline::UnitStatus::kFresh) {
    explanation.lines.emplace_back("published; the snapshot with its details has expired");
  }
  const auto unit = std::ranges::find_if(plan.units, [&](const PlannedUnit& other) {
    return other.table == name && other.window == window;
  });
  DescribeInputs(plan, unit == plan.units.end() ? nullptr : &*unit, published, explanation);
  if (source != nullptr) {
    SL_TRY(DescribeQuarantine(session, name, window, explanation));
  }

  if (session.options().output == OutputFormat::kJson) {
    PrintJson({{"version", 1},
               {"command", "explain"},
               {"table", explanation.table},
               {"window", explanation.window},
               {"state", pipeline::ToString(explanation.judgement.status)},
               {"reason", explanation.judgement.reason},
               {"details", explanation.lines}});
    return ExitCode::kDone;
  }
  fmt::print("{} {} is {}{}\n", explanation.table, explanation.window,
             pipeline::ToString(explanation.judgement.status),
             explanation.judgement.reason.empty() ? "" : ": " + explanation.judgement.reason);
  for (const std::string& line : explanation.lines) {
    fmt::print("    {}\n", line);
  }
  return ExitCode::kDone;
}

}  // namespace strandline::cli
