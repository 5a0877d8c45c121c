#include "strandline/table/write/data_file_writer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <arrow/api.h>

#include "strandline/base/check.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/write/internal/file_metrics.h"
#include "strandline/table/write/internal/write_options.h"

namespace strandline::table {
namespace {

class ParquetDataFileWriter final : public DataFileWriter {
 public:
  ParquetDataFileWriter(std::shared_ptr<arrow::Schema> schema, FileMetrics metrics,
                        PartitionTuple partition, std::string location,
                        std::unique_ptr<format::ParquetWriter> file)
      : schema_(std::move(schema)),
        metrics_(std::move(metrics)),
        partition_(std::move(partition)),
        location_(std::move(location)),
        file_(std::move(file)) {}

  Status Write(const arrow::RecordBatch& batch) override {
    SL_TRY(CheckColumns(batch));
    SL_TRY(metrics_.Add(batch), "data file {}", location_);
    // Under the file's own schema: that a column could hold nulls needs not matter if it does not.
    return file_->Write(*arrow::RecordBatch::Make(schema_, batch.num_rows(), batch.columns()));
  }

  std::int64_t rows() const override { return file_->rows(); }
  std::int64_t estimated_bytes() const override { return file_->estimated_bytes(); }

  Result<DataFile> Close() override {
    const format::WrittenParquet written = SL_TRY(file_->Close());
    DataFile file;
    file.file_path = location_;
    file.partition = partition_;
    file.record_count = written.row_count;
    file.file_size_bytes = written.size_bytes;
    file.split_offsets = written.row_group_offsets;
    for (std::size_t leaf = 0; leaf < written.leaf_sizes.size(); ++leaf) {
      file.column_sizes.emplace_back(FieldId(written.leaf_field_ids[leaf]),
                                     written.leaf_sizes[leaf]);
    }
    std::sort(file.column_sizes.begin(), file.column_sizes.end());
    metrics_.Describe(file);
    return file;
  }

 private:
  Status CheckColumns(const arrow::RecordBatch& batch) const {
    bool fits = batch.num_columns() == schema_->num_fields();
    for (int i = 0; fits && i < batch.num_columns(); ++i) {
      fits = batch.column_name(i) == schema_->field(i)->name() &&
             batch.column(i)->type()->Equals(*schema_->field(i)->type());
    }
    if (!fits) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "data file {}: a batch has other columns than the table: {} instead of {}",
                       location_, batch.schema()->ToString(), schema_->ToString());
    }
    return {};
  }

  std::shared_ptr<arrow::Schema> schema_;
  FileMetrics metrics_;
  PartitionTuple partition_;
  std::string location_;
  std::unique_ptr<format::ParquetWriter> file_;
};

}  // namespace

Result<std::unique_ptr<DataFileWriter>> MakeDataFileWriter(
    io::FileIo& io, const TableMetadata& metadata, const Schema& schema, const PartitionSpec& spec,
    PartitionTuple partition, std::string location) {
  SL_CHECK(partition.size() == spec.fields.size());
  const format::ParquetWriteOptions options = SL_TRY(WriteOptionsFor(metadata, schema));
  FileMetrics metrics = SL_TRY(FileMetrics::Make(metadata, schema));
  std::shared_ptr<arrow::Schema> arrow_schema = ArrowSchema(schema);
  std::unique_ptr<format::ParquetWriter> file =
      SL_TRY(format::MakeParquetWriter(io, location, arrow_schema, options));
  return std::unique_ptr<DataFileWriter>(std::make_unique<ParquetDataFileWriter>(
      std::move(arrow_schema), std::move(metrics), std::move(partition), std::move(location),
      std::move(file)));
}

}  // namespace strandline::table
