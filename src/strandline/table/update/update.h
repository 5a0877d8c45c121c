#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/base/retry.h"
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
  std::vector<Requirement> requirements = {};
  std::vector<Update> updates = {};
};

// Where a branch or tag points; absent when there is no such ref. `main` is also known by the
// current snapshot, since old writers name no refs.
std::optional<SnapshotId> RefSnapshotId(const TableMetadata& metadata, std::string_view ref);

// kConflict, naming what was expected and what was found, when a requirement does not hold. `base`
// is null when the table is not there.
Status CheckRequirements(const TableMetadata* base, const std::vector<Requirement>& requirements);

// The metadata after the updates, which are applied in order to `base` (null: an empty start, for
// creation). Keeps snapshot log, last-updated (max(now, last + 1 ms): never backwards), last ids
// and statistics true. `now_ms` is the commit's time. A schema, spec or sort order that is there
// already is not added again: its id is reused, as Java does. A spec's fields may come with field
// id 0: they get the id that an equal field had before, or the next free one.
//
// kConflict for a snapshot that another commit overtook: its sequence number is not above the last,
// or its time is more than a minute before the last change (readers refuse such a table): rebase
// and try again. kInvalidArgument for any other update that cannot apply (a ref to an unknown
// snapshot, a snapshot removed that a ref holds, a partition field with the id of a different one
// in another spec), kUnsupported for format versions but 2.
Result<TableMetadata> ApplyUpdates(const TableMetadata* base, const std::vector<Update>& updates,
                                   std::int64_t now_ms);

// Requirements and updates that make a new table. The schema's ids are taken as they are (use
// AssignFreshIds first). Statistics columns etc. are properties.
struct NewTable {
  std::string uuid;
  std::string location;
  Schema schema;
  PartitionSpec spec = {};
  std::map<std::string, std::string> properties = {};
};
CommitRequest CreateTable(NewTable table);

// Writes down in `metadata` that its predecessor is the file `previous_location`, last changed at
// `previous_updated_ms`, and keeps the newest `write.metadata.previous-versions-max` (default 100)
// such entries. Returns the files that fell out and that the table wants deleted once the commit
// has landed (`write.metadata.delete-after-commit.enabled`); only ones inside the table's location,
// since a table must not make us delete anything else.
std::vector<std::string> RecordPreviousMetadata(TableMetadata& metadata,
                                                const std::string& previous_location,
                                                std::int64_t previous_updated_ms);

// How often a commit to this table is tried again, and how long it waits:
// `commit.retry.num-retries`,
// `.min-wait-ms`, `.max-wait-ms` and `.total-timeout-ms` (of the waits); RetryPolicy's own where
// the table says nothing. kInvalidArgument, naming the property, for a value that makes no sense.
Result<RetryPolicy> RetryPolicyOf(const TableMetadata& metadata);

// What to tell people when the last change of `base` lies more than ten minutes after `now_ms`: one
// of two clocks is wrong. Commits go on all the same, a millisecond after the last. Absent: fine.
std::optional<std::string> ClockSkewWarning(const TableMetadata& base, std::int64_t now_ms);

}  // namespace strandline::table
