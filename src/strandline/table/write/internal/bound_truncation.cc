#include "strandline/table/write/internal/bound_truncation.h"

#include <array>
#include <cstdint>

#include "strandline/base/check.h"

namespace strandline::table {
namespace {

constexpr std::uint32_t kCodePointMax = 0x10ffff;
constexpr std::uint32_t kSurrogatesFirst = 0xd800;
constexpr std::uint32_t kSurrogatesLast = 0xdfff;

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80; }

// Bytes of the code point that starts with `lead`; 0 when none does.
std::size_t LengthFrom(unsigned char lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xc2 && lead <= 0xdf) {
    return 2;
  }
  if (lead >= 0xe0 && lead <= 0xef) {
    return 3;
  }
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

std::uint32_t Decode(std::string_view code_point) {
  static constexpr std::array<std::uint32_t, 5> kLeadMask = {0, 0x7f, 0x1f, 0x0f, 0x07};
  std::uint32_t value = static_cast<unsigned char>(code_point[0]) & kLeadMask.at(code_point.size());
  for (const char byte : code_point.substr(1)) {
    value = (value << 6U) | (static_cast<unsigned char>(byte) & 0x3fU);
  }
  return value;
}

std::string Encode(std::uint32_t value) {
  const auto tail = [value](unsigned shift) {
    return static_cast<char>(0x80U | ((value >> shift) & 0x3fU));
  };
  if (value < 0x80) {
    return {static_cast<char>(value)};
  }
  if (value < 0x800) {
    return {static_cast<char>(0xc0U | (value >> 6U)), tail(0)};
  }
  if (value < 0x10000) {
    return {static_cast<char>(0xe0U | (value >> 12U)), tail(6), tail(0)};
  }
  return {static_cast<char>(0xf0U | (value >> 18U)), tail(12), tail(6), tail(0)};
}

// Bytes of the valid code point at the start of `text`; 0 when there is none (overlong forms,
// surrogates and values beyond U+10FFFF are not valid).
std::size_t ValidCodePoint(std::string_view text) {
  static constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const std::size_t length = LengthFrom(static_cast<unsigned char>(text[0]));
  if (length == 0 || length > text.size()) {
    return 0;
  }
  for (const char byte : text.substr(1, length - 1)) {
    if (!IsContinuation(byte)) {
      return 0;
    }
  }
  const std::uint32_t value = Decode(text.substr(0, length));
  const bool is_surrogate = value >= kSurrogatesFirst && value <= kSurrogatesLast;
  return value < kSmallest.at(length) || value > kCodePointMax || is_surrogate ? 0 : length;
}

// The longest prefix of at most `width` code points that is valid UTF-8.
std::string_view ValidPrefix(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  for (std::size_t count = 0; count < width && end < text.size(); ++count) {
    const std::size_t length = ValidCodePoint(text.substr(end));
    if (length == 0) {
      break;
    }
    end += length;
  }
  return text.substr(0, end);
}

std::size_t LastCodePoint(std::string_view text) {
  std::size_t start = text.size() - 1;
  while (start > 0 && IsContinuation(text[start])) {
    --start;
  }
  return start;
}

}  // namespace

std::string LowerStringBound(std::string_view min, std::size_t width) {
  return std::string(ValidPrefix(min, width));
}

std::optional<std::string> UpperStringBound(std::string_view max, std::size_t width) {
  std::string_view prefix = ValidPrefix(max, width);
  if (prefix.size() == max.size()) {
    return std::string(max);
  }
  while (!prefix.empty()) {
    const std::size_t last = LastCodePoint(prefix);
    std::uint32_t next = Decode(prefix.substr(last)) + 1;
    if (next == kSurrogatesFirst) {
      next = kSurrogatesLast + 1;
    }
    prefix = prefix.substr(0, last);
    if (next <= kCodePointMax) {
      return std::string(prefix) + Encode(next);
    }
  }
  return std::nullopt;
}

std::string LowerBytesBound(std::string_view min, std::size_t width) {
  return std::string(min.substr(0, width));
}

std::optional<std::string> UpperBytesBound(std::string_view max, std::size_t width) {
  std::string bound(max.substr(0, width));
  if (bound.size() == max.size()) {
    return bound;
  }
  while (!bound.empty()) {
    const auto last = static_cast<unsigned char>(bound.back());
    if (last < 0xff) {
      bound.back() = static_cast<char>(last + 1);
      return bound;
    }
    bound.pop_back();
  }
  return std::nullopt;
}

}  // namespace strandline::table
