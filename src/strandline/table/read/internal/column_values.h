#pragma once

#include <cstdint>
#include <memory>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/table/read/internal/field_plan.h"

namespace strandline::table::internal {

// The column of a file as the plan's type. Costs nothing when it is stored as that; a promotion or
// another layout is converted, and structs get their missing fields. kCorrupt when a stored value
// does not fit (a nanosecond that would be lost, bytes that are no text).
Result<std::shared_ptr<arrow::Array>> ReadAs(const FieldPlan& plan,
                                             const std::shared_ptr<arrow::Array>& stored);

// `rows` times the constant of a plan without a source.
Result<std::shared_ptr<arrow::Array>> RepeatConstant(const FieldPlan& plan, std::int64_t rows);

}  // namespace strandline::table::internal
