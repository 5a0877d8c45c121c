#pragma once

#include <cstdint>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/table/partition/partition_spec.h"
#include "strandline/table/schema/value.h"

namespace strandline::table {

// One value of an array whose Arrow type is the one of ArrowType(type). Null gives null.
// kUnsupported for nested types.
Result<Value> ValueAt(const arrow::Array& array, std::int64_t row, const Type& type);

// The partition tuple of one row of a batch with the columns of ArrowSchema(schema), in order.
Result<PartitionTuple> PartitionOfRow(const PartitionSpec& spec, const Schema& schema,
                                      const arrow::RecordBatch& batch, std::int64_t row);

}  // namespace strandline::table
