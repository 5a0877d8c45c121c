#include "strandline/table/arrow/arrow_schema.h"

#include <charconv>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/util/key_value_metadata.h>

#include "strandline/base/check.h"
#include "strandline/format/parquet/parquet_writer.h"

namespace strandline::table {
namespace {

constexpr char kFieldIdKey[] = "PARQUET:field_id";
constexpr std::int32_t kUuidBytes = 16;

arrow::FieldVector ArrowFields(const std::vector<NestedField>& fields) {
  arrow::FieldVector result;
  result.reserve(fields.size());
  for (const NestedField& field : fields) {
    result.push_back(ArrowField(field));
  }
  return result;
}

}  // namespace

std::shared_ptr<arrow::DataType> ArrowType(const Type& type) {
  switch (type.id) {
    case TypeId::kBoolean:
      return arrow::boolean();
    case TypeId::kInt:
      return arrow::int32();
    case TypeId::kLong:
      return arrow::int64();
    case TypeId::kFloat:
      return arrow::float32();
    case TypeId::kDouble:
      return arrow::float64();
    case TypeId::kDecimal:
      return arrow::decimal128(type.precision, type.scale);
    case TypeId::kDate:
      return arrow::date32();
    case TypeId::kTime:
      return arrow::time64(arrow::TimeUnit::MICRO);
    case TypeId::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case TypeId::kTimestamptz:
      return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case TypeId::kTimestampNs:
      return arrow::timestamp(arrow::TimeUnit::NANO);
    case TypeId::kTimestamptzNs:
      return arrow::timestamp(arrow::TimeUnit::NANO, "UTC");
    case TypeId::kString:
      return arrow::utf8();
    case TypeId::kUuid:
      return arrow::fixed_size_binary(kUuidBytes);
    case TypeId::kFixed:
      return arrow::fixed_size_binary(type.length);
    case TypeId::kBinary:
      return arrow::binary();
    case TypeId::kStruct:
      return arrow::struct_(ArrowFields(type.fields));
    case TypeId::kList:
      return arrow::list(ArrowField(type.fields[0]));
    case TypeId::kMap:
      return std::make_shared<arrow::MapType>(ArrowField(type.fields[0]),
                                              ArrowField(type.fields[1]));
    case TypeId::kUnknown:
      break;
  }
  SL_CHECK(false && "a column of unknown type");
  return nullptr;
}

std::shared_ptr<arrow::Field> ArrowField(const NestedField& field) {
  std::vector<std::string> keys = {kFieldIdKey};
  std::vector<std::string> values = {fmt::to_string(field.id.value())};
  if (field.type.id == TypeId::kUuid) {
    keys.emplace_back(format::kUuidFieldKey);
    values.emplace_back(format::kUuidFieldValue);
  }
  return arrow::field(field.name, ArrowType(field.type), /*nullable=*/!field.required,
                      arrow::key_value_metadata(std::move(keys), std::move(values)));
}

std::shared_ptr<arrow::Schema> ArrowSchema(const Schema& schema) {
  return arrow::schema(ArrowFields(schema.fields));
}

std::optional<FieldId> ArrowFieldId(const arrow::Field& field) {
  const int key = field.metadata() == nullptr ? -1 : field.metadata()->FindKey(kFieldIdKey);
  if (key < 0) {
    return std::nullopt;
  }
  const std::string& text = field.metadata()->value(key);
  std::int32_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || id < 0) {
    return std::nullopt;
  }
  return FieldId{id};
}

}  // namespace strandline::table
