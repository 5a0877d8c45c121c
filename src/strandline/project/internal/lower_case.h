#pragma once

#include <string>
#include <string_view>

namespace strandline::project::internal {

// ASCII letters in lower case, as the engine compares names without quotes; other bytes as they
// are.
std::string LowerCase(std::string_view text);

}  // namespace strandline::project::internal
