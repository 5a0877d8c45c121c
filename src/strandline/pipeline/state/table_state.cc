#include "strandline/pipeline/state/table_state.h"

#include <algorithm>
#include <set>

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

// Raises the version of each partition that a foreign snapshot touched, and notes the newest one.
Status NoteForeignChanges(const table::TableMetadata& metadata, Partitions& partitions,
                          io::FileIo& io) {
  const table::Schema& schema = CurrentSchema(metadata);
  const table::ManifestReadOptions options{.bounds = false, .column_sizes = false, .columns = {}};
  for (const table::Snapshot* snapshot : ForeignSnapshots(metadata)) {
    std::set<std::string> touched;
    for (const table::ManifestFile& manifest : SL_TRY(ReadManifestList(io, *snapshot))) {
      if (manifest.added_snapshot_id != snapshot->id) {
        continue;
      }
      const table::PartitionSpec* spec = FindSpec(metadata, manifest.partition_spec_id);
      if (spec == nullptr) {
        continue;  // ReadManifest below says so with the file's name.
      }
      SL_TRY(ReadManifest(io, metadata, manifest, options,
                          [&](table::ManifestEntry&& entry) -> Result<bool> {
                            if (entry.snapshot_id == snapshot->id &&
                                entry.status != table::EntryStatus::kExisting) {
                              touched.insert(PartitionPath(*spec, schema, entry.file.partition));
                            }
                            return true;
                          }));
    }
    for (const std::string& path : touched) {
      const auto found = partitions.find(path);
      if (found == partitions.end()) {
        continue;
      }
      PartitionState& state = found->second.state;
      const std::int64_t number = snapshot->sequence_number.value();
      state.version = std::max(state.version, number);
      if (!state.foreign || state.foreign->sequence_number < number) {
        state.foreign = ForeignChange{snapshot->id, number};
      }
    }
  }
  return {};
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

std::optional<TimePartition> TimePartitionOf(const table::TableMetadata& metadata) {
  for (const table::PartitionField& field : DefaultSpec(metadata).fields) {
    const table::NestedField* source = FindField(CurrentSchema(metadata), field.source_id);
    if (source != nullptr && DividesTime(field.transform.kind)) {
      return TimePartition{.column = source->name, .transform = field.transform.kind};
    }
  }
  return std::nullopt;
}

std::optional<Interval> IntervalOfPartition(const table::PartitionSpec& spec,
                                            const table::PartitionTuple& tuple) {
  for (std::size_t i = 0; i < spec.fields.size() && i < tuple.size(); ++i) {
    const TransformKind kind = spec.fields[i].transform.kind;
    const std::int32_t* ordinal = std::get_if<std::int32_t>(&tuple[i]);
    if (DividesTime(kind) && ordinal != nullptr) {
      return Interval{PeriodStart(kind, *ordinal), PeriodStart(kind, std::int64_t{*ordinal} + 1)};
    }
  }
  return std::nullopt;
}

table::Expression TimeFilter(const std::string& column, const Interval& interval) {
  const std::int64_t start = interval.start.time_since_epoch().count();
  const std::int64_t end = interval.end.time_since_epoch().count();
  return table::And({table::Predicate(table::ExpressionKind::kGreaterOrEqual, column, {start}),
                     table::Predicate(table::ExpressionKind::kLess, column, {end})});
}

Result<TableState> ReadTableState(const catalog::LoadedTable& table,
                                  const std::optional<Interval>& interval, io::FileIo& io) {
  const table::TableMetadata& metadata = *table.metadata;
  const table::Schema& schema = CurrentSchema(metadata);
  const BookkeepingIds ids = FindBookkeeping(schema);
  const std::optional<TimePartition> time = TimePartitionOf(metadata);

  TableState state;
  state.table = table;
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
  if (interval && time) {
    request.filter = TimeFilter(time->column, *interval);
  }
  const table::ScanPlan plan =
      SL_TRY(PlanScan(metadata, request, io), "table {}", ToString(table.name));

  Partitions partitions;
  for (const table::ScanTask& task : plan.tasks) {
    const table::PartitionSpec* spec = FindSpec(metadata, task.spec_id);
    SL_CHECK(spec != nullptr);  // PlanScan refuses manifests of unknown specs.
    Gathering& gathering = partitions[PartitionPath(*spec, schema, task.file.partition)];
    if (gathering.paths.empty()) {
      constexpr Interval kAllTime{Timestamp::min(), Timestamp::max()};
      gathering.state.interval = IntervalOfPartition(*spec, task.file.partition).value_or(kAllTime);
    }
    SL_TRY(AddFile(task, metadata, ids, gathering, io), "table {}", ToString(table.name));
  }
  if (state.ours) {
    SL_TRY(NoteForeignChanges(metadata, partitions, io), "table {}", ToString(table.name));
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
                                                    io::FileIo& io) {
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
      if (!DividesTime(kind) || !upper) {
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
