#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/table/schema/value.h"

namespace strandline::maintenance::internal {

// What a column of a file really holds. Written apart from the writer's metrics on purpose: the two
// are to be compared.
struct ColumnFacts {
  std::int64_t nulls = 0;
  std::int64_t nans = 0;
  std::optional<table::Value> min;  // Without nulls and NaNs; absent when nothing else is there.
  std::optional<table::Value> max;
};

// Takes in the next rows of a primitive column, an array of the Arrow type of `type`.
Status Observe(const table::Type& type, const arrow::Array& array, ColumnFacts& facts);

// The order of bounds: as CompareValues(), but -0.0 equals 0.0, since writers differ on that.
bool IsBelow(const table::Value& a, const table::Value& b);

}  // namespace strandline::maintenance::internal
