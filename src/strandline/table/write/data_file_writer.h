#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/format/parquet/parquet_writer.h"
#include "strandline/io/file_io.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::table {

// What the table's properties say about how new data files are written:
// `write.parquet.compression-codec`, `write.parquet.compression-level`,
// `write.parquet.row-group-limit` (rows), `write.parquet.row-group-size-bytes` (compared with the
// rows in memory, so a group is never larger than asked for; what we hold in memory anyway is the
// upper limit), `write.parquet.bloom-filter-enabled.column.<path>`,
// `write.parquet.dictionary-enabled.column.<path>` = false. Properties of columns that are not in
// the current schema, or cannot have what they ask for (a bloom filter over a boolean), are left
// out: tables outlive columns. kUnsupported for a codec we do not write, kInvalidArgument for a
// value that makes no sense; both name the property.
Result<format::ParquetWriteOptions> WriteOptionsOf(const TableMetadata& metadata);

// `write.target-file-size-bytes`: a file that has grown to this is closed and a new one begun.
// kInvalidArgument, naming the property, for a value that is no positive number.
Result<std::int64_t> TargetFileBytes(const TableMetadata& metadata);

// Where the next data file of a partition goes: `<location>/data/<partition path>/<file_name>`, or
// under `write.data.path`, or with a hash in front where `write.object-storage.enabled` asks for
// it. `partition` holds the values of `spec`, whose columns are looked up in the current schema.
std::string NewDataFileLocation(const TableMetadata& metadata, const PartitionSpec& spec,
                                const PartitionTuple& partition, const std::string& file_name);

// Writes one data file of one partition and gathers its metrics in the same pass: counts of values,
// nulls and NaNs, lower and upper bounds, equal to what a scan would find, for every type. Strings
// and binaries are cut to 16 code points or bytes (`write.metadata.metrics.default` and
// `.column.<path>` honoured: none, counts, truncate(n), full); upper bounds are never below the
// value and never broken UTF-8, and absent where no such bound exists. NaN is never a bound, a zero
// is -0.0 below and 0.0 above. Leaves of lists and maps have counts and no bounds. Not thread-safe.
class DataFileWriter {
 public:
  virtual ~DataFileWriter() = default;

  // `batch` has the columns of ArrowSchema(schema), in order. kInvalidArgument when it has not, or
  // when a required column holds a null: the message names the column, nothing is written, and the
  // writer can go on. Any other failure loses the file.
  virtual Status Write(const arrow::RecordBatch& batch) = 0;
  virtual std::int64_t rows() const = 0;
  virtual std::int64_t estimated_bytes() const = 0;

  // Durable when it returns. The entry for a manifest.
  virtual Result<DataFile> Close() = 0;
};

// Creates the file. kAlreadyExists when `location` is taken; kUnsupported and kInvalidArgument when
// the table's properties cannot be followed.
Result<std::unique_ptr<DataFileWriter>> MakeDataFileWriter(
    io::FileIo& io, const TableMetadata& metadata, const Schema& schema, const PartitionSpec& spec,
    PartitionTuple partition, std::string location);

}  // namespace strandline::table
