#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace strandline::engine {

// The candidate that `name` is most likely a misspelling of, letters' case aside; absent when none
// is near.
std::optional<std::string> NearName(std::string_view name, std::span<const std::string> candidates);

}  // namespace strandline::engine
