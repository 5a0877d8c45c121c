#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "strandline/maintenance/fsck/internal/findings.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::maintenance::internal {

// Paths of manifests that were checked already. Grows with the number of manifests, not of files.
using CheckedManifests = std::unordered_set<std::string>;

using LiveEntryVisitor =
    std::function<Status(const table::ManifestFile& line, const table::ManifestEntry& entry)>;

// The manifest list of a snapshot; absent when it is missing or broken (a finding).
Result<std::optional<std::vector<table::ManifestFile>>> CheckManifestList(
    Context& context, const table::Snapshot& snapshot);

// Compares a manifest with its line: size, counts, sequence numbers; calls `visitor` for each live
// entry.
Status CheckManifest(Context& context, const table::ManifestFile& line,
                     const LiveEntryVisitor& visitor);

}  // namespace strandline::maintenance::internal
