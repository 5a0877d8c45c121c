#include "strandline/engine/internal/near_name.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "strandline/engine/internal/tokens.h"

namespace strandline::engine {

namespace {

// How many letters must be changed, added or dropped.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> NearName(std::string_view name,
                                    std::span<const std::string> candidates) {
  const std::string wanted = LowerCase(name);
  std::optional<std::string> nearest;
  std::size_t limit = 1 + wanted.size() / 4;  // A quarter of the letters, and one, may be wrong.
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(wanted, LowerCase(candidate));
    if (distance < limit || (distance == limit && !nearest)) {
      nearest = candidate;
      limit = distance;
    }
  }
  return nearest;
}

}  // namespace strandline::engine
