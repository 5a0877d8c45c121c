#pragma once

#include "strandline/maintenance/fsck/internal/findings.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::maintenance::internal {

// Reads one live data file and compares it with its manifest entry: record count, null and NaN
// counts, bounds, partition values, and that no bookkeeping column of a file of ours is null.
Status CheckRows(Context& context, const table::PartitionSpec& spec,
                 const table::ManifestEntry& entry);

}  // namespace strandline::maintenance::internal
