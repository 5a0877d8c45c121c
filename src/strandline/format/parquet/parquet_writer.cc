#include "strandline/format/parquet/parquet_writer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <arrow/api.h>
#include <arrow/util/byte_size.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include "strandline/format/parquet/internal/arrow_files.h"
#include "strandline/format/parquet/internal/guard.h"
#include "strandline/format/parquet/internal/uuid_fields.h"

namespace strandline::format {
namespace {

// Encoded bytes for each byte in memory, until the first row group has shown better. Rather too
// high: a file that is closed early is better than one that grew too large.
constexpr double kFirstGuessOfEncodedShare = 0.5;

parquet::Compression::type CodecOf(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return parquet::Compression::UNCOMPRESSED;
    case Compression::kSnappy:
      return parquet::Compression::SNAPPY;
    case Compression::kGzip:
      return parquet::Compression::GZIP;
    case Compression::kZstd:
      return parquet::Compression::ZSTD;
  }
  SL_CHECK(false && "unknown compression");
  return parquet::Compression::UNCOMPRESSED;
}

std::shared_ptr<parquet::WriterProperties> WriterProperties(const ParquetWriteOptions& options) {
  parquet::WriterProperties::Builder builder;
  builder.compression(CodecOf(options.compression));
  if (options.compression == Compression::kZstd || options.compression == Compression::kGzip) {
    builder.compression_level(options.compression_level);
  }
  builder.max_row_group_length(options.row_group_rows);
  builder.enable_write_page_index();
  builder.enable_store_decimal_as_integer();
  // Costs two percent of the writing, and readers then find damaged pages instead of other values.
  builder.enable_page_checksum();
  for (const std::string& column : options.plain_columns) {
    builder.disable_dictionary(column);
  }
  for (const std::string& column : options.bloom_filter_columns) {
    // Made for a full row group of distinct values, and folded to what is needed before it is
    // written: how many distinct values there will be is not known before.
    builder.enable_bloom_filter(
        column, parquet::BloomFilterOptions{.ndv = options.row_group_rows,
                                            .fpp = options.bloom_filter_false_positive_rate,
                                            .fold = true});
  }
  return builder.build();
}

std::shared_ptr<parquet::ArrowWriterProperties> ArrowProperties() {
  parquet::ArrowWriterProperties::Builder builder;
  builder.set_use_threads(false);
  return builder.build();
}

Status CheckOptions(const ParquetWriteOptions& options) {
  if (options.row_group_rows <= 0 || options.row_group_bytes <= 0) {
    return MakeError(ErrorKind::kInvalidArgument, "a row group of {} rows and {} bytes",
                     options.row_group_rows, options.row_group_bytes);
  }
  const double rate = options.bloom_filter_false_positive_rate;
  if (!(rate > 0.0 && rate < 1.0)) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "the false positive rate of a bloom filter must lie between 0 and 1: {}",
                     rate);
  }
  return {};
}

// The leaf with this dotted path; null when there is none.
const parquet::ColumnDescriptor* FindLeaf(const parquet::SchemaDescriptor& schema,
                                          const std::string& path) {
  for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
    if (schema.Column(leaf)->path()->ToDotString() == path) {
      return schema.Column(leaf);
    }
  }
  return nullptr;
}

Status CheckColumns(const std::string& location, const arrow::Schema& schema,
                    const ParquetWriteOptions& options) {
  std::shared_ptr<parquet::SchemaDescriptor> leaves;
  SL_TRY(InFile(location,
                parquet::arrow::ToParquetSchema(&schema, *WriterProperties(options),
                                                *ArrowProperties(), &leaves),
                ErrorKind::kInvalidArgument));
  for (const std::string& column : options.plain_columns) {
    if (FindLeaf(*leaves, column) == nullptr) {
      return MakeError(
          ErrorKind::kInvalidArgument,
          "Parquet file {}: column {} cannot be written plainly: it is no primitive column",
          location, column);
    }
  }
  for (const std::string& column : options.bloom_filter_columns) {
    const parquet::ColumnDescriptor* leaf = FindLeaf(*leaves, column);
    if (leaf == nullptr || leaf->physical_type() == parquet::Type::BOOLEAN) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "Parquet file {}: column {} cannot have a bloom filter: {}", location,
                       column, leaf == nullptr ? "it is no primitive column" : "it is a boolean");
    }
  }
  return {};
}

std::int64_t FirstByte(const parquet::ColumnChunkMetaData& chunk) {
  const std::int64_t data = chunk.data_page_offset();
  return chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0
             ? std::min(data, chunk.dictionary_page_offset())
             : data;
}

WrittenParquet Describe(const parquet::FileMetaData& metadata, std::int64_t size_bytes) {
  WrittenParquet written;
  written.size_bytes = size_bytes;
  written.row_count = metadata.num_rows();
  for (int leaf = 0; leaf < metadata.num_columns(); ++leaf) {
    written.leaf_field_ids.push_back(metadata.schema()->Column(leaf)->schema_node()->field_id());
  }
  written.leaf_sizes.assign(written.leaf_field_ids.size(), 0);
  for (int group = 0; group < metadata.num_row_groups(); ++group) {
    const std::unique_ptr<parquet::RowGroupMetaData> row_group = metadata.RowGroup(group);
    for (int leaf = 0; leaf < metadata.num_columns(); ++leaf) {
      const std::unique_ptr<parquet::ColumnChunkMetaData> chunk = row_group->ColumnChunk(leaf);
      if (leaf == 0) {
        written.row_group_offsets.push_back(FirstByte(*chunk));
      }
      written.leaf_sizes[static_cast<std::size_t>(leaf)] += chunk->total_compressed_size();
    }
  }
  return written;
}

class ArrowParquetWriter final : public ParquetWriter {
 public:
  static Result<std::unique_ptr<ParquetWriter>> Make(std::unique_ptr<io::OutputFile> file,
                                                     std::shared_ptr<arrow::Schema> schema,
                                                     std::shared_ptr<arrow::Schema> stored_schema,
                                                     const ParquetWriteOptions& options) {
    auto writer = std::unique_ptr<ArrowParquetWriter>(new ArrowParquetWriter(
        std::move(file), std::move(schema), std::move(stored_schema), options));
    SL_TRY(writer->Open(options));
    return std::unique_ptr<ParquetWriter>(std::move(writer));
  }

  ~ArrowParquetWriter() override {
    // Arrow would write a footer now, and a half-written file must not look whole.
    sink_->Abandon();
  }

  Status Write(const arrow::RecordBatch& batch) override {
    SL_TRY(CheckUsable());
    if (!batch.schema()->Equals(*schema_, /*check_metadata=*/false)) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "Parquet file {}: a batch has other columns than the file: {} instead of {}",
                       location_, batch.schema()->ToString(), schema_->ToString());
    }
    return Fatal(Guarded(location_, ErrorKind::kInvalidArgument,
                         [&]() -> Status { return WriteRows(*Stored(batch)); }));
  }

  std::int64_t estimated_bytes() const override {
    return sink_->file().position() +
           static_cast<std::int64_t>(static_cast<double>(group_bytes_) * encoded_share_);
  }

  std::int64_t rows() const override { return rows_; }

  Result<WrittenParquet> Close() override {
    SL_TRY(CheckUsable());
    usable_ = false;
    SL_TRY(Guarded(location_, ErrorKind::kInvalidArgument, [&]() -> Status {
      return InFile(location_, writer_->Close(), ErrorKind::kInvalidArgument);
    }));
    const std::int64_t size_bytes = sink_->file().position();
    SL_TRY(sink_->file().Close());
    return Describe(*writer_->metadata(), size_bytes);
  }

 private:
  ArrowParquetWriter(std::unique_ptr<io::OutputFile> file, std::shared_ptr<arrow::Schema> schema,
                     std::shared_ptr<arrow::Schema> stored_schema,
                     const ParquetWriteOptions& options)
      : location_(file->location()),
        schema_(std::move(schema)),
        stored_schema_(std::move(stored_schema)),
        row_group_rows_(options.row_group_rows),
        row_group_bytes_(options.row_group_bytes),
        sink_(std::make_shared<ArrowOutputFile>(std::move(file))) {}

  Status Open(const ParquetWriteOptions& options) {
    return Guarded(location_, ErrorKind::kInvalidArgument, [&]() -> Status {
      writer_ = SL_TRY(InFile(
          location_,
          parquet::arrow::FileWriter::Open(*stored_schema_, arrow::default_memory_pool(), sink_,
                                           WriterProperties(options), ArrowProperties()),
          ErrorKind::kInvalidArgument));
      return {};
    });
  }

  Status CheckUsable() const {
    if (!usable_) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "Parquet file {}: it is closed, or writing it has failed before", location_);
    }
    return {};
  }

  Status Fatal(Status status) {
    usable_ = usable_ && status.has_value();
    return status;
  }

  // The batch in the types that the file has.
  std::shared_ptr<arrow::RecordBatch> Stored(const arrow::RecordBatch& batch) const {
    arrow::ArrayVector columns;
    for (int i = 0; i < batch.num_columns(); ++i) {
      const std::shared_ptr<arrow::DataType>& type = stored_schema_->field(i)->type();
      columns.push_back(type == schema_->field(i)->type() ? batch.column(i)
                                                          : WithUuidTypes(*batch.column(i), type));
    }
    return arrow::RecordBatch::Make(stored_schema_, batch.num_rows(), std::move(columns));
  }

  Status WriteRows(const arrow::RecordBatch& batch) {
    for (std::int64_t first = 0; first < batch.num_rows();) {
      if (group_rows_ >= row_group_rows_ || group_bytes_ >= row_group_bytes_) {
        SL_TRY(StartRowGroup());
      }
      const std::int64_t count = std::min(batch.num_rows() - first, row_group_rows_ - group_rows_);
      const std::shared_ptr<arrow::RecordBatch> rows = batch.Slice(first, count);
      SL_TRY(InFile(location_, writer_->WriteRecordBatch(*rows), ErrorKind::kInvalidArgument));
      group_bytes_ += SL_TRY(
          InFile(location_, arrow::util::ReferencedBufferSize(*rows), ErrorKind::kInvalidArgument));
      group_rows_ += count;
      rows_ += count;
      first += count;
    }
    return {};
  }

  // Writes out the open row group. Called only when rows follow: Arrow opens the next one at once,
  // and it must not stay empty.
  Status StartRowGroup() {
    const std::int64_t start = sink_->file().position();
    SL_TRY(InFile(location_, writer_->NewBufferedRowGroup(), ErrorKind::kInvalidArgument));
    if (group_bytes_ > 0) {
      encoded_share_ =
          static_cast<double>(sink_->file().position() - start) / static_cast<double>(group_bytes_);
    }
    group_rows_ = 0;
    group_bytes_ = 0;
    return {};
  }

  std::string location_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::Schema> stored_schema_;  // schema_ with UUID types.
  std::int64_t row_group_rows_;
  std::int64_t row_group_bytes_;
  std::shared_ptr<ArrowOutputFile> sink_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  bool usable_ = true;
  std::int64_t rows_ = 0;
  // Of the open row group.
  std::int64_t group_rows_ = 0;
  std::int64_t group_bytes_ = 0;
  double encoded_share_ = kFirstGuessOfEncodedShare;
};

}  // namespace

Result<std::unique_ptr<ParquetWriter>> MakeParquetWriter(io::FileIo& io,
                                                         const std::string& location,
                                                         std::shared_ptr<arrow::Schema> schema,
                                                         const ParquetWriteOptions& options) {
  SL_TRY(CheckOptions(options), "Parquet file {}", location);
  std::shared_ptr<arrow::Schema> stored_schema = WithUuidTypes(*schema);
  // Before the file is made: a wrong option must leave nothing behind.
  SL_TRY(Guarded(location, ErrorKind::kInvalidArgument,
                 [&]() -> Status { return CheckColumns(location, *stored_schema, options); }));
  std::unique_ptr<io::OutputFile> file = SL_TRY(io.Create(location));
  return ArrowParquetWriter::Make(std::move(file), std::move(schema), std::move(stored_schema),
                                  options);
}

}  // namespace strandline::format
