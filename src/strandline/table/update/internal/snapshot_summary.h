#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "strandline/table/update/internal/manifest_draft.h"
#include "strandline/table/update/internal/removal.h"
#include "strandline/table/update/snapshot_change.h"

namespace strandline::table::internal {

// What a change adds and takes away, in the words of the summary.
// https://iceberg.apache.org/spec/#optional-snapshot-summary-fields
struct ChangeCounts {
  std::int64_t added_data_files = 0;
  std::int64_t added_records = 0;
  std::int64_t added_delete_files = 0;
  std::int64_t added_position_deletes = 0;
  std::int64_t added_files_size = 0;
  std::int64_t deleted_data_files = 0;
  std::int64_t deleted_records = 0;
  std::int64_t removed_delete_files = 0;
  std::int64_t removed_position_deletes = 0;
  std::int64_t removed_files_size = 0;
  std::int64_t changed_partition_count = 0;
};
ChangeCounts CountChange(const std::vector<NewFile>& added,
                         const std::vector<RemovedFile>& removed);

// What the snapshot did when the caller does not force another word for it.
Operation OperationFor(const ChangeCounts& counts);

// The standard keys. `parent` null: totals start from nothing. Totals of files and records are
// counted from the manifest lines of the new snapshot where these have counts, so that a wrong
// number in the parent is not handed on; the others are the parent's plus the change, and left out
// where the parent has none.
std::map<std::string, std::string> SummaryOf(Operation operation, const ChangeCounts& counts,
                                             const Snapshot* parent,
                                             const std::vector<ManifestDraft>& manifests);

}  // namespace strandline::table::internal
