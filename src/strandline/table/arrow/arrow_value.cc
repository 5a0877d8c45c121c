#include "strandline/table/arrow/arrow_value.h"

#include <cstring>

#include <arrow/api.h>

namespace strandline::table {
namespace {

Int128 DecimalAt(const arrow::FixedSizeBinaryArray& array, std::int64_t row) {
  Int128 value = 0;
  static_assert(sizeof(value) == 16);  // Arrow's decimal128 in memory, little-endian.
  std::memcpy(&value, array.GetValue(row), sizeof(value));
  return value;
}

template <typename ArrayType>
const ArrayType& As(const arrow::Array& array) {
  return static_cast<const ArrayType&>(array);
}

}  // namespace

Result<Value> ValueAt(const arrow::Array& array, std::int64_t row, const Type& type) {
  if (array.IsNull(row)) {
    return Value();
  }
  switch (type.id) {
    case TypeId::kBoolean:
      return Value(As<arrow::BooleanArray>(array).Value(row));
    case TypeId::kInt:
      return Value(As<arrow::Int32Array>(array).Value(row));
    case TypeId::kDate:
      return Value(As<arrow::Date32Array>(array).Value(row));
    case TypeId::kLong:
      return Value(As<arrow::Int64Array>(array).Value(row));
    case TypeId::kTime:
      return Value(As<arrow::Time64Array>(array).Value(row));
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return Value(As<arrow::TimestampArray>(array).Value(row));
    case TypeId::kFloat:
      return Value(As<arrow::FloatArray>(array).Value(row));
    case TypeId::kDouble:
      return Value(As<arrow::DoubleArray>(array).Value(row));
    case TypeId::kDecimal:
      return Value(DecimalAt(As<arrow::FixedSizeBinaryArray>(array), row));
    case TypeId::kString:
      return Value(std::string(As<arrow::StringArray>(array).GetView(row)));
    case TypeId::kBinary:
      return Value(Bytes{std::string(As<arrow::BinaryArray>(array).GetView(row))});
    case TypeId::kUuid:
    case TypeId::kFixed:
      return Value(Bytes{std::string(As<arrow::FixedSizeBinaryArray>(array).GetView(row))});
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
    case TypeId::kUnknown:
      break;
  }
  return MakeError(ErrorKind::kUnsupported, "a nested value has no single value: {}",
                   ToString(type));
}

Result<PartitionTuple> PartitionOfRow(const PartitionSpec& spec, const Schema& schema,
                                      const arrow::RecordBatch& batch, std::int64_t row) {
  PartitionTuple tuple;
  for (const PartitionField& field : spec.fields) {
    int column = 0;
    while (column < static_cast<int>(schema.fields.size()) &&
           schema.fields[static_cast<std::size_t>(column)].id != field.source_id) {
      ++column;
    }
    if (column == static_cast<int>(schema.fields.size())) {
      return MakeError(ErrorKind::kUnsupported, "partition field {} has no top-level source column",
                       field.name);
    }
    const Type& type = schema.fields[static_cast<std::size_t>(column)].type;
    const Value value = SL_TRY(ValueAt(*batch.column(column), row, type));
    tuple.push_back(
        SL_TRY(ApplyTransform(field.transform, type, value), "partition field {}", field.name));
  }
  return tuple;
}

}  // namespace strandline::table
