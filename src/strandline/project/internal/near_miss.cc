#include "strandline/project/internal/near_miss.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strandline/project/internal/lower_case.h"

namespace strandline::project::internal {
namespace {

// Longer words are nobody's typing mistake, and the distance costs the product of the lengths.
constexpr std::size_t kWordLengthMax = 128;

constexpr std::size_t kCandidatesShown = 12;

}  // namespace

std::size_t EditDistance(std::string_view a, std::string_view b) {
  const std::string left = LowerCase(a);
  const std::string right = LowerCase(b);
  // Rows of the usual table: distances of prefixes of `left` to all prefixes of `right`.
  std::vector<std::size_t> before_last(right.size() + 1);
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> current(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) {
    last[j] = j;
  }
  for (std::size_t i = 1; i <= left.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t changed = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, changed});
      const bool swapped =
          i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (swapped) {
        current[j] = std::min(current[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, current);
  }
  return last[right.size()];
}

std::optional<std::string> NearMiss(std::string_view word,
                                    const std::vector<std::string>& candidates) {
  if (word.size() > kWordLengthMax) {
    return std::nullopt;
  }
  std::optional<std::string> nearest;
  std::size_t nearest_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kWordLengthMax) {
      continue;
    }
    const std::size_t distance = EditDistance(word, candidate);
    // A distance of the whole candidate would have replaced every letter of it.
    if (distance < nearest_distance && distance < candidate.size()) {
      nearest = candidate;
      nearest_distance = distance;
    }
  }
  return nearest;
}

std::string Suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  if (const std::optional<std::string> near = NearMiss(word, candidates)) {
    return fmt::format(": did you mean `{}`?", *near);
  }
  if (candidates.empty()) {
    return "";
  }
  const std::size_t shown = std::min(candidates.size(), kCandidatesShown);
  const std::vector<std::string> first(candidates.begin(),
                                       candidates.begin() + static_cast<std::ptrdiff_t>(shown));
  return fmt::format(": there {} `{}`{}", shown == 1 ? "is" : "are", fmt::join(first, "`, `"),
                     shown < candidates.size() ? ", …" : "");
}

}  // namespace strandline::project::internal
