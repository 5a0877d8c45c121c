#pragma once

#include <vector>

#include "strandline/maintenance/fsck/internal/findings.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::maintenance::internal {

// Looks for live entries of one snapshot whose paths name one place: its rows would count twice.
// Keeps eight bytes a path, of at most `paths_per_pass` at a time: more files take more passes over
// the manifests.
Status CheckDuplicatePaths(Context& context, const std::vector<table::ManifestFile>& lines,
                           std::int64_t paths_per_pass = std::int64_t{4} << 20);

}  // namespace strandline::maintenance::internal
