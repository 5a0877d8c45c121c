#pragma once

#include "strandline/table/manifest/manifest.h"

namespace strandline::table::manifest_format {

// Sets all counts of a line to 0.
void ClearCounts(ManifestFile& line);

// Adds one entry to them.
void CountEntry(const ManifestEntry& entry, ManifestFile& line);

}  // namespace strandline::table::manifest_format
