#include <algorithm>

#include "strandline/table/manifest/manifest.h"

namespace strandline::table {
namespace {

// Both kinds of list are sorted by id.
template <typename Pairs>
auto Find(const Pairs& pairs, FieldId id) -> decltype(&pairs.front().second) {
  const auto found = std::ranges::lower_bound(pairs, id, {}, &Pairs::value_type::first);
  return found != pairs.end() && found->first == id ? &found->second : nullptr;
}

}  // namespace

const std::int64_t* FindCount(const ColumnCounts& counts, FieldId id) { return Find(counts, id); }
const std::string* FindBound(const ColumnBounds& bounds, FieldId id) { return Find(bounds, id); }

}  // namespace strandline::table
