#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/format/batch/batch_stream.h"
#include "strandline/io/file_io.h"

namespace strandline::format {

// What the footer says of one column chunk, bounds in Parquet's plain encoding of the column's
// Arrow type (numbers little-endian, in the column's own unit; strings and bytes as they are),
// which is Iceberg's single-value serialization; but decimals big-endian whatever stores them.
// Bounds may be cut, as other writers do with strings: `min` is no value's above, `max` no value's
// below. NaN is never a bound, a zero is -0.0 in `min` and 0.0 in `max`. Absent where the writer
// left them out or they cannot be trusted (old `min`/`max` of unsigned order).
struct ChunkStatistics {
  std::optional<std::string> min;
  std::optional<std::string> max;
  std::optional<std::int64_t> null_count;
};

// What of a file is to be read.
struct ParquetReadRequest {
  std::vector<int> row_groups;
  // Indexes of top-level columns in ParquetFile::schema(), in the order wanted.
  std::vector<int> columns;
  // Those of `columns` that come as dictionary<int32, utf8>, each batch with a dictionary of its
  // own; utf8 in the schema. Pays where dictionary_bytes() is there and small.
  std::vector<int> dictionary_columns = {};
  std::int64_t batch_rows = 65536;
};

// One Parquet file, opened: its footer is read, its rows are not. Immutable; thread-safe, also
// while streams of it are being read.
class ParquetFile {
 public:
  virtual ~ParquetFile() = default;

  virtual const std::string& location() const = 0;

  // Columns as Arrow types; fields carry the metadata key `PARQUET:field_id` where the file has
  // ids.
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;

  virtual std::int64_t row_count() const = 0;
  virtual int row_group_count() const = 0;
  virtual std::int64_t row_group_rows(int row_group) const = 0;
  // Rows of the file before this row group.
  virtual std::int64_t row_group_first_row(int row_group) const = 0;
  // Compressed bytes of one top-level column in one row group; 0 where the footer is broken there
  // (reading that column then fails).
  virtual std::int64_t chunk_bytes(int row_group, int column) const = 0;

  // Stored bytes of the dictionary that holds every value of a top-level utf8 column in this row
  // group. Absent when some values may be stored outside of it, or the footer does not tell.
  virtual std::optional<std::int64_t> dictionary_bytes(int row_group, int column) const = 0;

  // Statistics of a top-level primitive column; all absent for nested ones.
  virtual ChunkStatistics chunk_statistics(int row_group, int column) const = 0;

  // Reads batches of the columns asked for, in row order; without columns the batches only count
  // rows. A stream may outlive the file. kInvalidArgument for row groups or columns that are not
  // there, and for dictionaries of columns that are not utf8; Next() fails with kCorrupt for bad
  // pages.
  virtual Result<std::unique_ptr<BatchStream>> Read(const ParquetReadRequest& request) const = 0;

  // Which values a top-level primitive column may hold in this row group. Absent (null) when the
  // file has no filter for it, or has one over values stored in another way than our writer stores
  // the column's Arrow type (a decimal(9, 2) in bytes, INT96 timestamps): BloomHashes() would find
  // nothing there. The filter holds all its bytes: asking it reads nothing. Thread-safe.
  class BloomFilter {
   public:
    virtual ~BloomFilter() = default;
    // `hash`: see format/parquet/bloom_hash.h. False: surely not there. Zeros of both signs are
    // asked for together, and a NaN may always be there: its many bit patterns hash differently.
    virtual bool MayContain(std::uint64_t hash) const = 0;
    virtual std::int64_t size_bytes() const = 0;
  };
  virtual Result<std::unique_ptr<BloomFilter>> ReadBloomFilter(int row_group, int column) const = 0;
};

// Opens `location`; `size_bytes` is what the metadata claims (kCorrupt when the file differs),
// absent: asked of storage. kNotFound when it is missing, kCorrupt when it is no Parquet file,
// kUnsupported for encrypted files. Errors name the file.
Result<std::shared_ptr<const ParquetFile>> OpenParquetFile(io::FileIo& io,
                                                           const std::string& location,
                                                           std::optional<std::int64_t> size_bytes);

}  // namespace strandline::format
