#include "strandline/pipeline/publish/replace_unit.h"

#include <algorithm>
#include <map>
#include <optional>

#include <arrow/api.h>

#include "strandline/base/uuid.h"
#include "strandline/format/batch/arrow_status.h"
#include "strandline/pipeline/publish/publish.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/pipeline/state/unit_marks.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/deletes/position_deletes.h"
#include "strandline/table/read/scan_reader.h"
#include "strandline/table/write/data_file_writer.h"

namespace strandline::pipeline {
namespace {

// The live rows of one file, told apart by unit.
struct FileRows {
  std::vector<std::int64_t> of_unit;  // Positions.
  std::int64_t of_others = 0;
};

bool IsOfUnit(const arrow::Int64Array& units, std::int64_t row, std::int64_t unit_seconds) {
  return units.IsValid(row) && units.Value(row) == unit_seconds;
}

// What happens to the live rows of one partition of one spec.
struct PartitionRows {
  table::SpecId spec_id;
  table::PartitionTuple tuple;
  bool loses_rows = false;
  bool loses_files = false;
  table::DeletedPositions deleted;
};

class Replacer {
 public:
  Replacer(const table::TableMetadata& metadata, const UnitRows& unit, const BookkeepingIds& ids,
           io::FileIo& io, Rng& rng)
      : metadata_(metadata),
        unit_(unit),
        unit_seconds_(
            std::chrono::floor<std::chrono::seconds>(unit.window.start.time_since_epoch()).count()),
        ids_(ids),
        io_(io),
        rng_(rng) {}

  Status Run() {
    for (const table::ScanTask& task : SL_TRY(Files(false))) {
      SL_TRY(Look(task), "finding the rows to replace");
    }
    for (auto& [spec_id, partitions] : partitions_) {
      for (auto& [tuple, rows] : partitions) {
        if (rows.loses_rows && !GetsRows(rows) && ids_.seq) {
          SL_TRY(RewriteSurvivor(rows), "writing one row again");
        }
        SL_TRY(WriteDeletes(rows));
        if (rows.loses_files) {
          replacement_.removed_from.emplace_back(spec_id, tuple);
        }
      }
    }
    return {};
  }

  UnitReplacement& replacement() { return replacement_; }

 private:
  // The files that may hold rows of the window; those of its partitions, whatever they hold.
  Result<std::vector<table::ScanTask>> Files(bool whole_partitions) {
    table::ScanRequest request;
    request.metric_columns = ids_.present();
    request.whole_partitions = whole_partitions;
    if (const table::NestedField* time = FindColumn(CurrentSchema(metadata_), unit_.time)) {
      request.filter = TimeFilter(*time, unit_.window);
    }
    return SL_TRY(PlanScan(metadata_, request, io_)).tasks;
  }

  Status Look(const table::ScanTask& task) {
    const std::optional<FileMarks> proven = MarksFromBounds(task, ids_);
    if (proven && (!proven->live || proven->marks.front().unit != unit_.window.start)) {
      return {};
    }
    const FileRows of_file = proven ? FileRows{} : SL_TRY(ReadRows(task));
    if (!proven && of_file.of_unit.empty()) {
      return {};
    }
    PartitionRows& rows = PartitionOf(task);
    rows.loses_rows = true;
    if (of_file.of_others == 0) {
      rows.loses_files = true;
      replacement_.removed.push_back(task.file.file_path);
    } else {
      rows.deleted[task.file.file_path] = of_file.of_unit;
    }
    return {};
  }

  PartitionRows& PartitionOf(const table::ScanTask& task) {
    return partitions_[task.spec_id]
        .try_emplace(
            task.file.partition,
            PartitionRows{.spec_id = task.spec_id, .tuple = task.file.partition, .deleted = {}})
        .first->second;
  }

  Result<std::unique_ptr<format::BatchStream>> Open(const table::ScanTask& task,
                                                    std::vector<std::string> columns) {
    table::ScanReadOptions options;
    options.columns = std::move(columns);
    options.with_positions = true;
    return table::ReadAll(
        SL_TRY(OpenScan(io_, metadata_, CurrentSchema(metadata_), {task}, options)));
  }

  Result<FileRows> ReadRows(const table::ScanTask& task) {
    const std::unique_ptr<format::BatchStream> stream =
        SL_TRY(Open(task, {std::string(kUnitColumn)}));
    FileRows rows;
    while (true) {
      const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
      if (batch == nullptr) {
        return rows;
      }
      const auto& units = static_cast<const arrow::Int64Array&>(*batch->column(0));
      const auto& positions =
          static_cast<const arrow::Int64Array&>(*batch->GetColumnByName("_pos"));
      for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
        if (IsOfUnit(units, row, unit_seconds_)) {
          rows.of_unit.push_back(positions.Value(row));
        } else {
          ++rows.of_others;
        }
      }
    }
  }

  bool GetsRows(const PartitionRows& rows) const {
    return std::ranges::any_of(unit_.files, [&rows](const table::NewFile& file) {
      return file.spec_id == rows.spec_id && IsSamePartition(file.file.partition, rows.tuple);
    });
  }

  // One live row of another unit goes, and comes back with the unit's number and its other marks
  // unchanged. The smallest file that has one gives it.
  Status RewriteSurvivor(PartitionRows& rows) {
    std::vector<table::ScanTask> tasks = SL_TRY(Files(true));
    std::erase_if(tasks, [&](const table::ScanTask& task) {
      return task.spec_id != rows.spec_id || !IsSamePartition(task.file.partition, rows.tuple) ||
             std::ranges::find(replacement_.removed, task.file.file_path) !=
                 replacement_.removed.end();
    });
    std::ranges::stable_sort(tasks, {},
                             [](const table::ScanTask& task) { return task.file.record_count; });
    for (const table::ScanTask& task : tasks) {
      if (SL_TRY(RewriteOneRow(rows, task))) {
        return {};
      }
    }
    return {};
  }

  // False when the file has no live row of another unit.
  Result<bool> RewriteOneRow(PartitionRows& rows, const table::ScanTask& task) {
    const std::shared_ptr<arrow::Schema> schema = table::ArrowSchema(CurrentSchema(metadata_));
    const std::unique_ptr<format::BatchStream> stream = SL_TRY(Open(task, schema->field_names()));
    while (true) {
      const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
      if (batch == nullptr) {
        return false;
      }
      const auto& units =
          static_cast<const arrow::Int64Array&>(*batch->GetColumnByName(std::string(kUnitColumn)));
      const auto& positions =
          static_cast<const arrow::Int64Array&>(*batch->GetColumnByName("_pos"));
      for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
        if (!IsOfUnit(units, row, unit_seconds_)) {
          rows.deleted[task.file.file_path].push_back(positions.Value(row));
          SL_TRY(WriteSurvivor(rows, schema, *batch->Slice(row, 1)));
          return true;
        }
      }
    }
  }

  Status WriteSurvivor(const PartitionRows& rows, const std::shared_ptr<arrow::Schema>& schema,
                       const arrow::RecordBatch& row) {
    arrow::ArrayVector columns;
    for (const auto& field : schema->fields()) {
      columns.push_back(field->name() == kSeqColumn
                            ? SL_TRY(format::FromArrow(
                                  arrow::MakeArrayFromScalar(arrow::Int64Scalar(unit_.seq), 1)))
                            : row.GetColumnByName(field->name()));
    }
    const table::PartitionSpec& spec = *FindSpec(metadata_, rows.spec_id);
    const std::string location =
        NewDataFileLocation(metadata_, spec, rows.tuple, NewUuidV4(rng_) + "-00000.parquet");
    replacement_.written_files.push_back(location);
    const std::unique_ptr<table::DataFileWriter> writer = SL_TRY(
        MakeDataFileWriter(io_, metadata_, CurrentSchema(metadata_), spec, rows.tuple, location));
    SL_TRY(writer->Write(*arrow::RecordBatch::Make(schema, 1, std::move(columns))));
    replacement_.added.push_back({rows.spec_id, SL_TRY(writer->Close())});
    return {};
  }

  Status WriteDeletes(const PartitionRows& rows) {
    if (rows.deleted.empty()) {
      return {};
    }
    const table::PartitionSpec& spec = *FindSpec(metadata_, rows.spec_id);
    table::DataFile file = SL_TRY(
        WritePositionDeletes(io_, metadata_, spec, rows.tuple, rows.deleted, NewUuidV4(rng_)));
    replacement_.written_files.push_back(file.file_path);
    replacement_.added.push_back({rows.spec_id, std::move(file)});
    return {};
  }

  const table::TableMetadata& metadata_;
  const UnitRows& unit_;
  const std::int64_t unit_seconds_;
  const BookkeepingIds& ids_;
  io::FileIo& io_;
  Rng& rng_;
  std::map<table::SpecId, std::map<table::PartitionTuple, PartitionRows, table::PartitionTupleLess>>
      partitions_;
  UnitReplacement replacement_;
};

}  // namespace

Result<UnitReplacement> ReplaceUnit(const table::TableMetadata& metadata, const UnitRows& unit,
                                    io::FileIo& io, Rng& rng) {
  const BookkeepingIds ids = FindBookkeeping(CurrentSchema(metadata));
  if (!ids.unit) {
    return UnitReplacement{};
  }
  Replacer replacer(metadata, unit, ids, io, rng);
  Status done = replacer.Run();
  if (!done) {
    DiscardFiles(io, replacer.replacement().written_files);
    return std::move(done).error();
  }
  return std::move(replacer.replacement());
}

}  // namespace strandline::pipeline
