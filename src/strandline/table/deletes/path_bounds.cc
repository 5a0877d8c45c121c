#include "strandline/table/deletes/path_bounds.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "strandline/io/location.h"
#include "strandline/table/deletes/position_deletes.h"

namespace strandline::table {
namespace {

// The scheme and the slashes in front of a location, or the slash of a plain path.
std::string_view SpellingOf(std::string_view location) {
  const std::size_t colon = location.find(':');
  const std::size_t name =
      location.find_first_not_of('/', colon == std::string_view::npos ? 0 : colon + 1);
  return location.substr(0, std::min(name, location.size()));
}

}  // namespace

std::optional<std::string> ReferencedDataFile(const DataFile& deletes) {
  if (deletes.content != FileContent::kPositionDeletes) {
    return std::nullopt;
  }
  if (deletes.referenced_data_file) {
    return deletes.referenced_data_file;
  }
  const std::string* lower = FindBound(deletes.lower_bounds, kDeleteFilePathId);
  const std::string* upper = FindBound(deletes.upper_bounds, kDeleteFilePathId);
  // A cut upper bound is raised, so two equal bounds are whole.
  return lower != nullptr && upper != nullptr && *lower == *upper ? std::optional(*lower)
                                                                  : std::nullopt;
}

bool PathMayLieWithin(const std::string& path, const std::string* lower, const std::string* upper) {
  const bool below = lower != nullptr && path < *lower && SpellingOf(path) == SpellingOf(*lower);
  const bool above = upper != nullptr && path > *upper && SpellingOf(path) == SpellingOf(*upper);
  return !below && !above;
}

std::string PathKey(const std::string& location) {
  Result<std::string> canonical = io::CanonicalLocation(location);
  return canonical ? std::move(canonical).value() : location;
}

}  // namespace strandline::table
