#include "strandline/pipeline/transform/window_writer.h"

#include <algorithm>

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <fmt/format.h>

#include "strandline/base/time_text.h"
#include "strandline/base/uuid.h"
#include "strandline/format/batch/arrow_status.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/arrow/arrow_value.h"

namespace strandline::pipeline {
namespace {

using format::FromArrow;

constexpr std::string_view kMarkColumns[] = {kUnitColumn, kStampColumn, kLogicColumn, kSeqColumn};

Result<std::shared_ptr<arrow::Array>> ConstantColumn(const std::optional<std::int64_t>& value,
                                                     std::int64_t rows) {
  if (!value) {
    return SL_TRY(FromArrow(arrow::MakeArrayOfNull(arrow::int64(), rows)));
  }
  return SL_TRY(FromArrow(arrow::MakeArrayFromScalar(arrow::Int64Scalar(*value), rows)));
}

std::optional<std::int64_t> MarkOf(const RowMarks& marks, std::string_view column) {
  if (column == kUnitColumn) {
    return marks.unit_seconds;
  }
  if (column == kStampColumn) {
    return marks.stamp;
  }
  if (column == kLogicColumn) {
    return marks.logic;
  }
  return marks.seq;
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
                           Interval window, RowMarks marks, io::FileIo& io, Rng& rng)
    : metadata_(metadata),
      time_column_(std::move(time_column)),
      window_(window),
      marks_(marks),
      io_(io),
      rng_(rng),
      schema_(table::ArrowSchema(CurrentSchema(metadata))) {}

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

Result<table::DataFileWriter*> WindowWriter::WriterOf(const table::PartitionTuple& tuple) {
  std::unique_ptr<table::DataFileWriter>& writer = writers_[tuple];
  if (writer == nullptr) {
    const table::PartitionSpec& spec = DefaultSpec(metadata_);
    std::string location = NewDataFileLocation(metadata_, spec, tuple,
                                               fmt::format("{}-00000.parquet", NewUuidV4(rng_)));
    written_files_.push_back(location);
    writer = SL_TRY(MakeDataFileWriter(io_, metadata_, CurrentSchema(metadata_), spec, tuple,
                                       std::move(location)));
  }
  return writer.get();
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
  for (const auto& [tuple, indexes] : by_partition) {
    table::DataFileWriter* writer = SL_TRY(WriterOf(tuple));
    if (by_partition.size() == 1) {
      SL_TRY(writer->Write(*rows));
      continue;
    }
    arrow::Int64Builder builder;
    SL_TRY(FromArrow(builder.AppendValues(indexes)));
    const std::shared_ptr<arrow::Array> taken = SL_TRY(FromArrow(builder.Finish()));
    const arrow::Datum part = SL_TRY(FromArrow(arrow::compute::Take(rows, taken)));
    SL_TRY(writer->Write(*part.record_batch()));
  }
  return {};
}

Result<std::vector<table::NewFile>> WindowWriter::Finish() {
  std::vector<table::NewFile> files;
  for (auto& [tuple, writer] : writers_) {
    files.push_back({DefaultSpec(metadata_).id, SL_TRY(writer->Close())});
  }
  return files;
}

}  // namespace strandline::pipeline
