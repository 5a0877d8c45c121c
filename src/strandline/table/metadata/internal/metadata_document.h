#pragma once

#include <string_view>
#include <vector>

#include "strandline/table/json/json.h"
#include "strandline/table/metadata/table_metadata.h"

namespace strandline::table::internal {

// A metadata file's JSON, taken apart. Nearly all of a large file is snapshots, thousands with some
// twenty strings each; they are read straight into structs, because a tree of JSON values in
// between would take five times as long as everything else that a plan does with a table.
struct MetadataDocument {
  std::vector<Snapshot> snapshots;
  Json others;  // The object without its member `snapshots`.
};

// kCorrupt when the text is not JSON, not an object, nested too deeply, or a snapshot in it breaks
// the specification.
Result<MetadataDocument> ReadMetadataDocument(std::string_view text);

}  // namespace strandline::table::internal
