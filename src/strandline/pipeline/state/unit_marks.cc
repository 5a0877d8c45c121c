#include "strandline/pipeline/state/unit_marks.h"

#include <map>
#include <tuple>

#include <arrow/api.h>

#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/table/read/scan_reader.h"

namespace strandline::pipeline {
namespace {

// The one value that every row of the file has in a long column, if the bounds prove that there is
// one.
std::optional<std::int64_t> ProvenValue(const table::DataFile& file, table::FieldId id) {
  const std::int64_t* values = FindCount(file.value_counts, id);
  const std::int64_t* nulls = FindCount(file.null_value_counts, id);
  const std::string* lower = FindBound(file.lower_bounds, id);
  const std::string* upper = FindBound(file.upper_bounds, id);
  if (values == nullptr || *values != file.record_count || nulls == nullptr || *nulls != 0 ||
      lower == nullptr || upper == nullptr || *lower != *upper) {
    return std::nullopt;
  }
  const Result<table::Value> value =
      DeserializeValue(table::PrimitiveType(table::TypeId::kLong), *lower);
  if (!value || !std::holds_alternative<std::int64_t>(*value)) {
    return std::nullopt;
  }
  return std::get<std::int64_t>(*value);
}

Timestamp UnitOf(std::int64_t epoch_seconds) {
  return Timestamp(std::chrono::seconds(epoch_seconds));
}

// The columns of one batch that are there, in the order they were asked for.
struct MarkColumns {
  const arrow::Int64Array* unit = nullptr;
  const arrow::Int64Array* stamp = nullptr;
  const arrow::Int64Array* logic = nullptr;
  const arrow::Int64Array* seq = nullptr;
};

std::optional<std::int64_t> At(const arrow::Int64Array* column, std::int64_t row) {
  if (column == nullptr || column->IsNull(row)) {
    return std::nullopt;
  }
  return column->Value(row);
}

}  // namespace

std::optional<FileMarks> MarksFromBounds(const table::ScanTask& task, const BookkeepingIds& ids) {
  std::int64_t deleted_at_most = 0;
  for (const table::DataFile& deletes : task.deletes) {
    deleted_at_most += deletes.record_count;
  }
  if (task.file.record_count == 0) {
    return FileMarks{};
  }
  if (deleted_at_most >= task.file.record_count || !ids.unit || !ids.stamp || !ids.seq) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> unit = ProvenValue(task.file, *ids.unit);
  const std::optional<std::int64_t> stamp = ProvenValue(task.file, *ids.stamp);
  const std::optional<std::int64_t> seq = ProvenValue(task.file, *ids.seq);
  if (!unit || !stamp || !seq) {
    return std::nullopt;
  }
  UnitMark mark{.unit = UnitOf(*unit), .stamp = *stamp, .logic = std::nullopt, .seq_max = *seq};
  if (ids.logic) {
    mark.logic = ProvenValue(task.file, *ids.logic);
    if (!mark.logic) {
      return std::nullopt;
    }
  }
  return FileMarks{.live = true, .has_unmarked_rows = false, .marks = {mark}};
}

Result<FileMarks> MarksFromRows(const table::ScanTask& task, const table::TableMetadata& metadata,
                                const BookkeepingIds& ids, io::FileIo& io) {
  table::ScanReadOptions options;
  for (const auto& [id, name] :
       {std::pair{ids.unit, kUnitColumn}, std::pair{ids.stamp, kStampColumn},
        std::pair{ids.logic, kLogicColumn}, std::pair{ids.seq, kSeqColumn}}) {
    if (id) {
      options.columns.emplace_back(name);
    }
  }
  auto stream =
      table::ReadAll(SL_TRY(OpenScan(io, metadata, CurrentSchema(metadata), {task}, options),
                            "reading bookkeeping columns of {}", task.file.file_path));
  FileMarks result;
  // By unit, stamp and logic: the highest number.
  std::map<std::tuple<std::int64_t, std::int64_t, std::optional<std::int64_t>>, std::int64_t> found;
  while (true) {
    const std::shared_ptr<arrow::RecordBatch> batch =
        SL_TRY(stream->Next(), "reading bookkeeping columns of {}", task.file.file_path);
    if (batch == nullptr) {
      break;
    }
    MarkColumns columns;
    for (const auto& [column, name] :
         {std::pair{&columns.unit, kUnitColumn}, std::pair{&columns.stamp, kStampColumn},
          std::pair{&columns.logic, kLogicColumn}, std::pair{&columns.seq, kSeqColumn}}) {
      const std::shared_ptr<arrow::Array> array = batch->GetColumnByName(std::string(name));
      *column = array == nullptr ? nullptr : static_cast<const arrow::Int64Array*>(array.get());
    }
    for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
      result.live = true;
      const std::optional<std::int64_t> unit = At(columns.unit, row);
      const std::optional<std::int64_t> stamp = At(columns.stamp, row);
      if (!unit || !stamp) {
        result.has_unmarked_rows = true;
        continue;
      }
      std::int64_t& seq_max = found[{*unit, *stamp, At(columns.logic, row)}];
      seq_max = std::max(seq_max, At(columns.seq, row).value_or(0));
    }
  }
  for (const auto& [key, seq_max] : found) {
    result.marks.push_back({.unit = UnitOf(std::get<0>(key)),
                            .stamp = std::get<1>(key),
                            .logic = std::get<2>(key),
                            .seq_max = seq_max});
  }
  return result;
}

}  // namespace strandline::pipeline
