#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/io/file_io.h"

namespace strandline::format {

enum class Compression { kNone, kSnappy, kGzip, kZstd };

struct ParquetWriteOptions {
  Compression compression = Compression::kZstd;
  int compression_level = 1;  // Of gzip and zstd.
  // A row group ends at whichever comes first: this many rows, or this many bytes in memory
  // (decoded) at the end of a batch, which bounds what a writer holds.
  std::int64_t row_group_rows = 1 << 20;
  std::int64_t row_group_bytes = std::int64_t{512} << 20;
  // Columns that get a bloom filter in each row group, sized by the values that are really there.
  // Leaves of structs by their dotted path.
  std::vector<std::string> bloom_filter_columns = {};
  double bloom_filter_false_positive_rate = 0.01;
  // Columns whose values hardly repeat: a dictionary would only cost time.
  std::vector<std::string> plain_columns = {};
};

// What a finished file looks like from outside.
struct WrittenParquet {
  std::int64_t size_bytes = 0;
  std::int64_t row_count = 0;
  std::vector<std::int64_t> row_group_offsets;  // First byte of each row group.
  // Compressed bytes by leaf column, in the order of the leaves.
  std::vector<std::int64_t> leaf_sizes;
  // Field id of each leaf, from its `PARQUET:field_id`; -1 without one.
  std::vector<std::int32_t> leaf_field_ids;
};

// Writes batches as row groups. Not thread-safe. Nothing is durable before Close(); a writer
// destroyed before that leaves a file without a footer, or none. After a failure the file is lost:
// every later call fails with kInvalidArgument.
class ParquetWriter {
 public:
  virtual ~ParquetWriter() = default;
  // `batch` must have the fields of the schema given to the writer, in order (kInvalidArgument
  // otherwise, and when a field that is not nullable holds a null).
  virtual Status Write(const arrow::RecordBatch& batch) = 0;
  // Bytes so far, those of the open row group estimated.
  virtual std::int64_t estimated_bytes() const = 0;
  virtual std::int64_t rows() const = 0;
  virtual Result<WrittenParquet> Close() = 0;
};

// Marks a fixed_size_binary(16) field as a UUID, so that the file says so: field metadata, the name
// of Arrow's own extension type.
inline constexpr char kUuidFieldKey[] = "ARROW:extension:name";
inline constexpr char kUuidFieldValue[] = "arrow.uuid";

// Creates `location` and writes the header. kAlreadyExists when the name is taken, kInvalidArgument
// for an option that names no column, or a bloom filter for a type that can have none.
//
// Types are stored as Iceberg wants them: decimals of up to 9 digits as int32, of up to 18 as
// int64, longer ones as fixed bytes; timestamps in the unit they have, adjusted to UTC when they
// have a time zone; `PARQUET:field_id` becomes the field id. Statistics and a page index are
// written, the Arrow schema is not: readers see the types of the file, not those of the program
// that wrote it.
Result<std::unique_ptr<ParquetWriter>> MakeParquetWriter(io::FileIo& io,
                                                         const std::string& location,
                                                         std::shared_ptr<arrow::Schema> schema,
                                                         const ParquetWriteOptions& options);

}  // namespace strandline::format
