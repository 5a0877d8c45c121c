#include "strandline/table/deletes/path_bounds.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "strandline/io/location.h"

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
