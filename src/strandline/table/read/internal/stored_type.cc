#include "strandline/table/read/internal/stored_type.h"

#include <arrow/api.h>

namespace strandline::table::internal {
namespace {

// The type of the values behind encodings and extensions.
const arrow::DataType& ValueType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::DICTIONARY:
      return ValueType(*static_cast<const arrow::DictionaryType&>(type).value_type());
    case arrow::Type::RUN_END_ENCODED:
      return ValueType(*static_cast<const arrow::RunEndEncodedType&>(type).value_type());
    case arrow::Type::EXTENSION:
      return ValueType(*static_cast<const arrow::ExtensionType&>(type).storage_type());
    default:
      return type;
  }
}

bool FitsInt(arrow::Type::type id) {
  return id == arrow::Type::INT8 || id == arrow::Type::INT16 || id == arrow::Type::INT32 ||
         id == arrow::Type::UINT8 || id == arrow::Type::UINT16;
}

bool FitsFloat(arrow::Type::type id) {
  return id == arrow::Type::FLOAT || id == arrow::Type::HALF_FLOAT;
}

// Old writers leave out the annotation that tells text from bytes.
bool IsTextOrBytes(arrow::Type::type id) {
  return id == arrow::Type::STRING || id == arrow::Type::LARGE_STRING ||
         id == arrow::Type::STRING_VIEW || id == arrow::Type::BINARY ||
         id == arrow::Type::LARGE_BINARY || id == arrow::Type::BINARY_VIEW;
}

bool IsList(arrow::Type::type id) {
  return id == arrow::Type::LIST || id == arrow::Type::LARGE_LIST ||
         id == arrow::Type::FIXED_SIZE_LIST;
}

bool HasWidth(const arrow::DataType& stored, std::int32_t width) {
  return stored.id() == arrow::Type::FIXED_SIZE_BINARY &&
         static_cast<const arrow::FixedSizeBinaryType&>(stored).byte_width() == width;
}

bool FitsDecimal(const arrow::DataType& stored, const Type& target) {
  if (!arrow::is_decimal(stored.id())) {
    return false;
  }
  const auto& decimal = static_cast<const arrow::DecimalType&>(stored);
  return decimal.scale() == target.scale && decimal.precision() <= target.precision;
}

bool HasZone(const arrow::DataType& stored) {
  return !static_cast<const arrow::TimestampType&>(stored).timezone().empty();
}

}  // namespace

bool CanReadAs(const arrow::DataType& stored, const Type& target) {
  const arrow::DataType& values = ValueType(stored);
  const arrow::Type::type id = values.id();
  if (id == arrow::Type::NA) {
    return target.is_primitive();  // A column of nulls only.
  }
  switch (target.id) {
    case TypeId::kBoolean:
      return id == arrow::Type::BOOL;
    case TypeId::kInt:
      return FitsInt(id);
    case TypeId::kLong:
      return FitsInt(id) || id == arrow::Type::INT64 || id == arrow::Type::UINT32;
    case TypeId::kFloat:
      return FitsFloat(id);
    case TypeId::kDouble:
      return FitsFloat(id) || id == arrow::Type::DOUBLE;
    case TypeId::kDecimal:
      return FitsDecimal(values, target);
    case TypeId::kDate:
      return id == arrow::Type::DATE32 || id == arrow::Type::DATE64;
    case TypeId::kTime:
      return id == arrow::Type::TIME32 || id == arrow::Type::TIME64;
    case TypeId::kTimestamp:
    case TypeId::kTimestampNs:
      return id == arrow::Type::TIMESTAMP && !HasZone(values);
    case TypeId::kTimestamptz:
    case TypeId::kTimestamptzNs:
      // Parquet's old INT96 timestamps are instants in UTC and come without a zone.
      return id == arrow::Type::TIMESTAMP;
    case TypeId::kString:
    case TypeId::kBinary:
      return IsTextOrBytes(id);
    case TypeId::kUuid:
      return HasWidth(values, 16);
    case TypeId::kFixed:
      return HasWidth(values, target.length);
    case TypeId::kStruct:
      return id == arrow::Type::STRUCT;
    case TypeId::kList:
      return IsList(id);
    case TypeId::kMap:
      return id == arrow::Type::MAP;
    case TypeId::kUnknown:
      break;
  }
  return false;
}

std::optional<Type> StatisticsType(const arrow::DataType& stored, const Type& target) {
  const arrow::DataType& values = ValueType(stored);
  switch (target.id) {
    case TypeId::kInt:
    case TypeId::kLong:
      if (values.id() == arrow::Type::INT32) {
        return PrimitiveType(TypeId::kInt);
      }
      return values.id() == arrow::Type::INT64 ? std::optional(target) : std::nullopt;
    case TypeId::kFloat:
    case TypeId::kDouble:
      if (values.id() == arrow::Type::FLOAT) {
        return PrimitiveType(TypeId::kFloat);
      }
      return values.id() == arrow::Type::DOUBLE ? std::optional(target) : std::nullopt;
    case TypeId::kDate:
      return values.id() == arrow::Type::DATE32 ? std::optional(target) : std::nullopt;
    case TypeId::kTime:
      return values.Equals(arrow::time64(arrow::TimeUnit::MICRO)) ? std::optional(target)
                                                                  : std::nullopt;
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
      return values.id() == arrow::Type::TIMESTAMP &&
                     static_cast<const arrow::TimestampType&>(values).unit() ==
                         arrow::TimeUnit::MICRO
                 ? std::optional(target)
                 : std::nullopt;
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
    case TypeId::kUnknown:
      return std::nullopt;
    case TypeId::kBoolean:
    case TypeId::kDecimal:
    case TypeId::kString:
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kBinary:
      return CanReadAs(stored, target) && values.id() != arrow::Type::NA ? std::optional(target)
                                                                         : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace strandline::table::internal
