#include "strandline/table/read/internal/column_values.h"

#include <utility>

#include <arrow/api.h>
#include <arrow/compute/api.h>

#include "strandline/format/batch/arrow_status.h"

namespace strandline::table::internal {
namespace {

using ArrayData = std::shared_ptr<arrow::ArrayData>;

// The same buffers under another type of the same layout.
std::shared_ptr<arrow::Array> Retype(const std::shared_ptr<arrow::Array>& array,
                                     const std::shared_ptr<arrow::DataType>& type) {
  ArrayData data = array->data()->Copy();
  data->type = type;
  return arrow::MakeArray(std::move(data));
}

Result<std::shared_ptr<arrow::Array>> Cast(const std::shared_ptr<arrow::Array>& array,
                                           const std::shared_ptr<arrow::DataType>& type) {
  return format::FromArrow(arrow::compute::Cast(*array, type));
}

// Arrow's cast would read a time without a zone as local; INT96 times are instants already.
Result<std::shared_ptr<arrow::Array>> ReadTimestamps(const std::shared_ptr<arrow::Array>& stored,
                                                     const std::shared_ptr<arrow::DataType>& type) {
  const auto& from = static_cast<const arrow::TimestampType&>(*stored->type());
  const auto& to = static_cast<const arrow::TimestampType&>(*type);
  if (from.unit() == to.unit()) {
    return Retype(stored, type);
  }
  const std::shared_ptr<arrow::Array> in_unit =
      SL_TRY(Cast(stored, arrow::timestamp(to.unit(), from.timezone())));
  return Retype(in_unit, type);
}

Result<std::shared_ptr<arrow::Array>> ReadPrimitives(const FieldPlan& plan,
                                                     const std::shared_ptr<arrow::Array>& stored) {
  const std::shared_ptr<arrow::DataType>& type = plan.arrow_type;
  switch (stored->type_id()) {
    case arrow::Type::EXTENSION:
      return ReadAs(plan, static_cast<const arrow::ExtensionArray&>(*stored).storage());
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryType&>(*stored->type());
      const std::shared_ptr<arrow::Array> plain = SL_TRY(Cast(stored, dictionary.value_type()));
      return ReadAs(plan, plain);
    }
    case arrow::Type::TIMESTAMP:
      return ReadTimestamps(stored, type);
    case arrow::Type::DECIMAL128:
      // A higher precision changes no bit.
      return Retype(stored, type);
    default:
      return Cast(stored, type);
  }
}

// `data` with each child read as its plan. Children keep the length they have below the parent's
// offset, so that offset stays right.
Result<std::shared_ptr<arrow::Array>> ReadStructs(const FieldPlan& plan,
                                                  const std::shared_ptr<arrow::Array>& stored) {
  ArrayData data = stored->data()->Copy();
  const std::int64_t child_rows = data->offset + data->length;
  std::vector<ArrayData> children;
  for (const FieldPlan& child : plan.children) {
    std::shared_ptr<arrow::Array> values;
    if (child.source) {
      const auto index = static_cast<std::size_t>(*child.source);
      values = SL_TRY(ReadAs(child, arrow::MakeArray(data->child_data[index])));
    } else {
      values = SL_TRY(RepeatConstant(child, child_rows));
    }
    children.push_back(values->data());
  }
  data->child_data = std::move(children);
  data->type = plan.arrow_type;
  return arrow::MakeArray(std::move(data));
}

Result<std::shared_ptr<arrow::Array>> ReadLists(const FieldPlan& plan,
                                                const std::shared_ptr<arrow::Array>& stored) {
  if (stored->type_id() != arrow::Type::LIST) {
    const std::shared_ptr<arrow::Array> list =
        SL_TRY(Cast(stored, arrow::list(stored->type()->field(0))));
    return ReadLists(plan, list);
  }
  ArrayData data = stored->data()->Copy();
  const std::shared_ptr<arrow::Array> elements =
      SL_TRY(ReadAs(plan.children.front(), arrow::MakeArray(data->child_data.front())));
  data->child_data = {elements->data()};
  data->type = plan.arrow_type;
  return arrow::MakeArray(std::move(data));
}

Result<std::shared_ptr<arrow::Array>> ReadMaps(const FieldPlan& plan,
                                               const std::shared_ptr<arrow::Array>& stored) {
  ArrayData data = stored->data()->Copy();
  ArrayData entries = data->child_data.front()->Copy();
  for (std::size_t i = 0; i < plan.children.size(); ++i) {
    const std::shared_ptr<arrow::Array> values =
        SL_TRY(ReadAs(plan.children[i], arrow::MakeArray(entries->child_data[i])));
    entries->child_data[i] = values->data();
  }
  entries->type = plan.arrow_type->field(0)->type();
  data->child_data = {std::move(entries)};
  data->type = plan.arrow_type;
  return arrow::MakeArray(std::move(data));
}

arrow::Decimal128 AsDecimal(const Value& value) {
  const Int128 unscaled = std::get<Int128>(value);
  return {static_cast<std::int64_t>(unscaled >> 64), static_cast<std::uint64_t>(unscaled)};
}

// Strings as a dictionary that has only this one.
Result<std::shared_ptr<arrow::Array>> RepeatInDictionary(
    const std::shared_ptr<arrow::DataType>& type, const std::string& value, std::int64_t rows) {
  const std::shared_ptr<arrow::Array> indices = SL_TRY(format::FromArrow(
      arrow::MakeArrayFromScalar(arrow::Int32Scalar(0), rows), ErrorKind::kUnavailable));
  const std::shared_ptr<arrow::Array> values = SL_TRY(format::FromArrow(
      arrow::MakeArrayFromScalar(arrow::StringScalar(value), 1), ErrorKind::kUnavailable));
  return std::make_shared<arrow::DictionaryArray>(type, indices, values);
}

// `value` is one of `type`: planned so.
std::shared_ptr<arrow::Scalar> MakeScalar(const Type& type,
                                          const std::shared_ptr<arrow::DataType>& arrow_type,
                                          const Value& value) {
  switch (type.id) {
    case TypeId::kBoolean:
      return std::make_shared<arrow::BooleanScalar>(std::get<bool>(value));
    case TypeId::kInt:
      return std::make_shared<arrow::Int32Scalar>(std::get<std::int32_t>(value));
    case TypeId::kDate:
      return std::make_shared<arrow::Date32Scalar>(std::get<std::int32_t>(value));
    case TypeId::kLong:
      return std::make_shared<arrow::Int64Scalar>(std::get<std::int64_t>(value));
    case TypeId::kTime:
      return std::make_shared<arrow::Time64Scalar>(std::get<std::int64_t>(value), arrow_type);
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return std::make_shared<arrow::TimestampScalar>(std::get<std::int64_t>(value), arrow_type);
    case TypeId::kFloat:
      return std::make_shared<arrow::FloatScalar>(std::get<float>(value));
    case TypeId::kDouble:
      return std::make_shared<arrow::DoubleScalar>(std::get<double>(value));
    case TypeId::kDecimal:
      return std::make_shared<arrow::Decimal128Scalar>(AsDecimal(value), arrow_type);
    case TypeId::kString:
      return std::make_shared<arrow::StringScalar>(std::get<std::string>(value));
    case TypeId::kBinary:
      return std::make_shared<arrow::BinaryScalar>(
          arrow::Buffer::FromString(std::get<Bytes>(value).bytes));
    default:
      return std::make_shared<arrow::FixedSizeBinaryScalar>(
          arrow::Buffer::FromString(std::get<Bytes>(value).bytes), arrow_type);
  }
}

}  // namespace

Result<std::shared_ptr<arrow::Array>> ReadAs(const FieldPlan& plan,
                                             const std::shared_ptr<arrow::Array>& stored) {
  if (plan.type.is_primitive() && stored->type()->Equals(*plan.arrow_type)) {
    return stored;
  }
  // Equal struct types are not enough: a child of the same name can be another field.
  switch (plan.type.id) {
    case TypeId::kStruct:
      return ReadStructs(plan, stored);
    case TypeId::kList:
      return ReadLists(plan, stored);
    case TypeId::kMap:
      return ReadMaps(plan, stored);
    default:
      return ReadPrimitives(plan, stored);
  }
}

Result<std::shared_ptr<arrow::Array>> RepeatConstant(const FieldPlan& plan, std::int64_t rows) {
  if (IsNull(plan.constant)) {
    return format::FromArrow(arrow::MakeArrayOfNull(plan.arrow_type, rows),
                             ErrorKind::kUnavailable);
  }
  if (plan.arrow_type->id() == arrow::Type::DICTIONARY) {
    return RepeatInDictionary(plan.arrow_type, std::get<std::string>(plan.constant), rows);
  }
  return format::FromArrow(
      arrow::MakeArrayFromScalar(*MakeScalar(plan.type, plan.arrow_type, plan.constant), rows),
      ErrorKind::kUnavailable);
}

}  // namespace strandline::table::internal
