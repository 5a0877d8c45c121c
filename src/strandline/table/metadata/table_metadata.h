#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/clock.h"
#include "strandline/base/result.h"
#include "strandline/table/ids.h"
#include "strandline/table/partition/partition_spec.h"
#include "strandline/table/schema/schema.h"

namespace strandline::table {

inline constexpr std::string_view kMainBranch = "main";

// What a snapshot did. https://iceberg.apache.org/spec/#snapshots
enum class Operation { kAppend, kReplace, kOverwrite, kDelete };
std::string_view ToString(Operation operation);

// One committed state of a table: which manifest list to read, and what it grew from.
struct Snapshot {
  SnapshotId id;

  // Absent for a table's first snapshot. The parent may have been expired since, so looking this id
  // up in the metadata can find nothing.
  std::optional<SnapshotId> parent_id = {};

  SequenceNumber sequence_number;
  std::int64_t timestamp_ms = 0;
  // Absolute location. Empty in old snapshots of a table that was version 1 and listed its
  // manifests inline: they are kept and cannot be read.
  std::string manifest_list;

  // Absent in tables whose writer did not record it.
  std::optional<SchemaId> schema_id = {};

  // Every summary entry, also those we do not interpret, `operation` among them: other engines rely
  // on theirs. Sorted, so that two writes are byte-equal.
  std::map<std::string, std::string> summary = {};

  // Fields of the JSON object that we do not know, by name, as JSON text: kept when it is
  // rewritten.
  std::map<std::string, std::string> unknown_fields = {};

  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

// The summary's `operation`; overwrite when it is missing or unknown (the most careful reading).
Operation OperationOf(const Snapshot& snapshot);

enum class RefKind { kBranch, kTag };

// A branch or a tag. https://iceberg.apache.org/spec/#snapshot-references
struct SnapshotRef {
  SnapshotId snapshot_id;
  RefKind kind = RefKind::kBranch;
  std::optional<std::int64_t> min_snapshots_to_keep = {};
  std::optional<std::int64_t> max_snapshot_age_ms = {};
  std::optional<std::int64_t> max_ref_age_ms = {};
  std::map<std::string, std::string> unknown_fields = {};  // As in a snapshot.

  friend bool operator==(const SnapshotRef&, const SnapshotRef&) = default;
};

struct SortField {
  FieldId source_id;
  Transform transform;
  std::string direction;                                   // asc, desc
  std::string null_order;                                  // nulls-first, nulls-last
  std::map<std::string, std::string> unknown_fields = {};  // As in a snapshot.

  friend bool operator==(const SortField&, const SortField&) = default;
};

struct SortOrder {
  SortOrderId id;  // 0 is reserved: unsorted, no fields.
  std::vector<SortField> fields = {};
  std::map<std::string, std::string> unknown_fields = {};  // As in a snapshot.

  friend bool operator==(const SortOrder&, const SortOrder&) = default;
};

struct SnapshotLogEntry {
  std::int64_t timestamp_ms = 0;
  SnapshotId snapshot_id;
  std::map<std::string, std::string> unknown_fields = {};  // As in a snapshot.
  friend bool operator==(const SnapshotLogEntry&, const SnapshotLogEntry&) = default;
};

struct MetadataLogEntry {
  std::int64_t timestamp_ms = 0;
  std::string metadata_file;
  std::map<std::string, std::string> unknown_fields = {};  // As in a snapshot.
  friend bool operator==(const MetadataLogEntry&, const MetadataLogEntry&) = default;
};

// All that a metadata JSON file of format version 2 says.
// https://iceberg.apache.org/spec/#table-metadata-fields
struct TableMetadata {
  std::int32_t format_version = 2;
  std::string table_uuid;
  std::string location;  // No trailing slash.
  SequenceNumber last_sequence_number;
  std::int64_t last_updated_ms = 0;
  FieldId last_column_id;
  std::vector<Schema> schemas;
  SchemaId current_schema_id;
  std::vector<PartitionSpec> partition_specs;
  SpecId default_spec_id;
  FieldId last_partition_id{999};
  std::map<std::string, std::string> properties;
  std::optional<SnapshotId> current_snapshot_id;  // Absent: no snapshot yet.
  std::vector<Snapshot> snapshots;
  std::vector<SnapshotLogEntry> snapshot_log;
  std::vector<MetadataLogEntry> metadata_log;
  std::vector<SortOrder> sort_orders;
  SortOrderId default_sort_order_id;
  std::map<std::string, SnapshotRef> refs;
  // Statistics files that others wrote, as JSON text, by snapshot; kept as they are.
  std::vector<std::string> statistics;
  std::vector<std::string> partition_statistics;
  std::map<std::string, std::string> unknown_fields;

  friend bool operator==(const TableMetadata&, const TableMetadata&) = default;
};

// No number that we read may be above these, so that counting on from it cannot leave its type. Far
// beyond what a table comes to, and field ids end where the specification's reserved ones begin.
inline constexpr std::int64_t kSequenceNumberMax = std::int64_t{1} << 62;
inline constexpr std::int64_t kTimestampMsMax = 253'402'300'799'999;  // The end of the year 9999.
inline constexpr std::int32_t kFieldIdMax = 2'147'483'447;
inline constexpr std::int32_t kSmallIdMax = 1 << 30;  // Of schemas, specs and sort orders.

// Null when it is not (or no longer) there.
const Snapshot* FindSnapshot(const TableMetadata& metadata, SnapshotId id);
const Schema* FindSchema(const TableMetadata& metadata, SchemaId id);
const PartitionSpec* FindSpec(const TableMetadata& metadata, SpecId id);

// Checked when the metadata was read or built, so these are always there.
const Schema& CurrentSchema(const TableMetadata& metadata);
const PartitionSpec& DefaultSpec(const TableMetadata& metadata);

// The snapshot that `main` points at; null for a table without one.
const Snapshot* CurrentSnapshot(const TableMetadata& metadata);

// The retained ancestors of a snapshot, itself first; ends where a parent has been expired.
std::vector<const Snapshot*> Ancestors(const TableMetadata& metadata, SnapshotId from);

// A table property or its default.
std::string PropertyOr(const TableMetadata& metadata, std::string_view key,
                       std::string_view fallback);
std::int64_t IntPropertyOr(const TableMetadata& metadata, std::string_view key,
                           std::int64_t fallback);

// The number of a table property; absent when it is not set. kInvalidArgument, naming the property,
// when it is no number from `min` to `max`.
Result<std::optional<std::int64_t>> NumberProperty(const TableMetadata& metadata,
                                                   std::string_view key, std::int64_t min,
                                                   std::int64_t max);

// What ParseTableMetadata() promises of ids: each names one thing, and the current schema, the
// default spec, the default sort order, the current snapshot and the snapshots of refs are there;
// `main` is the current snapshot; and that ids, sequence numbers and times are not negative and not
// above the maxima. kCorrupt says which is not. For metadata that was built.
Status CheckTableMetadata(const TableMetadata& metadata);

// Reads a metadata JSON file's bytes, gzipped or not (told by the bytes, not by the name).
// `location` is for messages. kCorrupt when it breaks the specification or its ids point nowhere,
// kUnsupported by name for format versions 1 and 3.
Result<TableMetadata> ParseTableMetadata(std::string_view bytes, std::string_view location);

// The JSON of a metadata file; keeps unknown fields. Object keys are sorted, so equal metadata give
// equal bytes.
std::string TableMetadataJson(const TableMetadata& metadata);

// `<location>/metadata/00007-<uuid>.metadata.json`, one number above the one in `previous` (the
// file that is current now; empty or without a number: 00000). In the folder `write.metadata.path`
// when the table has that property. Ends in `.gz.metadata.json` when it asks for gzip
// (`write.metadata.compression-codec`).
std::string NextMetadataLocation(const TableMetadata& metadata, std::string_view previous,
                                 std::string_view uuid);

// The bytes to store under that name: gzipped if the name says so. kUnavailable without memory to
// do it, kUnsupported when it would be larger than readers take.
Result<std::string> EncodeTableMetadata(const TableMetadata& metadata, std::string_view location);

}  // namespace strandline::table
