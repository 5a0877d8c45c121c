#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/key_value_metadata.h>

#include "strandline/format/parquet/parquet_writer.h"
#include "strandline/table/arrow/arrow_schema.h"

namespace strandline::table {
namespace {

using arrow::internal::checked_cast;

constexpr std::int32_t kUuidBytes = 16;

Error Unsupported(const arrow::DataType& type) {
  return MakeError(ErrorKind::kUnsupported, "Iceberg version 2 has no type for {}",
                   type.ToString());
}

bool IsMarkedUuid(const arrow::Field& field) {
  const int key =
      field.metadata() == nullptr ? -1 : field.metadata()->FindKey(format::kUuidFieldKey);
  return key >= 0 && field.metadata()->value(key) == format::kUuidFieldValue &&
         field.type()->id() == arrow::Type::FIXED_SIZE_BINARY &&
         checked_cast<const arrow::FixedSizeBinaryType&>(*field.type()).byte_width() == kUuidBytes;
}

Result<Type> DecimalOf(const arrow::DecimalType& type) {
  if (type.precision() > kDecimalPrecisionMax || type.scale() < 0 ||
      type.scale() > type.precision()) {
    return Unsupported(type);
  }
  return DecimalType(type.precision(), type.scale());
}

Result<Type> StructOf(const arrow::DataType& type) {
  std::vector<NestedField> fields;
  for (const std::shared_ptr<arrow::Field>& field : type.fields()) {
    fields.push_back(SL_TRY(IcebergField(*field)));
  }
  return StructType(std::move(fields));
}

Result<Type> ListOf(const arrow::DataType& type) {
  NestedField element = SL_TRY(IcebergField(*type.field(0)));
  return ListType(element.id, std::move(element.type), element.required);
}

Result<Type> MapOf(const arrow::MapType& type) {
  NestedField key = SL_TRY(IcebergField(*type.key_field()));
  NestedField value = SL_TRY(IcebergField(*type.item_field()));
  return MapType(key.id, std::move(key.type), value.id, std::move(value.type), value.required);
}

Result<Type> ExtensionOf(const arrow::ExtensionType& type) {
  if (type.extension_name() == format::kUuidFieldValue) {
    return PrimitiveType(TypeId::kUuid);
  }
  return IcebergType(*type.storage_type());
}

}  // namespace

Result<Type> IcebergType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return PrimitiveType(TypeId::kBoolean);
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::UINT8:
    case arrow::Type::UINT16:
      return PrimitiveType(TypeId::kInt);
    case arrow::Type::UINT32:
    case arrow::Type::INT64:
      return PrimitiveType(TypeId::kLong);
    case arrow::Type::HALF_FLOAT:
    case arrow::Type::FLOAT:
      return PrimitiveType(TypeId::kFloat);
    case arrow::Type::DOUBLE:
      return PrimitiveType(TypeId::kDouble);
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return DecimalOf(checked_cast<const arrow::DecimalType&>(type));
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
      return PrimitiveType(TypeId::kDate);
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return PrimitiveType(TypeId::kTime);
    case arrow::Type::TIMESTAMP:
      return PrimitiveType(checked_cast<const arrow::TimestampType&>(type).timezone().empty()
                               ? TypeId::kTimestamp
                               : TypeId::kTimestamptz);
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return PrimitiveType(TypeId::kString);
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
      return PrimitiveType(TypeId::kBinary);
    case arrow::Type::FIXED_SIZE_BINARY:
      return FixedType(checked_cast<const arrow::FixedSizeBinaryType&>(type).byte_width());
    case arrow::Type::STRUCT:
      return StructOf(type);
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW:
      return ListOf(type);
    case arrow::Type::MAP:
      return MapOf(checked_cast<const arrow::MapType&>(type));
    case arrow::Type::DICTIONARY:
      return IcebergType(*checked_cast<const arrow::DictionaryType&>(type).value_type());
    case arrow::Type::RUN_END_ENCODED:
      return IcebergType(*checked_cast<const arrow::RunEndEncodedType&>(type).value_type());
    case arrow::Type::EXTENSION:
      return ExtensionOf(checked_cast<const arrow::ExtensionType&>(type));
    default:
      return Unsupported(type);
  }
}

Result<NestedField> IcebergField(const arrow::Field& field) {
  Type type = PrimitiveType(TypeId::kUuid);
  if (!IsMarkedUuid(field)) {
    type = SL_TRY(IcebergType(*field.type()), "column {}", field.name());
  }
  return NestedField{.id = ArrowFieldId(field).value_or(FieldId{0}),
                     .name = field.name(),
                     .type = std::move(type),
                     .required = !field.nullable()};
}

}  // namespace strandline::table
