#include "strandline/pipeline/publish/publish.h"

#include <algorithm>

#include <fmt/format.h>

#include "strandline/base/ignore_error.h"
#include "strandline/pipeline/state/records.h"

namespace strandline::pipeline {
namespace {

using table::TableMetadata;

constexpr std::size_t kSummaryBytesMax = 8192;

std::int64_t MillisecondsOf(Timestamp time) {
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

bool HasFiles(const table::SnapshotChange& change) {
  return !change.added.empty() || !change.removed.empty();
}

// Updates that come before the snapshot: the table itself, and the columns it gains.
std::vector<table::Update> UpdatesBeforeSnapshot(const PreparedChange& change) {
  std::vector<table::Update> updates;
  if (!change.base) {
    updates = CreateTable(*change.creation).updates;
  }
  if (change.new_schema) {
    updates.emplace_back(table::AddSchema{*change.new_schema});
    updates.emplace_back(table::SetCurrentSchema{});
  }
  return updates;
}

// What the commit relies on (rule 28): the table is the one the plan saw, in the state it saw.
std::vector<table::Requirement> RequirementsOf(const PreparedChange& change) {
  if (!change.base) {
    return {table::AssertCreate{}};
  }
  const TableMetadata& base = *change.base->metadata;
  const table::Snapshot* head = CurrentSnapshot(base);
  return {table::AssertUuid{base.table_uuid},
          table::AssertRefSnapshotId{
              std::string(table::kMainBranch),
              head == nullptr ? std::nullopt : std::optional<table::SnapshotId>(head->id)},
          table::AssertCurrentSchemaId{base.current_schema_id},
          table::AssertDefaultSpecId{base.default_spec_id}};
}

// Builds one table's part of the transaction; manifests are written here. `attempt_files` collects
// them.
Result<catalog::TableCommit> BuildCommit(const RunContext& context, const PreparedChange& change,
                                         std::vector<std::string>& attempt_files) {
  catalog::TableCommit commit{change.table, {}};
  commit.request.requirements = RequirementsOf(change);
  commit.request.updates = UpdatesBeforeSnapshot(change);
  if (HasFiles(change.change)) {
    const auto base = SL_TRY(MetadataToBe(change, context.clock.Now()));
    PassPoint(context, "in a manifest");
    table::PreparedSnapshot snapshot =
        SL_TRY(PrepareSnapshot(*base, change.change, context.io, context.clock, context.rng));
    attempt_files.insert(attempt_files.end(), snapshot.written_files.begin(),
                         snapshot.written_files.end());
    std::ranges::move(snapshot.request.updates, std::back_inserter(commit.request.updates));
  }
  if (!change.set_properties.empty()) {
    commit.request.updates.emplace_back(table::SetProperties{change.set_properties});
  }
  if (!change.remove_properties.empty()) {
    commit.request.updates.emplace_back(table::RemoveProperties{change.remove_properties});
  }
  return commit;
}

Status CheckBase(const PreparedChange& change, const std::optional<catalog::LoadedTable>& now) {
  const bool same = now.has_value() == change.base.has_value() &&
                    (!now || now->metadata_location == change.base->metadata_location);
  if (!same) {
    return MakeError(ErrorKind::kConflict, "another writer changed {} since it was planned",
                     ToString(change.table));
  }
  return {};
}

void AddCounts(std::map<std::string, std::string>& summary, const IngestCounts& counts) {
  const auto add = [&summary](const char* key, std::int64_t value) {
    summary[fmt::format("strandline.{}", key)] = fmt::format("{}", value);
  };
  add("rows-in", counts.rows_in);
  add("rows-published", counts.rows_published);
  add("rows-duplicate", counts.rows_duplicate);
  add("rows-conflicting", counts.rows_conflicting);
  add("rows-suppressed", counts.rows_suppressed);
  add("rows-quarantined", counts.rows_quarantined);
  add("keys-asked", counts.keys_asked);
  add("filter-hits", counts.filter_hits);
  add("filter-false-positives", counts.false_positives);
  add("verify-bytes", counts.verify_bytes);
}

std::size_t BytesOf(const std::map<std::string, std::string>& summary) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : summary) {
    bytes += key.size() + value.size();
  }
  return bytes;
}

}  // namespace

Result<std::shared_ptr<const TableMetadata>> MetadataToBe(const PreparedChange& change,
                                                          Timestamp now) {
  const TableMetadata* base = change.base ? change.base->metadata.get() : nullptr;
  const std::vector<table::Update> updates = UpdatesBeforeSnapshot(change);
  if (updates.empty()) {
    return change.base->metadata;
  }
  TableMetadata metadata = SL_TRY(ApplyUpdates(base, updates, MillisecondsOf(now)),
                                  "preparing table {}", ToString(change.table));
  return std::make_shared<const TableMetadata>(std::move(metadata));
}

std::map<std::string, std::string> SummaryOf(const PublishRecord& record, const RunContext& context,
                                             std::string_view publish_id) {
  std::map<std::string, std::string> summary = {
      {"strandline.run-id", context.run_id},
      {"strandline.version", STRANDLINE_VERSION},
      {"strandline.engine", context.engine.name()},
      {"strandline.publish-id", std::string(publish_id)},
      {"strandline.seconds",
       fmt::format("{:.1f}", static_cast<double>(record.seconds.count()) / 1000.0)},
      {"strandline.units", RecordedUnitsJson(record.units)},
      {"strandline.checks", record.checks},
  };
  if (!record.inputs.empty()) {
    summary["strandline.inputs"] = RecordedInputsJson(record.inputs);
  }
  if (record.files) {
    summary["strandline.files"] = *record.files;
  }
  if (record.counts) {
    AddCounts(summary, *record.counts);
  }
  for (const char* key : {"strandline.inputs", "strandline.files", "strandline.checks"}) {
    if (BytesOf(summary) > kSummaryBytesMax && summary.erase(key) > 0) {
      summary[fmt::format("{}-left-out", key)] = "true";
    }
  }
  return summary;
}

void DiscardFiles(io::FileIo& io, const std::vector<std::string>& locations) {
  for (const std::string& location : locations) {
    IgnoreError(io.Delete(location), "nothing names it; orphan cleanup takes what is left");
  }
}

void DropOldRecords(Timestamp horizon, PreparedChange& change) {
  if (!change.base) {
    return;
  }
  for (std::string& key : EmptyRecordsBefore(*change.base->metadata, horizon)) {
    const bool is_taken =
        change.set_properties.contains(key) ||
        std::ranges::find(change.remove_properties, key) != change.remove_properties.end();
    if (!is_taken) {
      change.remove_properties.push_back(std::move(key));
    }
  }
}

Result<std::vector<catalog::LoadedTable>> Publish(const RunContext& context,
                                                  const std::vector<PreparedChange>& changes) {
  std::vector<catalog::TableName> names;
  for (const PreparedChange& change : changes) {
    names.push_back(change.table);
  }
  std::vector<std::string> attempt_files;
  const auto propose =
      [&](const catalog::Bases& bases) -> Result<std::vector<catalog::TableCommit>> {
    std::vector<catalog::TableCommit> commits;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      SL_TRY(CheckBase(changes[i], bases[i]));
      commits.push_back(SL_TRY(BuildCommit(context, changes[i], attempt_files)));
    }
    return commits;
  };
  // One try: what must be done after a conflict is a new plan, not the same commit again.
  const RetryPolicy once{.attempts_max = 1};
  Result<catalog::CommitOutcome> outcome =
      Commit(context.catalog, names, propose, once, context.rng);
  if (!outcome) {
    if (outcome.error().kind != ErrorKind::kCommitUnknown) {
      DiscardFiles(context.io, attempt_files);
      for (const PreparedChange& change : changes) {
        DiscardFiles(context.io, change.written_files);
      }
    }
    return std::move(outcome).error();
  }
  return std::move(outcome->tables);
}

}  // namespace strandline::pipeline
