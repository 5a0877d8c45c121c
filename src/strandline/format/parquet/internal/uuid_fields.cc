#include "strandline/format/parquet/internal/uuid_fields.h"

#include <cstddef>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/extension/uuid.h>
#include <arrow/util/checked_cast.h>

#include "strandline/format/parquet/parquet_writer.h"

namespace strandline::format {
namespace {

constexpr std::int32_t kUuidBytes = 16;

std::shared_ptr<arrow::Field> WithUuidType(const std::shared_ptr<arrow::Field>& field);

bool IsMarkedUuid(const arrow::Field& field) {
  if (field.type()->id() != arrow::Type::FIXED_SIZE_BINARY || field.metadata() == nullptr) {
    return false;
  }
  const auto& type =
      arrow::internal::checked_cast<const arrow::FixedSizeBinaryType&>(*field.type());
  const int key = field.metadata()->FindKey(kUuidFieldKey);
  return type.byte_width() == kUuidBytes && key >= 0 &&
         field.metadata()->value(key) == kUuidFieldValue;
}

std::shared_ptr<arrow::DataType> WithUuidsInside(const std::shared_ptr<arrow::DataType>& type) {
  if (type->num_fields() == 0) {
    return type;
  }
  arrow::FieldVector fields;
  bool changed = false;
  for (const std::shared_ptr<arrow::Field>& field : type->fields()) {
    fields.push_back(WithUuidType(field));
    changed = changed || fields.back() != field;
  }
  if (!changed) {
    return type;
  }
  switch (type->id()) {
    case arrow::Type::STRUCT:
      return arrow::struct_(std::move(fields));
    case arrow::Type::LIST:
      return arrow::list(std::move(fields[0]));
    case arrow::Type::MAP:
      return std::make_shared<arrow::MapType>(
          std::move(fields[0]),
          arrow::internal::checked_cast<const arrow::MapType&>(*type).keys_sorted());
    default:
      return type;  // Stored as plain fixed bytes inside the types that Iceberg does not have.
  }
}

std::shared_ptr<arrow::Field> WithUuidType(const std::shared_ptr<arrow::Field>& field) {
  if (IsMarkedUuid(*field)) {
    return field->WithType(arrow::extension::uuid());
  }
  std::shared_ptr<arrow::DataType> type = WithUuidsInside(field->type());
  return type == field->type() ? field : field->WithType(std::move(type));
}

std::shared_ptr<arrow::ArrayData> Retyped(const arrow::ArrayData& data,
                                          const std::shared_ptr<arrow::DataType>& type) {
  std::shared_ptr<arrow::ArrayData> copy = data.Copy();
  copy->type = type;
  for (std::size_t i = 0; i < copy->child_data.size(); ++i) {
    copy->child_data[i] = Retyped(*copy->child_data[i], type->field(static_cast<int>(i))->type());
  }
  return copy;
}

}  // namespace

std::shared_ptr<arrow::Schema> WithUuidTypes(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const std::shared_ptr<arrow::Field>& field : schema.fields()) {
    fields.push_back(WithUuidType(field));
  }
  return arrow::schema(std::move(fields), schema.metadata());
}

std::shared_ptr<arrow::Array> WithUuidTypes(const arrow::Array& values,
                                            const std::shared_ptr<arrow::DataType>& type) {
  return arrow::MakeArray(Retyped(*values.data(), type));
}

}  // namespace strandline::format
