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
  int compression_level = 1;
  std::int64_t row_group_rows = 1 << 20;
  // Columns by name that get a bloom filter in each row group.
  std::vector<std::string> bloom_filter_columns;
  double bloom_filter_false_positive_rate = 0.01;
  // Columns by name whose values hardly repeat: a dictionary would only cost time.
  std::vector<std::string> plain_columns;
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

// Writes batches as row groups. Not thread-safe. Nothing is durable before Close().
class ParquetWriter {
 public:
  virtual ~ParquetWriter() = default;
  // `batch` must have the schema given to Make().
  virtual Status Write(const arrow::RecordBatch& batch) = 0;
  // Bytes so far, those of the open row group estimated.
  virtual std::int64_t estimated_bytes() const = 0;
  virtual std::int64_t rows() const = 0;
  virtual Result<WrittenParquet> Close() = 0;
};

// Creates `location` and writes the header. kAlreadyExists when the name is taken.
Result<std::unique_ptr<ParquetWriter>> MakeParquetWriter(io::FileIo& io,
                                                         const std::string& location,
                                                         std::shared_ptr<arrow::Schema> schema,
                                                         const ParquetWriteOptions& options);

}  // namespace strandline::format
