#pragma once

#include <string>
#include <utility>
#include <vector>

#include "strandline/table/update/internal/manifest_draft.h"
#include "strandline/table/update/snapshot_change.h"

namespace strandline::table::internal {

// Data and delete files that leave the table.
struct RemovedFile {
  SpecId spec_id;
  ManifestEntry entry;
};

// Marks the live data files named by `change.removed` as deleted by `snapshot_id`: a draft that
// holds any of them is read and becomes one to be written. Reads the newest drafts first and stops
// once all are found. kNotFound when one is not live; kInvalidArgument when an added file is.
Result<std::vector<RemovedFile>> RemoveDataFiles(io::FileIo& io, const TableMetadata& metadata,
                                                 const SnapshotChange& change,
                                                 SnapshotId snapshot_id,
                                                 std::vector<ManifestDraft>& drafts);

// Marks the position delete files as deleted that could only ever apply to data files in `removed`:
// they point at nothing now. When in doubt a file stays. Reads delete manifests that may hold the
// removed files' partitions and, if one of their files covers several data files, the data
// manifests of those partitions.
Result<std::vector<RemovedFile>> RemoveDanglingDeletes(io::FileIo& io,
                                                       const TableMetadata& metadata,
                                                       const std::vector<RemovedFile>& removed,
                                                       SnapshotId snapshot_id,
                                                       std::vector<ManifestDraft>& drafts);

}  // namespace strandline::table::internal
