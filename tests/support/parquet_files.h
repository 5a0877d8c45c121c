#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/json/from_string.h>

#include "strandline/format/batch/arrow_status.h"
#include "strandline/format/parquet/parquet_file.h"
#include "strandline/format/parquet/parquet_writer.h"

namespace strandline::testing {

// An array from Arrow's JSON notation: ArrayOf(arrow::int32(), "[1, null, 3]").
inline std::shared_ptr<arrow::Array> ArrayOf(const std::shared_ptr<arrow::DataType>& type,
                                             const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

inline std::shared_ptr<arrow::RecordBatch> BatchOf(
    std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>> columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (auto& [name, array] : columns) {
    fields.push_back(arrow::field(name, array->type()));
    arrays.push_back(array);
  }
  const std::int64_t rows = arrays.front()->length();
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(arrays));
}

// Writes batches of one schema as a file.
inline Result<format::WrittenParquet> WriteParquet(
    io::FileIo& io, const std::string& location,
    const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
    const format::ParquetWriteOptions& options = {}) {
  const std::unique_ptr<format::ParquetWriter> writer =
      SL_TRY(format::MakeParquetWriter(io, location, batches.front()->schema(), options));
  for (const std::shared_ptr<arrow::RecordBatch>& batch : batches) {
    SL_TRY(writer->Write(*batch));
  }
  return writer->Close();
}

// Reads a stream to its end.
inline Result<std::shared_ptr<arrow::Table>> ReadToTable(format::BatchStream& stream,
                                                         std::shared_ptr<arrow::Schema> schema) {
  arrow::RecordBatchVector batches;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream.Next());
    if (batch == nullptr) {
      break;
    }
    batches.push_back(std::move(batch));
  }
  return format::FromArrow(arrow::Table::FromRecordBatches(std::move(schema), std::move(batches)));
}

// All rows and columns of a file.
inline Result<std::shared_ptr<arrow::Table>> ReadParquet(io::FileIo& io,
                                                         const std::string& location) {
  const std::shared_ptr<const format::ParquetFile> file =
      SL_TRY(format::OpenParquetFile(io, location, std::nullopt));
  format::ParquetReadRequest request;
  request.row_groups.resize(static_cast<std::size_t>(file->row_group_count()));
  std::iota(request.row_groups.begin(), request.row_groups.end(), 0);
  request.columns.resize(static_cast<std::size_t>(file->schema()->num_fields()));
  std::iota(request.columns.begin(), request.columns.end(), 0);
  const std::unique_ptr<format::BatchStream> stream = SL_TRY(file->Read(request));
  return ReadToTable(*stream, file->schema());
}

}  // namespace strandline::testing
