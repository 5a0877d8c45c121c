#pragma once

#include "strandline/format/parquet/parquet_file.h"
#include "strandline/table/read/internal/field_plan.h"
#include "strandline/table/scan/value_range.h"

namespace strandline::table::internal {

// What the footer says about the values of a column in one row group: nothing for nested columns,
// the constant where the file lacks the column.
ValueRange RowGroupRange(const format::ParquetFile& file, int row_group, const FieldPlan& plan);

}  // namespace strandline::table::internal
