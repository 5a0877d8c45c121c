#pragma once

#include <optional>

#include <arrow/type_fwd.h>

#include "strandline/table/schema/type.h"

namespace strandline::table::internal {

// Whether a column that a file stores as `stored` can be read as `target`: the same type in any of
// Arrow's layouts, one that the specification lets a column be promoted from, or what other writers
// are known to store for it where no value changes its meaning. Only the top level is looked at:
// the children of nested types are fields of their own.
bool CanReadAs(const arrow::DataType& stored, const Type& target);

// The type whose single-value serialization the file's statistics of such a column have. Absent
// where the stored values are in another unit or layout than the column's: their statistics are not
// used.
std::optional<Type> StatisticsType(const arrow::DataType& stored, const Type& target);

}  // namespace strandline::table::internal
