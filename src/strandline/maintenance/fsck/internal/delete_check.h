#pragma once

#include <vector>

#include "strandline/maintenance/fsck/internal/findings.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::maintenance::internal {

// Reads the live position delete files of one snapshot and looks for ones that point at no live
// data file or at rows that their data file does not have. A delete file that also points at files
// that are gone is sound; so is one that a scan would still have to open, since a live file of its
// partition lies within its bounds.
Status CheckDeletes(Context& context, const std::vector<table::ManifestFile>& lines);

}  // namespace strandline::maintenance::internal
