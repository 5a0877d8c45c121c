#pragma once

#include <string_view>

namespace strandline {

// Shell-like match of one whole name: `*` any run of characters, `?` one. Nothing else is special.
bool GlobMatches(std::string_view glob, std::string_view name);

}  // namespace strandline
