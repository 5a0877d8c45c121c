#pragma once

#include <vector>

#include "strandline/table/manifest/manifest.h"

namespace strandline::table::manifest_format {

// ReadManifest, for those who have no table at hand: partitions are read as these fields; none of
// them when there are none.
Status ReadEntries(io::FileIo& io, std::vector<NestedField> partition_fields,
                   const ManifestFile& manifest, const ManifestReadOptions& options,
                   const ManifestEntryVisitor& visitor);

}  // namespace strandline::table::manifest_format
