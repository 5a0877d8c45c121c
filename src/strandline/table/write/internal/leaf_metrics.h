#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <arrow/type_fwd.h>

#include "strandline/table/schema/value.h"

namespace strandline::table {

struct ValueBounds {
  Value lower;
  Value upper;
};

// Smallest and largest value, and NaNs, of one primitive column, gathered array by array. On the
// path of every row that is written: the loops run over Arrow's buffers.
class LeafMetrics {
 public:
  virtual ~LeafMetrics() = default;

  // `values` has the type ArrowType(type).
  virtual void Add(const arrow::Array& values) = 0;

  // Of floats and doubles; 0 for other types.
  virtual std::int64_t nan_count() const { return 0; }

  // Absent when there was no value but nulls and NaNs. Of floats and doubles a zero is -0.0 below
  // and 0.0 above: the two are equal to most readers, but ordered in bounds. Strings and bytes are
  // whole.
  virtual std::optional<ValueBounds> bounds() const = 0;
};

std::unique_ptr<LeafMetrics> MakeLeafMetrics(const Type& type);

}  // namespace strandline::table
