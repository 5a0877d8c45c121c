#include "strandline/pipeline/transform/window_writer.h"

#include <algorithm>

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <fmt/format.h>

#include "strandline/base/time_text.h"
#include "strandline/format/batch/arrow_status.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/arrow/arrow_value.h"

namespace strandline::pipeline {
namespace {

using format::FromArrow;

constexpr std::string_view kMarkColumns[] = {kUnitColumn, kStampColumn, kLogicColumn, kSeqColumn};

// One thread writes.
constexpr std::size_t kLane = 0;

Result<std::shared_ptr<arrow::Array>> ConstantColumn(const std::optional<std::int64_t>& value,
                                                     std::int64_t rows) {
  if (!value) {
    return SL_TRY(FromArrow(arrow::MakeArrayOfNull(arrow::int64(), rows)));
  }
  return SL_TRY(FromArrow(arrow::MakeArrayFromScalar(arrow::Int64Scalar(*value), rows)));
}

// The instant that a value of a time type means.
Timestamp InstantOf(const table::Type& type, const table::Value& value) {
  if (type.id == table::TypeId::kDate) {
    return Timestamp(std::chrono::days(std::get<std::int32_t>(value)));
  }
  return Timestamp(std::chrono::microseconds(std::get<std::int64_t>(value)));
}

}  // namespace

WindowWriter::WindowWriter(const table::TableMetadata& metadata, std::string time_column,
                           Interval window, RowMarks marks, PartitionedWriterOptions options,
                           io::FileIo& io)
    : metadata_(metadata),
      time_column_(std::move(time_column)),
      window_(window),
      marks_(marks),
      schema_(table::ArrowSchema(CurrentSchema(metadata))),
      writer_(metadata, std::move(options), io) {}

WindowWriter::~WindowWriter() = default;

Result<std::shared_ptr<arrow::RecordBatch>> WindowWriter::AsTableRows(
    const arrow::RecordBatch& batch) const {
  arrow::ArrayVector columns;
  for (const auto& field : schema_->fields()) {
    if (std::ranges::find(kMarkColumns, field->name()) != std::end(kMarkColumns)) {
      columns.push_back(SL_TRY(ConstantColumn(MarkOf(marks_, field->name()), batch.num_rows())));
      continue;
    }
    std::shared_ptr<arrow::Array> column = batch.GetColumnByName(field->name());
    SL_CHECK(column != nullptr);  // EvolvedSchema has matched them.
    if (!column->type()->Equals(*field->type())) {
      const arrow::Datum cast = SL_TRY(
          FromArrow(arrow::compute::Cast(column, field->type()), ErrorKind::kInvalidArgument),
          "column {}", field->name());
      column = cast.make_array();
    }
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(schema_, batch.num_rows(), std::move(columns));
}

Status WindowWriter::CheckTimes(const arrow::RecordBatch& rows) const {
  const table::Type& type = FindColumn(CurrentSchema(metadata_), time_column_)->type;
  const std::shared_ptr<arrow::Array> times = rows.GetColumnByName(time_column_);
  for (std::int64_t row = 0; row < rows.num_rows(); ++row) {
    const table::Value value = SL_TRY(ValueAt(*times, row, type));
    if (IsNull(value) || !window_.Contains(InstantOf(type, value))) {
      return MakeError(
          ErrorKind::kInvalidArgument,
          "column {} must lie in the window {} to {}, and is {} in one row: it has to be "
          "the window's start or a time in it",
          time_column_, FormatTimestamp(window_.start), FormatTimestamp(window_.end),
          ValueText(type, value));
    }
  }
  return {};
}

Status WindowWriter::Write(const arrow::RecordBatch& batch) {
  const std::shared_ptr<arrow::RecordBatch> rows = SL_TRY(AsTableRows(batch));
  SL_TRY(CheckTimes(*rows));
  rows_ += rows->num_rows();
  const table::PartitionSpec& spec = DefaultSpec(metadata_);
  const table::Schema& schema = CurrentSchema(metadata_);
  std::map<table::PartitionTuple, std::vector<std::int64_t>, table::PartitionTupleLess>
      by_partition;
  for (std::int64_t row = 0; row < rows->num_rows(); ++row) {
    by_partition[SL_TRY(PartitionOfRow(spec, schema, *rows, row))].push_back(row);
  }
  if (by_partition.size() == 1) {
    return writer_.Write(by_partition.begin()->first, kLane, rows);
  }
  for (const auto& [tuple, indexes] : by_partition) {
    arrow::Int64Builder builder;
    SL_TRY(FromArrow(builder.AppendValues(indexes)));
    const std::shared_ptr<arrow::Array> taken = SL_TRY(FromArrow(builder.Finish()));
    const arrow::Datum part = SL_TRY(FromArrow(arrow::compute::Take(rows, taken)));
    SL_TRY(writer_.Write(tuple, kLane, part.record_batch()));
  }
  return {};
}

}  // namespace strandline::pipeline
