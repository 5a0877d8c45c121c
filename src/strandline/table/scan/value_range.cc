#include "strandline/table/scan/value_range.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace strandline::table {
namespace {

// Integers and floats in the widest type of their kind; absent for other values.
std::optional<std::int64_t> AsLong(const Value& value) {
  if (const auto* narrow = std::get_if<std::int32_t>(&value)) {
    return *narrow;
  }
  if (const auto* wide = std::get_if<std::int64_t>(&value)) {
    return *wide;
  }
  return std::nullopt;
}

std::optional<double> AsDouble(const Value& value) {
  if (const auto* narrow = std::get_if<float>(&value)) {
    return *narrow;
  }
  if (const auto* wide = std::get_if<double>(&value)) {
    return *wide;
  }
  return std::nullopt;
}

bool CanBelieve(const std::optional<Value>& bound) {
  if (!bound) {
    return true;
  }
  const auto* text = std::get_if<std::string>(&*bound);
  return !IsNull(*bound) && !IsNan(*bound) && (text == nullptr || IsValidUtf8(*text));
}

// How many bytes follow the first one of a character, and the lowest code point that needs so many.
struct Utf8Lead {
  std::size_t continuation_bytes;
  std::uint32_t bits;
  std::uint32_t lowest;
};

std::optional<Utf8Lead> ReadLead(unsigned char byte) {
  if (byte < 0x80) {
    return Utf8Lead{0, byte, 0};
  }
  if ((byte & 0xE0) == 0xC0) {
    return Utf8Lead{1, byte & 0x1FU, 0x80};
  }
  if ((byte & 0xF0) == 0xE0) {
    return Utf8Lead{2, byte & 0x0FU, 0x800};
  }
  if ((byte & 0xF8) == 0xF0) {
    return Utf8Lead{3, byte & 0x07U, 0x10000};
  }
  return std::nullopt;
}

}  // namespace

ValueRange ExactRange(const Value& value) {
  const bool is_null = IsNull(value);
  const bool is_nan = !is_null && IsNan(value);
  ValueRange range{
      .may_hold_null = is_null, .may_hold_nan = is_nan, .may_hold_value = !is_null && !is_nan};
  if (range.may_hold_value) {
    range.lower = value;
    range.upper = value;
  }
  return range;
}

ValueRange Intersect(const ValueRange& a, const ValueRange& b) {
  ValueRange range{.may_hold_null = a.may_hold_null && b.may_hold_null,
                   .may_hold_nan = a.may_hold_nan && b.may_hold_nan,
                   .may_hold_value = a.may_hold_value && b.may_hold_value};
  const bool lower_of_b = !a.lower || (b.lower && CompareAsSql(*b.lower, *a.lower) > 0);
  range.lower = lower_of_b ? b.lower : a.lower;
  bool upper_of_b = !a.upper;
  if (a.upper && b.upper) {
    const std::partial_ordering order = CompareAsSql(*b.upper, *a.upper);
    upper_of_b = order < 0 || (order == 0 && b.upper_excluded);
  }
  range.upper = upper_of_b ? b.upper : a.upper;
  range.upper_excluded = upper_of_b ? b.upper_excluded : a.upper_excluded;
  return range;
}

void SetBounds(ValueRange& range, std::optional<Value> lower, std::optional<Value> upper) {
  const bool in_order = !lower || !upper || CompareAsSql(*lower, *upper) <= 0;
  if (!CanBelieve(lower) || !CanBelieve(upper) || !in_order) {
    return;
  }
  range.lower = std::move(lower);
  range.upper = std::move(upper);
}

std::partial_ordering CompareAsSql(const Value& a, const Value& b) {
  if (const auto* text = std::get_if<std::string>(&a)) {
    const auto* other = std::get_if<std::string>(&b);
    return other == nullptr ? std::partial_ordering::unordered
                            : std::partial_ordering(text->compare(*other) <=> 0);
  }
  if (const std::optional<std::int64_t> left = AsLong(a)) {
    const std::optional<std::int64_t> right = AsLong(b);
    return right ? std::partial_ordering(*left <=> *right) : std::partial_ordering::unordered;
  }
  if (const std::optional<double> left = AsDouble(a)) {
    const std::optional<double> right = AsDouble(b);
    return right ? *left <=> *right : std::partial_ordering::unordered;
  }
  if (a.index() != b.index() || IsNull(a)) {
    return std::partial_ordering::unordered;
  }
  return CompareValues(a, b);
}

std::optional<Value> AsValueOf(const Type& type, const Value& value) {
  if (!IsNull(value) && HasTypeOf(type, value)) {
    return value;
  }
  if (const auto* narrow = std::get_if<std::int32_t>(&value); narrow && type.id == TypeId::kLong) {
    return Value(std::int64_t{*narrow});
  }
  if (const auto* narrow = std::get_if<float>(&value); narrow && type.id == TypeId::kDouble) {
    return Value(double{*narrow});
  }
  return std::nullopt;
}

std::optional<std::string> PrefixSuccessor(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) {
    prefix.pop_back();
  }
  if (prefix.empty()) {
    return std::nullopt;
  }
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

bool IsValidUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::optional<Utf8Lead> lead = ReadLead(static_cast<unsigned char>(text[i]));
    if (!lead || text.size() - i <= lead->continuation_bytes) {
      return false;
    }
    std::uint32_t code_point = lead->bits;
    for (std::size_t j = 1; j <= lead->continuation_bytes; ++j) {
      const auto byte = static_cast<unsigned char>(text[i + j]);
      if ((byte & 0xC0) != 0x80) {
        return false;
      }
      code_point = (code_point << 6) | (byte & 0x3FU);
    }
    const bool is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    if (code_point < lead->lowest || is_surrogate || code_point > 0x10FFFF) {
      return false;
    }
    i += 1 + lead->continuation_bytes;
  }
  return true;
}

}  // namespace strandline::table
