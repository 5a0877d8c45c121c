#include "strandline/pipeline/state/table_state.h"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "strandline/base/time_text.h"
#include "strandline/pipeline/state/bookkeeping_ids.h"
#include "strandline/pipeline/state/unit_marks.h"

namespace strandline::pipeline {
namespace {

using table::TransformKind;

bool DividesTime(TransformKind kind) {
  return kind == TransformKind::kHour || kind == TransformKind::kDay ||
         kind == TransformKind::kMonth || kind == TransformKind::kYear;
}

// The start of the period that is `ordinal` hours, days, months or years after 1970 began.
Timestamp PeriodStart(TransformKind kind, std::int64_t ordinal) {
  using std::chrono::days;
  using std::chrono::hours;
  constexpr std::int64_t kMonths = 12;
  switch (kind) {
    case TransformKind::kHour:
      return Timestamp(hours(ordinal));
    case TransformKind::kDay:
      return Timestamp(days(ordinal));
    case TransformKind::kMonth: {
      const std::int64_t year = 1970 + (ordinal >= 0 ? ordinal : ordinal - kMonths + 1) / kMonths;
      const auto month = static_cast<unsigned>(ordinal - (year - 1970) * kMonths + 1);
      return Timestamp(std::chrono::sys_days(std::chrono::year(static_cast<int>(year)) /
                                             std::chrono::month(month) / std::chrono::day(1)));
    }
    default:
      return Timestamp(std::chrono::sys_days(std::chrono::year(static_cast<int>(1970 + ordinal)) /
                                             std::chrono::January / std::chrono::day(1)));
  }
}

// Snapshots of others that changed content, newest first (rule 4).
std::vector<const table::Snapshot*> ForeignSnapshots(const table::TableMetadata& metadata) {
  std::vector<const table::Snapshot*> foreign;
  const table::Snapshot* current = CurrentSnapshot(metadata);
  if (current == nullptr) {
    return foreign;
  }
  for (const table::Snapshot* snapshot : Ancestors(metadata, current->id)) {
    if (!snapshot->summary.contains("strandline.run-id") &&
        OperationOf(*snapshot) != table::Operation::kReplace) {
      foreign.push_back(snapshot);
    }
  }
  return foreign;
}

// What is being gathered of one partition.
struct Gathering {
  PartitionState state;
  std::vector<std::string> paths;
  bool live = false;
};

using Partitions = std::map<std::string, Gathering>;

constexpr Interval kAllTime{Timestamp::min(), Timestamp::max()};

// The times a partition can hold, by column.
std::map<table::FieldId, Interval> TimesOf(const table::PartitionSpec& spec,
                                           const table::PartitionTuple& tuple) {
  std::map<table::FieldId, Interval> times;
  for (const table::PartitionField& field : spec.fields) {
    if (const auto interval = IntervalOfPartition(spec, tuple, field.source_id)) {
      times[field.source_id] = *interval;
    }
  }
  return times;
}

// The newest foreign change of each partition, by path.
Result<std::map<std::string, ForeignChange>> ReadForeignChanges(
    const table::TableMetadata& metadata, std::optional<table::FieldId> time, io::FileIo& io) {
  std::map<std::string, ForeignChange> changes;
  const table::Schema& schema = CurrentSchema(metadata);
  const table::ManifestReadOptions options{.bounds = false, .column_sizes = false, .columns = {}};
  for (const table::Snapshot* snapshot : ForeignSnapshots(metadata)) {
    for (const table::ManifestFile& manifest : SL_TRY(ReadManifestList(io, *snapshot))) {
      if (manifest.added_snapshot_id != snapshot->id) {
        continue;
      }
      const table::PartitionSpec* spec = FindSpec(metadata, manifest.partition_spec_id);
      if (spec == nullptr) {
        continue;  // ReadManifest below says so with the file's name.
      }
      SL_TRY(ReadManifest(
          io, metadata, manifest, options, [&](table::ManifestEntry&& entry) -> Result<bool> {
            if (entry.snapshot_id == snapshot->id &&
                entry.status != table::EntryStatus::kExisting) {
              const std::optional<Interval> interval =
                  time ? IntervalOfPartition(*spec, entry.file.partition, *time) : std::nullopt;
              changes.try_emplace(
                  PartitionPath(*spec, schema, entry.file.partition),
                  ForeignChange{.snapshot = snapshot->id,
                                .sequence_number = snapshot->sequence_number.value(),
                                .interval = interval.value_or(kAllTime)});
            }
            return true;
          }));
    }
  }
  return changes;
}

// Adds what one data file says; opens it only where its bounds prove nothing.
Status AddFile(const table::ScanTask& task, const table::TableMetadata& metadata,
               const BookkeepingIds& ids, Gathering& gathering, io::FileIo& io) {
  PartitionState& state = gathering.state;
  gathering.paths.push_back(task.file.file_path);
  for (const table::DataFile& deletes : task.deletes) {
    gathering.paths.push_back(deletes.file_path);
  }
  state.rows += task.file.record_count;
  state.bytes += task.file.file_size_bytes;
  if (!ids.seq) {
    gathering.live = gathering.live || task.file.record_count > 0;
    return {};
  }
  std::optional<FileMarks> marks = MarksFromBounds(task, ids);
  if (!marks) {
    marks = SL_TRY(MarksFromRows(task, metadata, ids, io));
  }
  if (!marks->live) {
    return {};
  }
  gathering.live = true;
  state.has_unmarked_rows = state.has_unmarked_rows || marks->has_unmarked_rows;
  for (const UnitMark& mark : marks->marks) {
    const auto same = std::ranges::find_if(state.marks, [&mark](const UnitMark& other) {
      return other.unit == mark.unit && other.stamp == mark.stamp && other.logic == mark.logic;
    });
    if (same == state.marks.end()) {
      state.marks.push_back(mark);
    } else {
      same->seq_max = std::max(same->seq_max, mark.seq_max);
    }
  }
  // Rule 4: the upper bound alone counts; a dead row can only keep it too high.
  if (const std::string* upper = FindBound(task.file.upper_bounds, *ids.seq)) {
    const Result<table::Value> value =
        DeserializeValue(table::PrimitiveType(table::TypeId::kLong), *upper);
    if (value && std::holds_alternative<std::int64_t>(*value)) {
      state.version = std::max(state.version, std::get<std::int64_t>(*value));
    }
  }
  return {};
}

}  // namespace

Interval PartitionState::TimesOf(std::optional<table::FieldId> column) const {
  const auto found = column ? times.find(*column) : times.end();
  return found == times.end() ? kAllTime : found->second;
}

std::optional<table::FieldId> TimePartitionColumn(const table::TableMetadata& metadata) {
  for (const table::PartitionField& field : DefaultSpec(metadata).fields) {
    if (DividesTime(field.transform.kind) &&
        FindField(CurrentSchema(metadata), field.source_id) != nullptr) {
      return field.source_id;
    }
  }
  return std::nullopt;
}

std::optional<Interval> IntervalOfPartition(const table::PartitionSpec& spec,
                                            const table::PartitionTuple& tuple,
                                            table::FieldId column) {
  std::optional<Interval> interval;
  for (std::size_t i = 0; i < spec.fields.size() && i < tuple.size(); ++i) {
    const TransformKind kind = spec.fields[i].transform.kind;
    const std::int32_t* ordinal = std::get_if<std::int32_t>(&tuple[i]);
    if (spec.fields[i].source_id != column || !DividesTime(kind) || ordinal == nullptr) {
      continue;
    }
    const Interval period{PeriodStart(kind, *ordinal),
                          PeriodStart(kind, std::int64_t{*ordinal} + 1)};
    interval = interval ? Interval{std::max(interval->start, period.start),
                                   std::min(interval->end, period.end)}
                        : period;
  }
  return interval;
}

table::Expression TimeFilter(const table::NestedField& column, const Interval& interval) {
  const auto between = [&column](const table::Value& start, const table::Value& end) {
    return table::And(
        {table::Predicate(table::ExpressionKind::kGreaterOrEqual, column.name, {start}),
         table::Predicate(table::ExpressionKind::kLess, column.name, {end})});
  };
  const auto since_epoch = [](auto time) { return time.time_since_epoch().count(); };
  switch (column.type.id) {
    case table::TypeId::kDate: {
      using std::chrono::days;
      return between(
          static_cast<std::int32_t>(since_epoch(std::chrono::floor<days>(interval.start))),
          static_cast<std::int32_t>(since_epoch(std::chrono::ceil<days>(interval.end))));
    }
    case table::TypeId::kTimestamp:
    case table::TypeId::kTimestamptz:
      return between(since_epoch(interval.start), since_epoch(interval.end));
    default:
      return {};
  }
}

Result<TableState> ReadTableState(const catalog::LoadedTable& table,
                                  std::optional<table::FieldId> time,
                                  const std::optional<Interval>& interval, io::FileIo& io) {
  const table::TableMetadata& metadata = *table.metadata;
  const table::Schema& schema = CurrentSchema(metadata);
  const BookkeepingIds ids = FindBookkeeping(schema);

  TableState state;
  state.table = table;
  state.time = time;
  state.ours = ids.seq.has_value();
  state.empty_records = EmptyRecordsOf(metadata);
  state.reopened = ReopenedUnitsOf(metadata);
  if (const auto deployed = metadata.properties.find(std::string(kDeployedKey));
      deployed != metadata.properties.end()) {
    state.deployed = SL_TRY(ParseDeployed(deployed->second), "table {}", ToString(table.name));
  }

  table::ScanRequest request;
  request.metric_columns = ids.present();
  request.metrics = !request.metric_columns.empty();
  request.whole_partitions = true;
  const table::NestedField* column = time ? FindField(schema, *time) : nullptr;
  if (interval && column != nullptr) {
    request.filter = TimeFilter(*column, *interval);
  }
  const table::ScanPlan plan =
      SL_TRY(PlanScan(metadata, request, io), "table {}", ToString(table.name));

  Partitions partitions;
  for (const table::ScanTask& task : plan.tasks) {
    const table::PartitionSpec* spec = FindSpec(metadata, task.spec_id);
    SL_CHECK(spec != nullptr);  // PlanScan refuses manifests of unknown specs.
    Gathering& gathering = partitions[PartitionPath(*spec, schema, task.file.partition)];
    if (gathering.paths.empty()) {
      gathering.state.times = TimesOf(*spec, task.file.partition);
    }
    SL_TRY(AddFile(task, metadata, ids, gathering, io), "table {}", ToString(table.name));
  }
  if (state.ours) {
    for (auto& [path, change] :
         SL_TRY(ReadForeignChanges(metadata, time, io), "table {}", ToString(table.name))) {
      if (const auto found = partitions.find(path); found != partitions.end()) {
        std::int64_t& version = found->second.state.version;
        version = std::max(version, change.sequence_number);
      }
      state.foreign_changes.push_back(change);
    }
  }
  for (auto& [path, gathering] : partitions) {
    if (!gathering.live) {
      continue;  // Rule 5: partitions without live rows have version 0 and are left out.
    }
    gathering.state.path = path;
    gathering.state.digest = state.ours ? fmt::format("{}", gathering.state.version)
                                        : DigestOfFiles(std::move(gathering.paths));
    state.partitions.push_back(std::move(gathering.state));
  }
  return state;
}

Result<std::optional<Timestamp>> NewestPartitionEnd(const catalog::LoadedTable& table,
                                                    table::FieldId column, io::FileIo& io) {
  const table::TableMetadata& metadata = *table.metadata;
  const table::Snapshot* current = CurrentSnapshot(metadata);
  std::optional<Timestamp> newest;
  if (current == nullptr) {
    return newest;
  }
  for (const table::ManifestFile& manifest :
       SL_TRY(ReadManifestList(io, *current), "table {}", ToString(table.name))) {
    const table::PartitionSpec* spec = FindSpec(metadata, manifest.partition_spec_id);
    const bool only_deleted = manifest.added_files_count == 0 && manifest.existing_files_count == 0;
    if (spec == nullptr || only_deleted || manifest.content != table::ManifestContent::kData) {
      continue;
    }
    for (std::size_t i = 0; i < spec->fields.size() && i < manifest.partitions.size(); ++i) {
      const TransformKind kind = spec->fields[i].transform.kind;
      const std::optional<std::string>& upper = manifest.partitions[i].upper_bound;
      if (spec->fields[i].source_id != column || !DividesTime(kind) || !upper) {
        continue;
      }
      const Result<table::Value> value =
          DeserializeValue(table::PrimitiveType(table::TypeId::kInt), *upper);
      if (value && std::holds_alternative<std::int32_t>(*value)) {
        const Timestamp end = PeriodStart(kind, std::int64_t{std::get<std::int32_t>(*value)} + 1);
        newest = newest ? std::max(*newest, end) : end;
      }
    }
  }
  return newest;
}

}  // namespace strandline::pipeline
