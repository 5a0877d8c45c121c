#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/table/metadata/table_metadata.h"

namespace strandline::table {

// What a commit does to metadata and what must hold for it, as values; the words are the REST
// specification's (https://iceberg.apache.org/rest-catalog-spec/, TableUpdate and
// TableRequirement).

struct AssignUuid {
  std::string uuid;
};
struct UpgradeFormatVersion {
  std::int32_t format_version = 2;
};
struct AddSchema {
  Schema schema;
};
struct SetCurrentSchema {
  std::optional<SchemaId> id;
};  // Absent: the last one added.
struct AddPartitionSpec {
  PartitionSpec spec;
};
struct SetDefaultSpec {
  std::optional<SpecId> id;
};  // Absent: the last one added.
struct AddSortOrder {
  SortOrder order;
};
struct SetDefaultSortOrder {
  std::optional<SortOrderId> id;
};  // Absent: the last one added.
struct SetLocation {
  std::string location;
};
struct SetProperties {
  std::map<std::string, std::string> properties;
};
struct RemoveProperties {
  std::vector<std::string> keys;
};
struct AddSnapshot {
  Snapshot snapshot;
};
struct SetSnapshotRef {
  std::string name;
  SnapshotRef ref;
};
struct RemoveSnapshotRef {
  std::string name;
};
struct RemoveSnapshots {
  std::vector<SnapshotId> ids;
};

using Update =
    std::variant<AssignUuid, UpgradeFormatVersion, AddSchema, SetCurrentSchema, AddPartitionSpec,
                 SetDefaultSpec, AddSortOrder, SetDefaultSortOrder, SetLocation, SetProperties,
                 RemoveProperties, AddSnapshot, SetSnapshotRef, RemoveSnapshotRef, RemoveSnapshots>;

struct AssertCreate {};  // The table is not there.
struct AssertUuid {
  std::string uuid;
};
struct AssertRefSnapshotId {
  std::string name;
  std::optional<SnapshotId> id;
};  // Absent: no such ref.
struct AssertCurrentSchemaId {
  SchemaId id;
};
struct AssertDefaultSpecId {
  SpecId id;
};
struct AssertDefaultSortOrderId {
  SortOrderId id;
};
struct AssertLastAssignedFieldId {
  FieldId id;
};
struct AssertLastAssignedPartitionId {
  FieldId id;
};

using Requirement =
    std::variant<AssertCreate, AssertUuid, AssertRefSnapshotId, AssertCurrentSchemaId,
                 AssertDefaultSpecId, AssertDefaultSortOrderId, AssertLastAssignedFieldId,
                 AssertLastAssignedPartitionId>;

// What a catalog is asked to do to one table in one atomic step: these updates, provided that these
// requirements still hold.
struct CommitRequest {
  std::vector<Requirement> requirements;
  std::vector<Update> updates;
};

// kConflict, naming what was expected and what was found, when a requirement does not hold. `base`
// is null when the table is not there.
Status CheckRequirements(const TableMetadata* base, const std::vector<Requirement>& requirements);

// The metadata after the updates, which are applied in order to `base` (null: an empty start, for
// creation). Keeps snapshot log, last-updated (max(now, last + 1 ms): never backwards), last ids
// and logs true. `now_ms` is the commit's time. kInvalidArgument for an update that cannot apply (a
// ref to an unknown snapshot, a sequence number that is not above the last).
Result<TableMetadata> ApplyUpdates(const TableMetadata* base, const std::vector<Update>& updates,
                                   std::int64_t now_ms);

// Requirements and updates that make a new table. The schema's ids are taken as they are (use
// AssignFreshIds first). Statistics columns etc. are properties.
struct NewTable {
  std::string uuid;
  std::string location;
  Schema schema;
  PartitionSpec spec;
  std::map<std::string, std::string> properties;
};
CommitRequest CreateTable(NewTable table);

}  // namespace strandline::table
