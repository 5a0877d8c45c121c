#pragma once

#include <optional>
#include <string>

#include "strandline/table/manifest/manifest.h"

namespace strandline::table {

// The only data file that a position delete file is about; absent when there may be several, and
// for any other file.
std::optional<std::string> ReferencedDataFile(const DataFile& deletes);

// Whether a path can lie between two bounds of paths; null: no bound there. Locations are ordered
// as text, so bounds in another spelling of the same place (`file:/a` and `file:///a`) prove
// nothing.
bool PathMayLieWithin(const std::string& path, const std::string* lower, const std::string* upper);

// The key under which a location is looked up when other spellings of it are to be found too.
std::string PathKey(const std::string& location);

}  // namespace strandline::table
