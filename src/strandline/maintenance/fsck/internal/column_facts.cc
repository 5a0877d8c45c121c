#include "strandline/maintenance/fsck/internal/column_facts.h"

#include <cmath>
#include <string_view>
#include <type_traits>
#include <variant>

#include <arrow/api.h>

#include "strandline/table/arrow/arrow_value.h"

namespace strandline::maintenance::internal {
namespace {

using table::Type;
using table::Value;

// Rows of the smallest and the largest value; -1 when there is none.
struct Extremes {
  std::int64_t min_row = -1;
  std::int64_t max_row = -1;
};

template <typename Array>
Extremes FindExtremes(const Array& array, ColumnFacts& facts) {
  Extremes extremes;
  using View = decltype(array.GetView(0));
  View min{};
  View max{};
  for (std::int64_t row = 0; row < array.length(); ++row) {
    if (array.IsNull(row)) {
      continue;
    }
    const View value = array.GetView(row);
    if constexpr (std::is_floating_point_v<View>) {
      if (std::isnan(value)) {
        ++facts.nans;
        continue;
      }
    }
    if (extremes.min_row < 0 || value < min) {
      min = value;
      extremes.min_row = row;
    }
    if (extremes.max_row < 0 || max < value) {
      max = value;
      extremes.max_row = row;
    }
  }
  return extremes;
}

// For types whose stored form does not compare as their values do.
Result<Extremes> FindExtremesByValue(const Type& type, const arrow::Array& array) {
  Extremes extremes;
  Value min;
  Value max;
  for (std::int64_t row = 0; row < array.length(); ++row) {
    if (array.IsNull(row)) {
      continue;
    }
    Value value = SL_TRY(table::ValueAt(array, row, type));
    if (extremes.min_row < 0 || IsBelow(value, min)) {
      min = value;
      extremes.min_row = row;
    }
    if (extremes.max_row < 0 || IsBelow(max, value)) {
      max = std::move(value);
      extremes.max_row = row;
    }
  }
  return extremes;
}

Result<Extremes> FindExtremesOf(const Type& type, const arrow::Array& array, ColumnFacts& facts) {
  switch (array.type_id()) {
    case arrow::Type::INT32:
      return FindExtremes(static_cast<const arrow::Int32Array&>(array), facts);
    case arrow::Type::INT64:
      return FindExtremes(static_cast<const arrow::Int64Array&>(array), facts);
    case arrow::Type::FLOAT:
      return FindExtremes(static_cast<const arrow::FloatArray&>(array), facts);
    case arrow::Type::DOUBLE:
      return FindExtremes(static_cast<const arrow::DoubleArray&>(array), facts);
    case arrow::Type::DATE32:
      return FindExtremes(static_cast<const arrow::Date32Array&>(array), facts);
    case arrow::Type::TIME64:
      return FindExtremes(static_cast<const arrow::Time64Array&>(array), facts);
    case arrow::Type::TIMESTAMP:
      return FindExtremes(static_cast<const arrow::TimestampArray&>(array), facts);
    case arrow::Type::STRING:
      return FindExtremes(static_cast<const arrow::StringArray&>(array), facts);
    default:
      return FindExtremesByValue(type, array);
  }
}

}  // namespace

bool IsBelow(const Value& a, const Value& b) {
  if (const auto* x = std::get_if<double>(&a)) {
    return *x < std::get<double>(b);
  }
  if (const auto* x = std::get_if<float>(&a)) {
    return *x < std::get<float>(b);
  }
  return table::CompareValues(a, b) < 0;
}

Status Observe(const Type& type, const arrow::Array& array, ColumnFacts& facts) {
  facts.nulls += array.null_count();
  const Extremes extremes = SL_TRY(FindExtremesOf(type, array, facts));
  if (extremes.min_row < 0) {
    return {};
  }
  Value min = SL_TRY(table::ValueAt(array, extremes.min_row, type));
  Value max = SL_TRY(table::ValueAt(array, extremes.max_row, type));
  if (!facts.min || IsBelow(min, *facts.min)) {
    facts.min = std::move(min);
  }
  if (!facts.max || IsBelow(*facts.max, max)) {
    facts.max = std::move(max);
  }
  return {};
}

}  // namespace strandline::maintenance::internal
