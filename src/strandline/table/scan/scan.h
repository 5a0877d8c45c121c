#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strandline/table/scan/expression.h"

namespace strandline::table {

// What to read.
struct ScanRequest {
  std::optional<SnapshotId> snapshot = {};  // Absent: the tip of `main`; none there: no tasks.
  Expression filter = {};                   // Default: every row.
  bool prune = true;                        // Off: every file, for comparing answers.
  // Files are judged by their partitions alone, never by their bounds: a partition comes whole or
  // not at all.
  bool whole_partitions = false;
  // Columns whose counts and bounds the tasks must carry; empty: all. Pruning columns are added.
  std::vector<FieldId> metric_columns = {};
  bool metrics = true;  // Off: tasks carry no counts and bounds at all.
  // Whose column names the filter uses; absent: the table's current schema.
  std::optional<SchemaId> schema = {};
};

// One data file, with the deletes that apply to it.
struct ScanTask {
  DataFile file;
  SpecId spec_id;
  SequenceNumber sequence_number;  // The data sequence number of the file.
  std::optional<SnapshotId> added_by;
  // Position deletes that may hold rows of this file; of their metrics only the bounds of path and
  // position are kept.
  std::vector<DataFile> deletes;
  // Every row surely matches the filter: nothing is left to test.
  bool all_rows_match = false;
};

struct ScanPlan {
  std::optional<SnapshotId>
      snapshot;  // The state the plan was made for. Fixed, even if `main` moves on.
  std::vector<ScanTask> tasks;
  std::int64_t manifests_read = 0;
  std::int64_t manifests_skipped = 0;
  std::int64_t files_skipped = 0;
};

// Finds the files that can hold rows matching `request`. Reads manifests through `io`, never a data
// file, so its cost follows the table's metadata and not its data. Manifests are streamed: memory
// holds the deletes that the filter leaves and the tasks. Deletes are matched to data files by
// partition and spec, sequence number, referenced file and path bounds
// (https://iceberg.apache.org/spec/#scan-planning). Equality deletes and deletion vectors that
// would apply to a task are refused by name.
//
// Fails with kNotFound when the snapshot is not in `metadata` (it may have been expired),
// kInvalidArgument when the filter does not fit the schema, kCorrupt when a manifest breaks the
// spec, kUnsupported for equality deletes and deletion vectors, kUnavailable when storage does not
// answer.
Result<ScanPlan> PlanScan(const TableMetadata& metadata, const ScanRequest& request,
                          io::FileIo& io);

}  // namespace strandline::table
