#include <array>

#include "strandline/table/metadata/internal/json_values.h"

namespace strandline::table::internal {
namespace {

constexpr std::array<std::string_view, 2> kOrderMembers = {"order-id", "fields"};
constexpr std::array<std::string_view, 4> kFieldMembers = {"source-id", "transform", "direction",
                                                           "null-order"};

Result<SortField> SortFieldFromJson(const Json& json) {
  SL_TRY(CheckObject(json, "sort field"));
  SortField field;
  if (FindMember(json, "source-ids") != nullptr && FindMember(json, "source-id") == nullptr) {
    return MakeError(
        ErrorKind::kUnsupported,
        "sorting by transforms of several columns (format version 3) is not supported");
  }
  field.source_id = SL_TRY(IdMember<FieldId>(json, "source-id"));
  const std::string text = SL_TRY(StringMember(json, "transform"));
  const Result<Transform> transform = ParseTransform(text);
  if (!transform) {
    return Error{ErrorKind::kCorrupt, transform.error().message};
  }
  field.transform = *transform;
  field.direction = SL_TRY(StringMember(json, "direction"));
  field.null_order = SL_TRY(StringMember(json, "null-order"));
  field.unknown_fields = UnknownMembers(json, kFieldMembers);
  return field;
}

}  // namespace

Json SortOrderToJson(const SortOrder& order) {
  Json fields = Json::array();
  for (const SortField& field : order.fields) {
    Json item = {{"source-id", field.source_id.value()},
                 {"transform", ToString(field.transform)},
                 {"direction", field.direction},
                 {"null-order", field.null_order}};
    AddUnknownMembers(field.unknown_fields, item);
    fields.push_back(std::move(item));
  }
  Json json = {{"order-id", order.id.value()}, {"fields", std::move(fields)}};
  AddUnknownMembers(order.unknown_fields, json);
  return json;
}

Result<SortOrder> SortOrderFromJson(const Json& json) {
  SL_TRY(CheckObject(json, "sort order"));
  SortOrder order;
  order.id = SL_TRY(IdMember<SortOrderId>(json, "order-id"));
  const Json* const fields = SL_TRY(ArrayMember(json, "fields"), "sort order {}", order.id);
  for (const Json& item : *fields) {
    SortField field = SL_TRY(SortFieldFromJson(item), "sort order {}", order.id);
    order.fields.push_back(std::move(field));
  }
  order.unknown_fields = UnknownMembers(json, kOrderMembers);
  return order;
}

}  // namespace strandline::table::internal
