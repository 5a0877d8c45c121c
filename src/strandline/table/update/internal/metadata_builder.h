#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "strandline/table/update/update.h"

namespace strandline::table::internal {

// Applies updates one after the other to a copy of a table's metadata. What it remembers beside
// the metadata is what "the last one added" means and what is new in this commit.
class MetadataBuilder {
 public:
  // `base` null: an empty start. `now_ms` is the commit's time.
  MetadataBuilder(const TableMetadata* base, std::int64_t now_ms);

  Status Apply(const Update& update);

  // Fills in what a new table left out and checks that every id points at something.
  Result<TableMetadata> Finish() &&;

 private:
  Status Do(const AssignUuid& update);
  Status Do(const UpgradeFormatVersion& update);
  Status Do(const AddSchema& update);
  Status Do(const SetCurrentSchema& update);
  Status Do(const AddPartitionSpec& update);
  Status Do(const SetDefaultSpec& update);
  Status Do(const AddSortOrder& update);
  Status Do(const SetDefaultSortOrder& update);
  Status Do(const SetLocation& update);
  Status Do(const SetProperties& update);
  Status Do(const RemoveProperties& update);
  Status Do(const AddSnapshot& update);
  Status Do(const SetSnapshotRef& update);
  Status Do(const RemoveSnapshotRef& update);
  Status Do(const RemoveSnapshots& update);

  Status BindPartitionField(PartitionField& field);
  bool WasAddedHere(SnapshotId id) const;

  TableMetadata metadata_;
  std::int64_t now_ms_;
  std::int64_t base_updated_ms_;
  std::optional<SchemaId> last_added_schema_;
  std::optional<SpecId> last_added_spec_;
  std::optional<SortOrderId> last_added_sort_order_;
  std::size_t base_snapshot_count_;            // Snapshots from here on were added by this commit.
  std::optional<std::size_t> log_entry_here_;  // Index of this commit's entry in the snapshot log.
};

}  // namespace strandline::table::internal
