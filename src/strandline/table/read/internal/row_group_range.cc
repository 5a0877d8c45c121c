#include "strandline/table/read/internal/row_group_range.h"

#include <utility>

#include <arrow/api.h>

#include "strandline/table/read/internal/stored_type.h"

namespace strandline::table::internal {
namespace {

std::optional<Value> DecodeBound(const Type& type, const std::optional<std::string>& bytes) {
  if (!bytes) {
    return std::nullopt;
  }
  Result<Value> value = DeserializeValue(type, *bytes);
  return value ? std::optional<Value>(std::move(value).value()) : std::nullopt;
}

}  // namespace

ValueRange RowGroupRange(const format::ParquetFile& file, int row_group, const FieldPlan& plan) {
  ValueRange range;
  if (!plan.type.is_primitive()) {
    return range;
  }
  if (!plan.source) {
    return ExactRange(plan.constant);
  }
  const format::ChunkStatistics statistics = file.chunk_statistics(row_group, *plan.source);
  if (statistics.null_count) {
    range.may_hold_null = *statistics.null_count > 0;
    range.may_hold_value = *statistics.null_count < file.row_group_rows(row_group);
    // Footers do not count NaNs.
    range.may_hold_nan = range.may_hold_value;
  }
  const arrow::DataType& stored = *file.schema()->field(*plan.source)->type();
  if (const std::optional<Type> type = StatisticsType(stored, plan.type)) {
    SetBounds(range, DecodeBound(*type, statistics.min), DecodeBound(*type, statistics.max));
  }
  return range;
}

}  // namespace strandline::table::internal
