#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace strandline::table {

inline constexpr std::size_t kNoWidth = static_cast<std::size_t>(-1);

// Bounds of strings, cut to `width` code points (kNoWidth: not cut). The lower one is a prefix of
// `min` and so never above it; the upper one is `max`, or its prefix with the last code point that
// can be raised raised by one, and so never below it. Both are UTF-8 also where the data is not.
// The upper bound is absent when there is none of that width (nothing but U+10FFFF).
std::string LowerStringBound(std::string_view min, std::size_t width);
std::optional<std::string> UpperStringBound(std::string_view max, std::size_t width);

// The same for bytes, cut to `width` of them.
std::string LowerBytesBound(std::string_view min, std::size_t width);
std::optional<std::string> UpperBytesBound(std::string_view max, std::size_t width);

}  // namespace strandline::table
