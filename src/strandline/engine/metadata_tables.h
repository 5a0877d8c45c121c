#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/io/file_io.h"
#include "strandline/table/metadata/table_metadata.h"

namespace strandline::engine {

// What a table's metadata says, as rows: `select * from ads.impressions.snapshots`. Column names
// follow Iceberg's metadata tables in Spark where they have the same meaning.
enum class MetadataTable {
  kSnapshots,  // committed_at, snapshot_id, parent_id, operation, manifest_list, summary (JSON
               // text)
  kFiles,  // Live files of `main`: content, file_path, file_format, partition, record_count, ...
  kPartitions,  // Live partitions of `main`: partition, files, rows and bytes
  kRefs,        // name, type, snapshot_id, retention
  kManifests,   // Of `main`: path, length, spec, counts
  kHistory,     // made_current_at, snapshot_id, parent_id, is_current_ancestor
};

// `snapshots`, `files`, ...; absent for any other word.
std::optional<MetadataTable> ParseMetadataTable(std::string_view name);

// The rows, in one batch. Reads manifests for files, partitions and manifests; the rest is in
// `metadata`. Fails like ReadManifest.
Result<std::shared_ptr<arrow::RecordBatch>> ReadMetadataTable(MetadataTable kind,
                                                              const table::TableMetadata& metadata,
                                                              io::FileIo& io);

}  // namespace strandline::engine
