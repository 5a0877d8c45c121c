#include "strandline/format/parquet/parquet_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include <arrow/api.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/bloom_filter.h>
#include <parquet/bloom_filter_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "strandline/base/check.h"
#include "strandline/format/parquet/bloom_hash.h"
#include "strandline/format/parquet/internal/arrow_files.h"
#include "strandline/format/parquet/internal/chunk_statistics.h"
#include "strandline/format/parquet/internal/guard.h"

namespace strandline::format {
namespace {

// Each column being read keeps a buffer of at most this size, instead of its whole chunk.
constexpr std::int64_t kColumnBufferBytesMax = 1 << 20;
constexpr std::int64_t kColumnBufferBytesMin = 4096;

constexpr std::string_view kEncryptedFooterMagic = "PARE";

parquet::ReaderProperties ReaderProperties() {
  parquet::ReaderProperties properties;
  properties.set_page_checksum_verification(true);
  return properties;
}

parquet::ArrowReaderProperties ArrowProperties(std::int64_t batch_rows) {
  parquet::ArrowReaderProperties properties(/*use_threads=*/false);
  properties.set_pre_buffer(false);
  properties.set_batch_size(batch_rows);
  // Nanoseconds, the default, hold only the years 1678 to 2262.
  properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  return properties;
}

// Where a top-level column lies among the leaf columns of the file.
struct ColumnLeaves {
  std::vector<int> leaves;
  bool is_primitive = false;
};

void AddLeaves(const parquet::arrow::SchemaField& field, std::vector<int>& leaves) {
  if (field.is_leaf()) {
    leaves.push_back(field.column_index);
  }
  for (const parquet::arrow::SchemaField& child : field.children) {
    AddLeaves(child, leaves);
  }
}

std::optional<PhysicalType> PhysicalTypeOf(const parquet::ColumnDescriptor& column) {
  switch (column.physical_type()) {
    case parquet::Type::INT32:
      return PhysicalType{.kind = PhysicalKind::kInt32};
    case parquet::Type::INT64:
      return PhysicalType{.kind = PhysicalKind::kInt64};
    case parquet::Type::FLOAT:
      return PhysicalType{.kind = PhysicalKind::kFloat};
    case parquet::Type::DOUBLE:
      return PhysicalType{.kind = PhysicalKind::kDouble};
    case parquet::Type::BYTE_ARRAY:
      return PhysicalType{.kind = PhysicalKind::kByteArray};
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return PhysicalType{.kind = PhysicalKind::kFixedBytes, .length = column.type_length()};
    default:
      return std::nullopt;
  }
}

// Hashes of values that are equal, or may be, without being equal bytes.
struct FloatHashes {
  std::uint64_t positive_zero = 0;
  std::uint64_t negative_zero = 0;
  std::uint64_t nan = 0;
};

template <typename T>
std::uint64_t HashOfPlain(T value) {
  return BloomHash(std::string_view(reinterpret_cast<const char*>(&value), sizeof(value)));
}

template <typename T>
FloatHashes FloatHashesOf() {
  return {.positive_zero = HashOfPlain(T{0}),
          .negative_zero = HashOfPlain(-T{0}),
          .nan = HashOfPlain(std::numeric_limits<T>::quiet_NaN())};
}

class FileBloomFilter final : public ParquetFile::BloomFilter {
 public:
  FileBloomFilter(std::unique_ptr<parquet::BloomFilter> filter, PhysicalKind kind)
      : filter_(std::move(filter)) {
    if (kind == PhysicalKind::kFloat) {
      floats_ = FloatHashesOf<float>();
    } else if (kind == PhysicalKind::kDouble) {
      floats_ = FloatHashesOf<double>();
    }
  }

  bool MayContain(std::uint64_t hash) const override {
    if (floats_) {
      if (hash == floats_->nan) {
        return true;
      }
      if (hash == floats_->positive_zero || hash == floats_->negative_zero) {
        return filter_->FindHash(floats_->positive_zero) ||
               filter_->FindHash(floats_->negative_zero);
      }
    }
    return filter_->FindHash(hash);
  }

  std::int64_t size_bytes() const override { return filter_->GetBitsetSize(); }

 private:
  std::unique_ptr<parquet::BloomFilter> filter_;
  std::optional<FloatHashes> floats_;  // Only in columns of floats or doubles.
};

// Whether every data page holds indices only. The footer's plain list of encodings does not tell:
// it has those of the dictionary page too.
bool HasOnlyDictionaryPages(const parquet::ColumnChunkMetaData& chunk) {
  const auto refers_to_dictionary = [](parquet::Encoding::type encoding) {
    return encoding == parquet::Encoding::RLE_DICTIONARY ||
           encoding == parquet::Encoding::PLAIN_DICTIONARY;
  };
  bool has_data = false;
  for (const parquet::PageEncodingStats& pages : chunk.encoding_stats()) {
    const bool is_data = pages.page_type == parquet::PageType::DATA_PAGE ||
                         pages.page_type == parquet::PageType::DATA_PAGE_V2;
    if (is_data && pages.count > 0 && !refers_to_dictionary(pages.encoding)) {
      return false;
    }
    has_data |= is_data;
  }
  return has_data;
}

// The Parquet library does not compare the indices of a page with its dictionary.
bool RefersToItsDictionary(const arrow::DictionaryArray& column) {
  SL_CHECK(column.indices()->type_id() == arrow::Type::INT32);
  const auto& indices = static_cast<const arrow::Int32Array&>(*column.indices());
  const auto values = static_cast<std::uint32_t>(column.dictionary()->length());
  const std::span<const std::int32_t> raw(indices.raw_values(),
                                          static_cast<std::size_t>(indices.length()));
  std::uint32_t largest = 0;
  for (const std::int32_t index : raw) {
    largest = std::max(largest, static_cast<std::uint32_t>(index));
  }
  if (largest < values) {
    return true;
  }
  for (std::int64_t i = 0; i < indices.length(); ++i) {
    if (indices.IsValid(i) && static_cast<std::uint32_t>(indices.Value(i)) >= values) {
      return false;
    }
  }
  return true;
}

class RowGroupStream final : public BatchStream {
 public:
  // `picks`: for each column wanted, its place in the batches of `batches`.
  RowGroupStream(std::string location, std::unique_ptr<parquet::arrow::FileReader> reader,
                 std::unique_ptr<arrow::RecordBatchReader> batches, std::vector<int> picks,
                 std::int64_t rows_expected)
      : location_(std::move(location)),
        reader_(std::move(reader)),
        batches_(std::move(batches)),
        picks_(std::move(picks)),
        rows_left_(rows_expected) {}

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    return Guarded(location_, ErrorKind::kCorrupt,
                   [this]() -> Result<std::shared_ptr<arrow::RecordBatch>> { return DoNext(); });
  }

 private:
  Result<std::shared_ptr<arrow::RecordBatch>> DoNext() {
    std::shared_ptr<arrow::RecordBatch> batch;
    do {
      SL_TRY(InFile(location_, batches_->ReadNext(&batch), ErrorKind::kCorrupt));
    } while (batch != nullptr && batch->num_rows() == 0);
    rows_left_ -= batch == nullptr ? 0 : batch->num_rows();
    if (rows_left_ < 0 || (batch == nullptr && rows_left_ > 0)) {
      return MakeError(
          ErrorKind::kCorrupt, "Parquet file {}: the pages hold {} rows {} than the footer says",
          location_, rows_left_ < 0 ? -rows_left_ : rows_left_, rows_left_ < 0 ? "more" : "fewer");
    }
    if (batch == nullptr || picks_.empty()) {
      return batch;
    }
    for (const std::shared_ptr<arrow::Array>& column : batch->columns()) {
      if (column->type_id() == arrow::Type::DICTIONARY &&
          !RefersToItsDictionary(static_cast<const arrow::DictionaryArray&>(*column))) {
        return MakeError(ErrorKind::kCorrupt,
                         "Parquet file {}: a page refers to values that its dictionary lacks",
                         location_);
      }
    }
    return InFile(location_, batch->SelectColumns(picks_), ErrorKind::kCorrupt);
  }

  std::string location_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;  // Outlives batches_, which refers to it.
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  std::vector<int> picks_;
  std::int64_t rows_left_;
};

class ArrowParquetFile final : public ParquetFile {
 public:
  static Result<std::shared_ptr<const ParquetFile>> Open(std::string location,
                                                         std::shared_ptr<ArrowInputFile> source) {
    auto file = std::shared_ptr<ArrowParquetFile>(
        new ArrowParquetFile(std::move(location), std::move(source)));
    const Status opened = Guarded(file->location_, ErrorKind::kCorrupt,
                                  [&]() -> Status { return file->ReadFooter(); });
    if (!opened && file->HasEncryptedFooter()) {
      return MakeError(ErrorKind::kUnsupported, "Parquet file {}: it is encrypted",
                       file->location_);
    }
    SL_TRY(opened);
    return std::shared_ptr<const ParquetFile>(std::move(file));
  }

  const std::string& location() const override { return location_; }
  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  std::int64_t row_count() const override { return metadata_->num_rows(); }
  int row_group_count() const override { return metadata_->num_row_groups(); }

  std::int64_t row_group_rows(int row_group) const override {
    return row_group_first_row(row_group + 1) - row_group_first_row(row_group);
  }

  std::int64_t row_group_first_row(int row_group) const override {
    SL_CHECK(row_group >= 0 && static_cast<std::size_t>(row_group) < first_rows_.size());
    return first_rows_[static_cast<std::size_t>(row_group)];
  }

  std::int64_t chunk_bytes(int row_group, int column) const override {
    SL_CHECK(row_group >= 0 && row_group < row_group_count());
    const Result<std::int64_t> bytes =
        Guarded(location_, ErrorKind::kCorrupt, [&]() -> Result<std::int64_t> {
          const std::unique_ptr<parquet::RowGroupMetaData> group = metadata_->RowGroup(row_group);
          std::int64_t sum = 0;
          for (const int leaf : Leaves(column).leaves) {
            sum += std::max<std::int64_t>(0, group->ColumnChunk(leaf)->total_compressed_size());
          }
          return sum;
        });
    return bytes ? *bytes : 0;
  }

  std::optional<std::int64_t> dictionary_bytes(int row_group, int column) const override {
    SL_CHECK(row_group >= 0 && row_group < row_group_count());
    if (!IsUtf8(column)) {
      return std::nullopt;
    }
    using Bytes = std::optional<std::int64_t>;
    const Result<Bytes> bytes = Guarded(location_, ErrorKind::kCorrupt, [&]() -> Result<Bytes> {
      const std::unique_ptr<parquet::ColumnChunkMetaData> chunk =
          metadata_->RowGroup(row_group)->ColumnChunk(Leaves(column).leaves.front());
      const std::int64_t begin = chunk->has_dictionary_page() ? chunk->dictionary_page_offset() : 0;
      const std::int64_t end = chunk->data_page_offset();
      const bool is_whole = begin > 0 && begin < end && HasOnlyDictionaryPages(*chunk);
      return is_whole ? Bytes(end - begin) : Bytes();
    });
    return bytes ? *bytes : std::nullopt;
  }

  ChunkStatistics chunk_statistics(int row_group, int column) const override {
    SL_CHECK(row_group >= 0 && row_group < row_group_count());
    const ColumnLeaves& leaves = Leaves(column);
    if (!leaves.is_primitive) {
      return {};
    }
    const int leaf = leaves.leaves.front();
    const Result<ChunkStatistics> statistics =
        Guarded(location_, ErrorKind::kCorrupt, [&]() -> Result<ChunkStatistics> {
          return StatisticsOf(*metadata_->RowGroup(row_group)->ColumnChunk(leaf),
                              *metadata_->schema()->Column(leaf));
        });
    // Statistics that cannot be read are statistics that cannot be trusted.
    return statistics ? *statistics : ChunkStatistics{};
  }

  Result<std::unique_ptr<BatchStream>> Read(const ParquetReadRequest& request) const override {
    SL_TRY(CheckRequest(request));
    return Guarded(location_, ErrorKind::kCorrupt,
                   [&]() -> Result<std::unique_ptr<BatchStream>> { return MakeStream(request); });
  }

  Result<std::unique_ptr<BloomFilter>> ReadBloomFilter(int row_group, int column) const override {
    SL_CHECK(row_group >= 0 && row_group < row_group_count());
    const ColumnLeaves& leaves = Leaves(column);
    if (!leaves.is_primitive) {
      return std::unique_ptr<BloomFilter>();
    }
    const int leaf = leaves.leaves.front();
    const std::optional<PhysicalType> stored = PhysicalTypeOf(*metadata_->schema()->Column(leaf));
    if (!stored || stored != BloomPhysicalType(*schema_->field(column)->type())) {
      return std::unique_ptr<BloomFilter>();
    }
    return Guarded(location_, ErrorKind::kCorrupt, [&]() -> Result<std::unique_ptr<BloomFilter>> {
      const auto reader = parquet::ParquetFileReader::Open(source_, ReaderProperties(), metadata_);
      const auto group = reader->GetBloomFilterReader().RowGroup(row_group);
      auto filter = group == nullptr ? nullptr : group->GetColumnBloomFilter(leaf);
      if (filter == nullptr) {
        return std::unique_ptr<BloomFilter>();
      }
      return std::unique_ptr<BloomFilter>(
          std::make_unique<FileBloomFilter>(std::move(filter), stored->kind));
    });
  }

 private:
  ArrowParquetFile(std::string location, std::shared_ptr<ArrowInputFile> source)
      : location_(std::move(location)), source_(std::move(source)) {}

  Status ReadFooter() {
    auto raw = parquet::ParquetFileReader::Open(source_, ReaderProperties());
    metadata_ = raw->metadata();
    if (metadata_->is_encryption_algorithm_set()) {
      return MakeError(ErrorKind::kUnsupported, "Parquet file {}: it is encrypted", location_);
    }
    SL_TRY(CheckRowGroups());
    const std::unique_ptr<parquet::arrow::FileReader> reader = SL_TRY(
        InFile(location_,
               parquet::arrow::FileReader::Make(arrow::default_memory_pool(), std::move(raw),
                                                ArrowProperties(ParquetReadRequest{}.batch_rows)),
               ErrorKind::kCorrupt));
    SL_TRY(InFile(location_, reader->GetSchema(&schema_), ErrorKind::kCorrupt));
    for (const parquet::arrow::SchemaField& field : reader->manifest().schema_fields) {
      ColumnLeaves& column = columns_.emplace_back();
      AddLeaves(field, column.leaves);
      column.is_primitive = field.is_leaf() && field.level_info.rep_level == 0;
    }
    return {};
  }

  // What the accessors rely on: every row group has every column, and the rows add up.
  Status CheckRowGroups() {
    first_rows_.push_back(0);
    for (int group = 0; group < metadata_->num_row_groups(); ++group) {
      const std::unique_ptr<parquet::RowGroupMetaData> row_group = metadata_->RowGroup(group);
      if (row_group->num_columns() != metadata_->num_columns()) {
        return MakeError(ErrorKind::kCorrupt,
                         "Parquet file {}: row group {} has {} columns, the schema {}", location_,
                         group, row_group->num_columns(), metadata_->num_columns());
      }
      const std::int64_t rows = row_group->num_rows();
      if (rows < 0 || rows > metadata_->num_rows() - first_rows_.back()) {
        return MakeError(ErrorKind::kCorrupt,
                         "Parquet file {}: row group {} has {} rows in a file of {}", location_,
                         group, rows, metadata_->num_rows());
      }
      first_rows_.push_back(first_rows_.back() + rows);
    }
    if (first_rows_.back() != metadata_->num_rows()) {
      return MakeError(ErrorKind::kCorrupt,
                       "Parquet file {}: its row groups have {} rows, its footer says {}",
                       location_, first_rows_.back(), metadata_->num_rows());
    }
    return {};
  }

  bool HasEncryptedFooter() const {
    std::array<char, kEncryptedFooterMagic.size()> magic{};
    const auto size = static_cast<std::int64_t>(magic.size());
    const arrow::Result<std::int64_t> file_size = source_->GetSize();
    if (!file_size.ok() || *file_size < size) {
      return false;
    }
    const auto read = source_->ReadAt(*file_size - size, size, magic.data());
    return read.ok() && std::string_view(magic.data(), magic.size()) == kEncryptedFooterMagic;
  }

  const ColumnLeaves& Leaves(int column) const {
    SL_CHECK(column >= 0 && static_cast<std::size_t>(column) < columns_.size());
    return columns_[static_cast<std::size_t>(column)];
  }

  bool IsUtf8(int column) const {
    return Leaves(column).is_primitive &&
           schema_->field(column)->type()->id() == arrow::Type::STRING;
  }

  Status CheckRequest(const ParquetReadRequest& request) const {
    for (const int group : request.row_groups) {
      if (group < 0 || group >= row_group_count()) {
        return MakeError(ErrorKind::kInvalidArgument, "Parquet file {}: no row group {} among {}",
                         location_, group, row_group_count());
      }
    }
    for (const int column : request.columns) {
      if (column < 0 || column >= schema_->num_fields()) {
        return MakeError(ErrorKind::kInvalidArgument, "Parquet file {}: no column {} among {}",
                         location_, column, schema_->num_fields());
      }
    }
    for (const int column : request.dictionary_columns) {
      if (column < 0 || column >= schema_->num_fields() || !IsUtf8(column)) {
        return MakeError(ErrorKind::kInvalidArgument,
                         "Parquet file {}: column {} cannot come as a dictionary", location_,
                         column);
      }
    }
    if (request.batch_rows <= 0) {
      return MakeError(ErrorKind::kInvalidArgument, "Parquet file {}: batches of {} rows",
                       location_, request.batch_rows);
    }
    return {};
  }

  Result<std::unique_ptr<BatchStream>> MakeStream(const ParquetReadRequest& request) const {
    // Arrow reads a column once, however often it is named.
    std::vector<int> columns;
    std::vector<int> picks;
    std::vector<int> leaves;
    for (const int column : request.columns) {
      const auto place = std::find(columns.begin(), columns.end(), column);
      picks.push_back(static_cast<int>(place - columns.begin()));
      if (place == columns.end()) {
        columns.push_back(column);
        leaves.insert(leaves.end(), Leaves(column).leaves.begin(), Leaves(column).leaves.end());
      }
    }
    parquet::ReaderProperties properties = ReaderProperties();
    properties.enable_buffered_stream();
    properties.set_buffer_size(ColumnBufferBytes(request.row_groups, leaves));
    parquet::ArrowReaderProperties arrow_properties = ArrowProperties(request.batch_rows);
    for (const int column : request.dictionary_columns) {
      arrow_properties.set_read_dictionary(Leaves(column).leaves.front(), true);
    }
    // A reader of its own for every stream: Arrow does not promise that one can be shared.
    std::unique_ptr<parquet::arrow::FileReader> reader = SL_TRY(InFile(
        location_,
        parquet::arrow::FileReader::Make(
            arrow::default_memory_pool(),
            parquet::ParquetFileReader::Open(source_, properties, metadata_), arrow_properties),
        ErrorKind::kCorrupt));
    std::unique_ptr<arrow::RecordBatchReader> batches = SL_TRY(InFile(
        location_, reader->GetRecordBatchReader(request.row_groups, leaves), ErrorKind::kCorrupt));
    std::int64_t rows = 0;
    for (const int group : request.row_groups) {
      rows += row_group_rows(group);
    }
    return std::unique_ptr<BatchStream>(std::make_unique<RowGroupStream>(
        location_, std::move(reader), std::move(batches), std::move(picks), rows));
  }

  // Enough for the largest chunk, within bounds: small files get small buffers.
  std::int64_t ColumnBufferBytes(const std::vector<int>& row_groups,
                                 const std::vector<int>& leaves) const {
    std::int64_t largest = 0;
    for (const int row_group : row_groups) {
      const std::unique_ptr<parquet::RowGroupMetaData> group = metadata_->RowGroup(row_group);
      for (const int leaf : leaves) {
        largest = std::max(largest, group->ColumnChunk(leaf)->total_compressed_size());
      }
    }
    return std::clamp(largest, kColumnBufferBytesMin, kColumnBufferBytesMax);
  }

  std::string location_;
  std::shared_ptr<ArrowInputFile> source_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<ColumnLeaves> columns_;
  std::vector<std::int64_t>
      first_rows_;  // One more than there are row groups: the last is the sum.
};

}  // namespace

Result<std::shared_ptr<const ParquetFile>> OpenParquetFile(io::FileIo& io,
                                                           const std::string& location,
                                                           std::optional<std::int64_t> size_bytes) {
  std::shared_ptr<io::InputFile> file = SL_TRY(io.Open(location));
  if (size_bytes && *size_bytes != file->size_bytes()) {
    return MakeError(ErrorKind::kCorrupt,
                     "Parquet file {}: it has {} bytes, the metadata that names it says {}",
                     location, file->size_bytes(), *size_bytes);
  }
  return ArrowParquetFile::Open(location, std::make_shared<ArrowInputFile>(std::move(file)));
}

}  // namespace strandline::format
