#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>

#include "strandline/table/read/scan_reader.h"
#include "tests/support/parquet_files.h"

namespace strandline::testing {

// A field that carries an Iceberg field id, as our and most other writers store it.
inline std::shared_ptr<arrow::Field> WithId(std::int32_t id, const std::string& name,
                                            std::shared_ptr<arrow::DataType> type) {
  return arrow::field(name, std::move(type), true,
                      arrow::key_value_metadata({"PARQUET:field_id"}, {std::to_string(id)}));
}

// A batch of fields from JSON columns.
inline std::shared_ptr<arrow::RecordBatch> BatchWith(const arrow::FieldVector& fields,
                                                     const std::vector<std::string>& columns) {
  arrow::ArrayVector arrays;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    arrays.push_back(ArrayOf(fields[i]->type(), columns.at(i)));
  }
  const std::int64_t rows = arrays.front()->length();
  return arrow::RecordBatch::Make(arrow::schema(fields), rows, std::move(arrays));
}

// Writes a data file and the task that reads it. Row groups of `row_group_rows`.
inline Result<table::ScanTask> WriteTask(io::FileIo& io, const std::string& location,
                                         const std::shared_ptr<arrow::RecordBatch>& batch,
                                         std::int64_t row_group_rows = 1 << 20) {
  format::ParquetWriteOptions options;
  options.row_group_rows = row_group_rows;
  const format::WrittenParquet written = SL_TRY(WriteParquet(io, location, {batch}, options));
  table::ScanTask task;
  task.file.file_path = location;
  task.file.record_count = written.row_count;
  task.file.file_size_bytes = written.size_bytes;
  return task;
}

// A value as text: `null`, `12`, `{1, x}` for structs, `[1, 2]` for lists, `{a: 1}` for maps.
inline std::string TextAt(const arrow::Array& array, std::int64_t row) {
  if (array.IsNull(row)) {
    return "null";
  }
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  switch (array.type_id()) {
    case arrow::Type::STRUCT:
      for (const auto& child : static_cast<const arrow::StructArray&>(array).fields()) {
        add(TextAt(*child, row));
      }
      return "{" + text + "}";
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapArray&>(array);
      for (std::int64_t i = map.value_offset(row); i < map.value_offset(row + 1); ++i) {
        add(TextAt(*map.keys(), i) + ": " + TextAt(*map.items(), i));
      }
      return "{" + text + "}";
    }
    case arrow::Type::LIST: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      for (std::int64_t i = list.value_offset(row); i < list.value_offset(row + 1); ++i) {
        add(TextAt(*list.values(), i));
      }
      return "[" + text + "]";
    }
    case arrow::Type::DICTIONARY: {
      const auto& encoded = static_cast<const arrow::DictionaryArray&>(array);
      return TextAt(*encoded.dictionary(), encoded.GetValueIndex(row));
    }
    default:
      return array.GetScalar(row).ValueOrDie()->ToString();
  }
}

// The rows of a batch, a line each: values separated by spaces.
inline void AddLines(const arrow::RecordBatch& batch, std::vector<std::string>& lines) {
  for (std::int64_t row = 0; row < batch.num_rows(); ++row) {
    std::string line;
    for (int column = 0; column < batch.num_columns(); ++column) {
      line += (column == 0 ? "" : " ") + TextAt(*batch.column(column), row);
    }
    lines.push_back(std::move(line));
  }
}

// All rows of a scan as lines.
inline Result<std::vector<std::string>> ReadLines(std::unique_ptr<format::BatchSource> source) {
  const std::shared_ptr<arrow::Schema> schema = source->schema();
  const std::unique_ptr<format::BatchStream> stream = table::ReadAll(std::move(source));
  std::vector<std::string> lines;
  while (true) {
    const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
    if (batch == nullptr) {
      return lines;
    }
    SL_TRY(format::FromArrow(batch->ValidateFull()));
    SL_CHECK(batch->num_rows() > 0 && batch->num_columns() == schema->num_fields());
    AddLines(*batch, lines);
  }
}

}  // namespace strandline::testing
