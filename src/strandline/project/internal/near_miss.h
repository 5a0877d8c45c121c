#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strandline::project::internal {

// How many letters have to be added, left out, changed or swapped with their neighbour to make one
// word from the other (optimal string alignment), by bytes and without regard to case.
std::size_t EditDistance(std::string_view a, std::string_view b);

// The candidate that `word` was probably meant to be: at most a third of its letters away, the
// nearest, the first among equals. Absent when nothing is near.
std::optional<std::string> NearMiss(std::string_view word,
                                    const std::vector<std::string>& candidates);

// `: did you mean `x`?`, else what there is: `: there are `a`, `b`` (shortened when there are
// many), else nothing. To be put behind a message about an unknown name.
std::string Suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace strandline::project::internal
