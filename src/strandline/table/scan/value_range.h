#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "strandline/table/schema/value.h"

namespace strandline::table {

// What is known about the values of one column in some rows: those of a file, of a row group, of a
// partition. Nulls, NaNs and all other values are told apart, since bounds speak of the last kind
// only. The default knows nothing.
struct ValueRange {
  bool may_hold_null = true;
  bool may_hold_nan = true;  // Without meaning for types that have no NaN.
  bool may_hold_value = true;

  // Around the values that are neither null nor NaN. Absent: unknown. Not sure to be met.
  std::optional<Value> lower = std::nullopt;
  std::optional<Value> upper = std::nullopt;
  bool upper_excluded = false;  // All values are below `upper`, none is equal to it.

  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

// The range of rows that all hold `value`; it may be null or NaN.
ValueRange ExactRange(const Value& value);

// What is known when both are true of the same rows.
ValueRange Intersect(const ValueRange& a, const ValueRange& b);

// Takes a range's bounds as they were stored. Neither is believed when one of them is NaN or broken
// text, or when they stand in the wrong order: a writer that went wrong once may be wrong twice.
void SetBounds(ValueRange& range, std::optional<Value> lower, std::optional<Value> upper);

// The order that predicates see: -0.0 equals 0.0, an int or a float of a file written before the
// column was widened compares with the wider type. Unordered for NaN and where the kinds differ.
std::partial_ordering CompareAsSql(const Value& a, const Value& b);

// `value` as the type of a column holds it, widened from the int or float that the column was
// before its promotion. Absent when it is no value of that type, or null.
std::optional<Value> AsValueOf(const Type& type, const Value& value);

// The lowest byte string above all that start with `prefix`; absent when there is none.
std::optional<std::string> PrefixSuccessor(std::string prefix);

bool IsValidUtf8(std::string_view text);

}  // namespace strandline::table
