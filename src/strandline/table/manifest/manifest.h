#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/io/file_io.h"
#include "strandline/table/ids.h"
#include "strandline/table/metadata/table_metadata.h"
#include "strandline/table/partition/partition_spec.h"

namespace strandline::table {

enum class FileContent : std::int32_t { kData = 0, kPositionDeletes = 1, kEqualityDeletes = 2 };
enum class ManifestContent : std::int32_t { kData = 0, kDeletes = 1 };
enum class EntryStatus : std::int32_t { kExisting = 0, kAdded = 1, kDeleted = 2 };

// Per-column numbers, sorted by field id.
using ColumnCounts = std::vector<std::pair<FieldId, std::int64_t>>;
// Per-column bounds in single-value serialization, sorted by field id.
using ColumnBounds = std::vector<std::pair<FieldId, std::string>>;

const std::int64_t* FindCount(const ColumnCounts& counts, FieldId id);
const std::string* FindBound(const ColumnBounds& bounds, FieldId id);

// One data or delete file. https://iceberg.apache.org/spec/#data-file-fields
struct DataFile {
  FileContent content = FileContent::kData;
  std::string file_path;  // Exactly as stored: never normalised.
  std::string file_format = "PARQUET";
  PartitionTuple partition;
  std::int64_t record_count = 0;
  std::int64_t file_size_bytes = 0;
  ColumnCounts column_sizes;
  ColumnCounts value_counts;
  ColumnCounts null_value_counts;
  ColumnCounts nan_value_counts;
  ColumnBounds lower_bounds;
  ColumnBounds upper_bounds;
  std::optional<std::string> key_metadata;
  std::vector<std::int64_t> split_offsets;
  std::vector<FieldId> equality_ids;
  std::optional<SortOrderId> sort_order_id;
  // Position deletes that all point at one data file name it here.
  std::optional<std::string> referenced_data_file;

  friend bool operator==(const DataFile&, const DataFile&) = default;
};

// https://iceberg.apache.org/spec/#manifest-entry-fields. After reading, inheritance is done: all
// three are set (a file sequence number that an old writer left out of an existing entry is taken
// to be the data sequence number). In an entry to be written as added, absent means "inherit".
struct ManifestEntry {
  EntryStatus status = EntryStatus::kAdded;
  std::optional<SnapshotId> snapshot_id;
  std::optional<SequenceNumber> sequence_number;
  std::optional<SequenceNumber> file_sequence_number;
  DataFile file;

  friend bool operator==(const ManifestEntry&, const ManifestEntry&) = default;
};

// https://iceberg.apache.org/spec/#manifest-lists (field_summary)
//
// Absent bounds mean "unknown", even where `contains_null` is false: ClickHouse writes that of
// fields with values. Who prunes by them loses rows.
struct PartitionFieldSummary {
  bool contains_null = false;              // Read as true where the writer did not say.
  std::optional<bool> contains_nan;        // Absent: unknown, may contain.
  std::optional<std::string> lower_bound;  // Single-value serialization.
  std::optional<std::string> upper_bound;

  friend bool operator==(const PartitionFieldSummary&, const PartitionFieldSummary&) = default;
};

// In the line of a manifest just written, until the list writer assigns one.
inline constexpr SequenceNumber kUnassignedSequenceNumber{-1};

// One line of a manifest list.
struct ManifestFile {
  std::string manifest_path;
  std::int64_t manifest_length = 0;
  SpecId partition_spec_id;
  ManifestContent content = ManifestContent::kData;
  SequenceNumber sequence_number;
  SequenceNumber min_sequence_number;
  SnapshotId added_snapshot_id;
  // Absent in lists whose writer left them out.
  std::optional<std::int64_t> added_files_count;
  std::optional<std::int64_t> existing_files_count;
  std::optional<std::int64_t> deleted_files_count;
  std::optional<std::int64_t> added_rows_count;
  std::optional<std::int64_t> existing_rows_count;
  std::optional<std::int64_t> deleted_rows_count;
  std::vector<PartitionFieldSummary> partitions;  // Empty: absent.
  std::optional<std::string> key_metadata;

  friend bool operator==(const ManifestFile&, const ManifestFile&) = default;
};

// Which optional parts of entries to decode; the rest is skipped, which is much cheaper.
struct ManifestReadOptions {
  bool bounds = true;        // lower_bounds, upper_bounds, value, null and NaN counts
  bool column_sizes = true;  // column_sizes, split_offsets
  // Not empty: keep only these columns' counts and bounds.
  std::vector<FieldId> columns;
};

// Return false to stop early.
using ManifestEntryVisitor = std::function<Result<bool>(ManifestEntry&&)>;

// Streams the entries of one manifest (deleted ones too), with snapshot id and sequence numbers
// inherited from `manifest` as the specification says. Partition values are given in the order and
// types of the table's spec `manifest.partition_spec_id`.
//
// Reads by field id; a manifest without ids is read by the specification's names. Nullable unions,
// unknown extra fields and any of the codecs null, deflate, snappy, zstandard are fine, as is a
// `schema` header that is not a schema (it is not needed). kCorrupt names the file, the entry and
// the field; kUnsupported for file formats and contents we do not know, and for manifests of any
// version but 2.
Status ReadManifest(io::FileIo& io, const TableMetadata& metadata, const ManifestFile& manifest,
                    const ManifestReadOptions& options, const ManifestEntryVisitor& visitor);

// The lines of a snapshot's manifest list; as tolerant as ReadManifest. kCorrupt names the list,
// the line and the field; kUnsupported for lists of any version but 2, and for a snapshot that has
// none.
Result<std::vector<ManifestFile>> ReadManifestList(io::FileIo& io, const Snapshot& snapshot);

// Writes one manifest of version 2 at `location` and returns its line for the manifest list, counts
// and partition summaries filled in. `sequence_number` is left at 0: the list writer assigns it,
// and entries added without one inherit it. `min_sequence_number` is the lowest among the live
// entries that have one, kUnassignedSequenceNumber when none has. `added_snapshot_id` is the
// snapshot that will contain it. Partition types are those of the current schema, or of the newest
// one that still has the source column. Deflate, level 6, unless the table says otherwise
// (`write.manifest.compression-codec`, `-level`, or `write.avro.` ones).
//
// kInvalidArgument, with the entry, for: no entries, an entry of another content, a partition that
// is none of `spec`, an existing or deleted entry without snapshot id and sequence numbers.
Result<ManifestFile> WriteManifest(io::FileIo& io, const TableMetadata& metadata,
                                   const PartitionSpec& spec, ManifestContent content,
                                   SnapshotId added_snapshot_id, const std::string& location,
                                   const std::vector<ManifestEntry>& entries);

// Writes a manifest list. Manifests added by this snapshot (added_snapshot_id == snapshot_id and
// sequence number 0) get `sequence_number`, and also as their min_sequence_number when that is
// unassigned. Counts that another writer left out are counted by reading that manifest, since the
// specification demands them.
Status WriteManifestList(io::FileIo& io, const std::string& location, SnapshotId snapshot_id,
                         std::optional<SnapshotId> parent_id, SequenceNumber sequence_number,
                         const std::vector<ManifestFile>& manifests);

}  // namespace strandline::table
