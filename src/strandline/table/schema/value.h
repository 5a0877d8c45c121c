#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "strandline/base/result.h"
#include "strandline/table/schema/type.h"

namespace strandline::table {

__extension__ using Int128 = __int128;

// Bytes that are no text: uuid, fixed, binary.
struct Bytes {
  std::string bytes;
  friend auto operator<=>(const Bytes&, const Bytes&) = default;
};

// One value of a primitive type; what it means is said by a Type beside it.
//   monostate  null
//   int32      int, date
//   int64      long, time, timestamp, timestamptz (and the nanosecond types)
//   Int128     decimal, unscaled
using Value = std::variant<std::monostate, bool, std::int32_t, std::int64_t, float, double, Int128,
                           std::string, Bytes>;

inline bool IsNull(const Value& value) { return std::holds_alternative<std::monostate>(value); }

// Whether `value` is null or of the C++ type that values of `type` have (of any, for kUnknown).
bool HasTypeOf(const Type& type, const Value& value);

// NaN of float or double.
bool IsNan(const Value& value);

// The order of a type's values: -0.0 before 0.0, NaN above everything (both of one type and not
// null: checked). Strings and bytes by unsigned bytes.
std::strong_ordering CompareValues(const Value& a, const Value& b);

// Appendix D, "Single-value serialization": the bytes of bounds. Null has none, and the value must
// be one of `type` (both checked).
// https://iceberg.apache.org/spec/#binary-single-value-serialization
std::string SerializeValue(const Type& type, const Value& value);

// Reads them back. Tolerates what other writers are known to do where the meaning is certain (an
// int in eight bytes that fits, an int bound of a column since promoted to long, a padded decimal).
// kCorrupt otherwise.
Result<Value> DeserializeValue(const Type& type, std::string_view bytes);

// Text for people and JSON: `2026-11-30T05:00Z`, `12.50`, hex for bytes, `null`. A value that is
// not of `type` (files of others hold such) is shown as it is.
std::string ValueText(const Type& type, const Value& value);

// A value from the text of a literal in YAML or SQL: what ValueText() writes, and `true` in any
// case, a space instead of the `T`, an offset instead of the `Z`, `0x` before hex. kInvalidArgument
// when it is none of that type, also when it would have to be rounded.
Result<Value> ParseValue(const Type& type, std::string_view text);

}  // namespace strandline::table
