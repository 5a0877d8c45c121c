#include <algorithm>
#include <limits>
#include <utility>

#include <arrow/api.h>

#include "strandline/format/batch/arrow_status.h"
#include "strandline/format/parquet/parquet_writer.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/deletes/position_deletes.h"
#include "strandline/table/write/data_file_writer.h"

namespace strandline::table {
namespace {

// Rows handed to the writer at a time: each repeats a path, so they add up.
constexpr std::int64_t kBatchRows = 65536;

NestedField RequiredField(FieldId id, std::string name, TypeId type) {
  NestedField field;
  field.id = id;
  field.name = std::move(name);
  field.type = PrimitiveType(type);
  field.required = true;
  return field;
}

Schema DeleteFileSchema() {
  Schema schema;
  schema.fields.push_back(RequiredField(kDeleteFilePathId, "file_path", TypeId::kString));
  schema.fields.push_back(RequiredField(kDeletePositionId, "pos", TypeId::kLong));
  return schema;
}

// Gathers rows and passes them on a batch at a time.
class DeleteRows {
 public:
  DeleteRows(format::ParquetWriter& writer, std::shared_ptr<arrow::Schema> schema)
      : writer_(writer), schema_(std::move(schema)) {}

  Status Add(const std::string& path, std::int64_t position) {
    SL_TRY(format::FromArrow(paths_.Append(path)));
    SL_TRY(format::FromArrow(positions_.Append(position)));
    return paths_.length() < kBatchRows ? Status() : Flush();
  }

  Status Flush() {
    const std::int64_t rows = paths_.length();
    if (rows == 0) {
      return {};
    }
    std::shared_ptr<arrow::Array> paths = SL_TRY(format::FromArrow(paths_.Finish()));
    std::shared_ptr<arrow::Array> positions = SL_TRY(format::FromArrow(positions_.Finish()));
    const auto batch =
        arrow::RecordBatch::Make(schema_, rows, {std::move(paths), std::move(positions)});
    return writer_.Write(*batch);
  }

 private:
  format::ParquetWriter& writer_;
  std::shared_ptr<arrow::Schema> schema_;
  arrow::StringBuilder paths_;
  arrow::Int64Builder positions_;
};

// What of a table's settings for data files is meant for deletes too: settings of single columns
// are about others.
Result<format::ParquetWriteOptions> DeleteWriteOptions(const TableMetadata& metadata) {
  format::ParquetWriteOptions options = SL_TRY(WriteOptionsOf(metadata));
  options.bloom_filter_columns.clear();
  options.plain_columns.clear();
  return options;
}

Status CheckPositions(const DeletedPositions& positions) {
  const bool has_any = std::any_of(positions.begin(), positions.end(),
                                   [](const auto& of_file) { return !of_file.second.empty(); });
  if (!has_any) {
    return MakeError(ErrorKind::kInvalidArgument, "there are no positions to delete");
  }
  for (const auto& [path, of_file] : positions) {
    for (const std::int64_t position : of_file) {
      if (position < 0) {
        return MakeError(ErrorKind::kInvalidArgument, "a position to delete is negative: {} of {}",
                         position, path);
      }
    }
  }
  return {};
}

DataFile DescribeFile(std::string location, const PartitionTuple& partition,
                      const format::WrittenParquet& written, const DeletedPositions& positions) {
  DataFile file;
  file.content = FileContent::kPositionDeletes;
  file.file_path = std::move(location);
  file.partition = partition;
  file.record_count = written.row_count;
  file.file_size_bytes = written.size_bytes;
  file.split_offsets = written.row_group_offsets;
  std::vector<std::pair<FieldId, std::int64_t>> sizes;
  for (std::size_t i = 0; i < written.leaf_sizes.size(); ++i) {
    sizes.emplace_back(FieldId(written.leaf_field_ids[i]), written.leaf_sizes[i]);
  }
  std::sort(sizes.begin(), sizes.end());
  file.column_sizes = std::move(sizes);
  file.value_counts = {{kDeletePositionId, written.row_count},
                       {kDeleteFilePathId, written.row_count}};
  file.null_value_counts = {{kDeletePositionId, 0}, {kDeleteFilePathId, 0}};

  std::vector<std::string> paths;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = 0;
  for (const auto& [path, of_file] : positions) {
    if (of_file.empty()) {
      continue;
    }
    paths.push_back(path);
    const auto [low, high] = std::minmax_element(of_file.begin(), of_file.end());
    first = std::min(first, *low);
    last = std::max(last, *high);
  }
  // The paths whole, not cut: equal bounds are how readers see that a file is about one other.
  const Type text = PrimitiveType(TypeId::kString);
  const Type number = PrimitiveType(TypeId::kLong);
  file.lower_bounds = {{kDeletePositionId, SerializeValue(number, Value(first))},
                       {kDeleteFilePathId, SerializeValue(text, Value(paths.front()))}};
  file.upper_bounds = {{kDeletePositionId, SerializeValue(number, Value(last))},
                       {kDeleteFilePathId, SerializeValue(text, Value(paths.back()))}};
  if (paths.size() == 1) {
    file.referenced_data_file = paths.front();
  }
  return file;
}

}  // namespace

Result<DataFile> WritePositionDeletes(io::FileIo& io, const TableMetadata& metadata,
                                      const PartitionSpec& spec, const PartitionTuple& partition,
                                      const DeletedPositions& positions,
                                      const std::string& file_stem) {
  SL_TRY(CheckPositions(positions));
  const std::string location =
      NewDataFileLocation(metadata, spec, partition, fmt::format("{}-deletes.parquet", file_stem));
  const format::ParquetWriteOptions options = SL_TRY(DeleteWriteOptions(metadata));
  const std::shared_ptr<arrow::Schema> schema = ArrowSchema(DeleteFileSchema());
  const std::unique_ptr<format::ParquetWriter> writer =
      SL_TRY(format::MakeParquetWriter(io, location, schema, options));
  DeleteRows rows(*writer, schema);
  for (const auto& [path, of_file] : positions) {
    std::vector<std::int64_t> sorted = of_file;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (const std::int64_t position : sorted) {
      SL_TRY(rows.Add(path, position), "writing position deletes {}", location);
    }
  }
  SL_TRY(rows.Flush(), "writing position deletes {}", location);
  const format::WrittenParquet written = SL_TRY(writer->Close());
  return DescribeFile(location, partition, written, positions);
}

}  // namespace strandline::table
