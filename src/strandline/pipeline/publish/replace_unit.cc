#include "strandline/pipeline/publish/replace_unit.h"

#include <map>

#include <arrow/api.h>

#include "strandline/base/uuid.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/pipeline/state/unit_marks.h"
#include "strandline/table/deletes/position_deletes.h"
#include "strandline/table/read/scan_reader.h"

namespace strandline::pipeline {
namespace {

// The live rows of one file, told apart by unit.
struct FileRows {
  std::vector<std::int64_t> of_unit;  // Positions.
  std::int64_t of_others = 0;
};

Result<FileRows> ReadRows(const table::ScanTask& task, const table::TableMetadata& metadata,
                          std::int64_t unit_seconds, io::FileIo& io) {
  table::ScanReadOptions options;
  options.columns = {std::string(kUnitColumn)};
  options.with_positions = true;
  auto stream =
      table::ReadAll(SL_TRY(OpenScan(io, metadata, CurrentSchema(metadata), {task}, options)));
  FileRows rows;
  while (true) {
    const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
    if (batch == nullptr) {
      return rows;
    }
    const auto& units = static_cast<const arrow::Int64Array&>(*batch->column(0));
    const auto& positions = static_cast<const arrow::Int64Array&>(*batch->GetColumnByName("_pos"));
    for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
      if (units.IsValid(row) && units.Value(row) == unit_seconds) {
        rows.of_unit.push_back(positions.Value(row));
      } else {
        ++rows.of_others;
      }
    }
  }
}

// What position deletes are written for, by the spec and partition of their data files.
struct PartitionDeletes {
  table::PartitionTuple partition;
  table::DeletedPositions positions;
};

}  // namespace

Result<UnitReplacement> ReplaceUnit(const table::TableMetadata& metadata, const Interval& window,
                                    io::FileIo& io, Rng& rng) {
  UnitReplacement replacement;
  const BookkeepingIds ids = FindBookkeeping(CurrentSchema(metadata));
  if (!ids.unit) {
    return replacement;
  }
  table::ScanRequest request;
  request.metric_columns = ids.present();
  if (const std::optional<TimePartition> time = TimePartitionOf(metadata)) {
    request.filter = TimeFilter(time->column, window);
  }
  const std::int64_t unit_seconds =
      std::chrono::floor<std::chrono::seconds>(window.start.time_since_epoch()).count();

  std::map<std::pair<table::SpecId, std::string>, PartitionDeletes> deletes;
  for (const table::ScanTask& task : SL_TRY(PlanScan(metadata, request, io)).tasks) {
    const std::optional<FileMarks> proven = MarksFromBounds(task, ids);
    if (proven && (!proven->live || proven->marks.front().unit != window.start)) {
      replacement.leaves_others_behind = replacement.leaves_others_behind || proven->live;
      continue;
    }
    if (proven) {
      replacement.removed.push_back(task.file.file_path);
      replacement.rows += task.file.record_count;
      continue;
    }
    FileRows rows =
        SL_TRY(ReadRows(task, metadata, unit_seconds, io), "finding the rows to replace");
    replacement.rows += static_cast<std::int64_t>(rows.of_unit.size());
    replacement.leaves_others_behind = replacement.leaves_others_behind || rows.of_others > 0;
    if (rows.of_unit.empty()) {
      continue;
    }
    if (rows.of_others == 0) {
      replacement.removed.push_back(task.file.file_path);
      continue;
    }
    const table::PartitionSpec& spec = *FindSpec(metadata, task.spec_id);
    PartitionDeletes& of_partition =
        deletes[{task.spec_id, PartitionPath(spec, CurrentSchema(metadata), task.file.partition)}];
    of_partition.partition = task.file.partition;
    of_partition.positions[task.file.file_path] = std::move(rows.of_unit);
  }
  for (const auto& [key, of_partition] : deletes) {
    const table::PartitionSpec& spec = *FindSpec(metadata, key.first);
    table::DataFile file = SL_TRY(WritePositionDeletes(io, metadata, spec, of_partition.partition,
                                                       of_partition.positions, NewUuidV4(rng)));
    replacement.written_files.push_back(file.file_path);
    replacement.deletes.push_back({key.first, std::move(file)});
  }
  return replacement;
}

}  // namespace strandline::pipeline
