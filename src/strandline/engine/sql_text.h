#pragma once

#include <string>
#include <string_view>

namespace strandline::engine {

// `"a""b"`: a name of any characters, as SQL.
std::string QuotedName(std::string_view name);

// `'it''s'`: a text literal.
std::string QuotedText(std::string_view text);

}  // namespace strandline::engine
