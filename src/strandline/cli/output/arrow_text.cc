#include "strandline/cli/output/arrow_text.h"

#include <cmath>

#include <arrow/api.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/base/time_text.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/arrow/arrow_value.h"

namespace strandline::cli {
namespace {

using nlohmann::json;

// Integers that a double holds exactly, as JSON readers commonly take them.
constexpr std::int64_t kExactMax = std::int64_t{1} << 53;

json NestedJson(const arrow::Array& array, std::int64_t row) {
  if (array.type_id() == arrow::Type::STRUCT) {
    const auto& structs = static_cast<const arrow::StructArray&>(array);
    json object = json::object();
    for (int i = 0; i < structs.num_fields(); ++i) {
      object[structs.type()->field(i)->name()] = CellJson(*structs.field(i), row);
    }
    return object;
  }
  if (array.type_id() == arrow::Type::LIST || array.type_id() == arrow::Type::MAP) {
    const auto& lists = static_cast<const arrow::ListArray&>(array);
    json list = json::array();
    for (std::int32_t i = lists.value_offset(row); i < lists.value_offset(row + 1); ++i) {
      list.push_back(CellJson(*lists.values(), i));
    }
    return list;
  }
  const auto scalar = array.GetScalar(row);
  return scalar.ok() ? (*scalar)->ToString() : "?";
}

}  // namespace

std::string CellText(const arrow::Array& array, std::int64_t row) {
  if (array.IsNull(row)) {
    return "null";
  }
  const Result<table::Type> type = table::IcebergType(*array.type());
  if (type && type->is_primitive()) {
    const Result<table::Value> value = ValueAt(array, row, *type);
    if (value) {
      return ValueText(*type, *value);
    }
  }
  return NestedJson(array, row).dump(-1, ' ', false, json::error_handler_t::replace);
}

json CellJson(const arrow::Array& array, std::int64_t row) {
  if (array.IsNull(row)) {
    return nullptr;
  }
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return static_cast<const arrow::BooleanArray&>(array).Value(row);
    case arrow::Type::INT32:
      return static_cast<const arrow::Int32Array&>(array).Value(row);
    case arrow::Type::INT64: {
      const std::int64_t value = static_cast<const arrow::Int64Array&>(array).Value(row);
      return value > -kExactMax && value < kExactMax ? json(value) : json(fmt::format("{}", value));
    }
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE: {
      const double value = array.type_id() == arrow::Type::FLOAT
                               ? double{static_cast<const arrow::FloatArray&>(array).Value(row)}
                               : static_cast<const arrow::DoubleArray&>(array).Value(row);
      return std::isfinite(value) ? json(value) : json(CellText(array, row));
    }
    case arrow::Type::STRUCT:
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return NestedJson(array, row);
    default:
      return CellText(array, row);
  }
}

}  // namespace strandline::cli
