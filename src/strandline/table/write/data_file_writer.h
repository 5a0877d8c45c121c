#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/format/parquet/parquet_writer.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::table {

// What the table's properties say about new data files (`write.parquet.compression-codec`,
// `write.parquet.compression-level`, `write.parquet.row-group-limit` (rows),
// `write.parquet.bloom-filter-enabled.column.<name>`,
// `write.parquet.dictionary-enabled.column.<name>` = false, `write.target-file-size-bytes`).
// kUnsupported for a codec we do not write.
Result<format::ParquetWriteOptions> WriteOptionsOf(const TableMetadata& metadata);

// Where the next data file of a partition goes: `<location>/data/<partition
// path>/<stem>-<number>.parquet`, or under `write.data.path`, or with a hash in front where
// `write.object-storage.enabled` asks for it.
std::string NewDataFileLocation(const TableMetadata& metadata, const PartitionSpec& spec,
                                const PartitionTuple& partition, const std::string& file_name);

// Writes one data file of one partition and gathers its metrics in the same pass: counts of values,
// nulls and NaNs, lower and upper bounds, equal to what a scan would find, for every type; string
// and binary bounds cut to 16
// (`write.metadata.metrics.default` and `.column.<name>` honoured: none, counts, truncate(n),
// full), upper bounds never below the value, never broken UTF-8. Not thread-safe.
class DataFileWriter {
 public:
  virtual ~DataFileWriter() = default;

  // `batch` has the columns of ArrowSchema(schema), in order. kInvalidArgument when a required
  // column holds a null.
  virtual Status Write(const arrow::RecordBatch& batch) = 0;
  virtual std::int64_t rows() const = 0;
  virtual std::int64_t estimated_bytes() const = 0;

  // Durable when it returns. The entry for a manifest.
  virtual Result<DataFile> Close() = 0;
};

Result<std::unique_ptr<DataFileWriter>> MakeDataFileWriter(
    io::FileIo& io, const TableMetadata& metadata, const Schema& schema, const PartitionSpec& spec,
    PartitionTuple partition, std::string location);

}  // namespace strandline::table
