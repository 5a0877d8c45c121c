#include "strandline/table/metadata/schema_json.h"

#include <array>
#include <set>

#include "strandline/table/metadata/internal/json_values.h"

namespace strandline::table {
namespace internal {
namespace {

constexpr std::array<std::string_view, 4> kSchemaMembers = {"type", "fields", "schema-id",
                                                            "identifier-field-ids"};
constexpr std::array<std::string_view, 7> kFieldMembers = {
    "id", "name", "required", "type", "doc", "initial-default", "write-default"};
constexpr std::array<std::string_view, 4> kPartitionFieldMembers = {"source-id", "field-id", "name",
                                                                    "transform"};

Json FieldToJson(const NestedField& field);
Result<std::vector<NestedField>> FieldsFromJson(const Json& json);

Json FieldsToJson(const std::vector<NestedField>& fields) {
  Json json = Json::array();
  for (const NestedField& field : fields) {
    json.push_back(FieldToJson(field));
  }
  return json;
}

Json TypeToJson(const Type& type) {
  switch (type.id) {
    case TypeId::kStruct:
      return {{"type", "struct"}, {"fields", FieldsToJson(type.fields)}};
    case TypeId::kList: {
      const NestedField& element = type.fields.at(0);
      return {{"type", "list"},
              {"element-id", element.id.value()},
              {"element", TypeToJson(element.type)},
              {"element-required", element.required}};
    }
    case TypeId::kMap: {
      const NestedField& key = type.fields.at(0);
      const NestedField& value = type.fields.at(1);
      return {{"type", "map"},
              {"key-id", key.id.value()},
              {"key", TypeToJson(key.type)},
              {"value-id", value.id.value()},
              {"value", TypeToJson(value.type)},
              {"value-required", value.required}};
    }
    default:
      return ToString(type);
  }
}

Json FieldToJson(const NestedField& field) {
  Json json = {{"id", field.id.value()},
               {"name", field.name},
               {"required", field.required},
               {"type", TypeToJson(field.type)}};
  if (!field.doc.empty()) {
    json["doc"] = field.doc;
  }
  if (field.initial_default) {
    json["initial-default"] = JsonOfOurs(*field.initial_default);
  }
  if (field.write_default) {
    json["write-default"] = JsonOfOurs(*field.write_default);
  }
  AddUnknownMembers(field.unknown_fields, json);
  return json;
}

// A primitive type in a file: an unknown name is the file's fault, not a caller's.
Result<Type> PrimitiveFromJson(const std::string& text) {
  Result<Type> type = ParsePrimitiveType(text);
  if (!type && type.error().kind == ErrorKind::kInvalidArgument) {
    return Error{ErrorKind::kCorrupt, type.error().message};
  }
  return type;
}

Result<Type> TypeFromJson(const Json& json);

Result<Type> MemberType(const Json& object, const char* name) {
  const Json* const member = FindMember(object, name);
  if (member == nullptr) {
    return MakeError(ErrorKind::kCorrupt, "{} is missing", name);
  }
  return TypeFromJson(*member);
}

Result<Type> ListFromJson(const Json& json) {
  const std::int32_t element_id = SL_TRY(Int32Member(json, "element-id"));
  const bool required = SL_TRY(BoolMember(json, "element-required"));
  Type element = SL_TRY(MemberType(json, "element"));
  return ListType(FieldId(element_id), std::move(element), required);
}

Result<Type> MapFromJson(const Json& json) {
  const std::int32_t key_id = SL_TRY(Int32Member(json, "key-id"));
  const std::int32_t value_id = SL_TRY(Int32Member(json, "value-id"));
  const bool required = SL_TRY(BoolMember(json, "value-required"));
  Type key = SL_TRY(MemberType(json, "key"));
  Type value = SL_TRY(MemberType(json, "value"));
  return MapType(FieldId(key_id), std::move(key), FieldId(value_id), std::move(value), required);
}

Result<Type> TypeFromJson(const Json& json) {
  if (json.is_string()) {
    return PrimitiveFromJson(json.get<std::string>());
  }
  SL_TRY(CheckObject(json, "type"));
  const std::string name = SL_TRY(StringMember(json, "type"));
  if (name == "list") {
    return ListFromJson(json);
  }
  if (name == "map") {
    return MapFromJson(json);
  }
  if (name != "struct") {
    return MakeError(ErrorKind::kCorrupt, "type: expected struct, list or map, found '{}'", name);
  }
  const Json* const fields = SL_TRY(ArrayMember(json, "fields"));
  std::vector<NestedField> parsed = SL_TRY(FieldsFromJson(*fields));
  return StructType(std::move(parsed));
}

std::optional<std::string> DefaultText(const Json& field, const char* name) {
  const Json* const member = FindMember(field, name);
  return member == nullptr ? std::nullopt : std::optional(JsonText(*member));
}

Result<NestedField> FieldFromJson(const Json& json) {
  SL_TRY(CheckObject(json, "field"));
  NestedField field;
  field.name = SL_TRY(StringMember(json, "name"));
  field.id = SL_TRY(IdMember<FieldId>(json, "id"), "field {}", field.name);
  field.required = SL_TRY(BoolMember(json, "required"), "field {}", field.name);
  field.type = SL_TRY(MemberType(json, "type"), "field {}", field.name);
  const std::optional<std::string> doc = SL_TRY(OptionalStringMember(json, "doc"));
  field.doc = doc.value_or("");
  field.initial_default = DefaultText(json, "initial-default");
  field.write_default = DefaultText(json, "write-default");
  field.unknown_fields = UnknownMembers(json, kFieldMembers);
  return field;
}

Result<std::vector<NestedField>> FieldsFromJson(const Json& json) {
  std::vector<NestedField> fields;
  for (const Json& item : json) {
    NestedField field = SL_TRY(FieldFromJson(item));
    fields.push_back(std::move(field));
  }
  return fields;
}

// Ids name a column in every file of the table, names in every query: both must be unambiguous.
Status CheckUnambiguous(const std::vector<NestedField>& fields, std::set<FieldId>& ids) {
  std::set<std::string_view> names;
  for (const NestedField& field : fields) {
    if (!ids.insert(field.id).second) {
      return MakeError(ErrorKind::kCorrupt, "two fields have the id {}, one of them is {}",
                       field.id, field.name);
    }
    if (!names.insert(field.name).second) {
      return MakeError(ErrorKind::kCorrupt, "two fields have the name '{}'", field.name);
    }
    SL_TRY(CheckUnambiguous(field.type.fields, ids));
  }
  return {};
}

}  // namespace

Json SchemaToJson(const Schema& schema) {
  Json json = TypeToJson(StructType(schema.fields));
  json["schema-id"] = schema.id.value();
  if (!schema.identifier_field_ids.empty()) {
    Json ids = Json::array();
    for (const FieldId id : schema.identifier_field_ids) {
      ids.push_back(id.value());
    }
    json["identifier-field-ids"] = std::move(ids);
  }
  AddUnknownMembers(schema.unknown_fields, json);
  return json;
}

Result<Schema> SchemaFromJson(const Json& json) {
  SL_TRY(CheckObject(json, "schema"));
  Schema schema;
  const std::optional<std::int32_t> id = SL_TRY(OptionalInt32Member(json, "schema-id"));
  schema.id = SchemaId(id.value_or(0));
  const Json* const fields = SL_TRY(ArrayMember(json, "fields"), "schema {}", schema.id);
  schema.fields = SL_TRY(FieldsFromJson(*fields), "schema {}", schema.id);
  std::set<FieldId> ids;
  SL_TRY(CheckUnambiguous(schema.fields, ids), "schema {}", schema.id);
  const Json* const identifiers = SL_TRY(OptionalArrayMember(json, "identifier-field-ids"));
  for (const Json& identifier : *identifiers) {
    const std::int32_t id_value = SL_TRY(Int32Of(identifier, "identifier-field-ids"));
    const FieldId field_id(id_value);
    if (!ids.contains(field_id)) {
      return MakeError(ErrorKind::kCorrupt, "schema {}: identifier-field-ids: no field {}",
                       schema.id, field_id);
    }
    schema.identifier_field_ids.push_back(field_id);
  }
  schema.unknown_fields = UnknownMembers(json, kSchemaMembers);
  return schema;
}

Json PartitionFieldsToJson(const std::vector<PartitionField>& fields) {
  Json json = Json::array();
  for (const PartitionField& field : fields) {
    Json item = {{"source-id", field.source_id.value()},
                 {"field-id", field.field_id.value()},
                 {"name", field.name},
                 {"transform", ToString(field.transform)}};
    AddUnknownMembers(field.unknown_fields, item);
    json.push_back(std::move(item));
  }
  return json;
}

Result<std::vector<PartitionField>> PartitionFieldsFromJson(const Json& json) {
  // Version 1 had no field ids: they count from here in the order of the fields.
  constexpr std::int32_t kFirstFieldId = 1000;
  SL_TRY(CheckArray(json, "partition fields"));
  std::vector<PartitionField> fields;
  std::set<FieldId> ids;
  for (const Json& item : json) {
    SL_TRY(CheckObject(item, "partition field"));
    PartitionField field;
    field.name = SL_TRY(StringMember(item, "name"));
    if (FindMember(item, "source-ids") != nullptr && FindMember(item, "source-id") == nullptr) {
      return MakeError(
          ErrorKind::kUnsupported,
          "partition field {}: transforms of several columns (format version 3) are not "
          "supported",
          field.name);
    }
    field.source_id =
        SL_TRY(IdMember<FieldId>(item, "source-id"), "partition field {}", field.name);
    const std::optional<std::int32_t> id = SL_TRY(OptionalInt32Member(item, "field-id"));
    field.field_id = FieldId(id.value_or(kFirstFieldId + static_cast<std::int32_t>(fields.size())));
    const std::string text =
        SL_TRY(StringMember(item, "transform"), "partition field {}", field.name);
    const Result<Transform> transform = ParseTransform(text);
    if (!transform) {
      return MakeError(ErrorKind::kCorrupt, "partition field {}: {}", field.name,
                       transform.error().message);
    }
    field.transform = *transform;
    field.unknown_fields = UnknownMembers(item, kPartitionFieldMembers);
    if (!ids.insert(field.field_id).second) {
      return MakeError(ErrorKind::kCorrupt,
                       "two partition fields have the id {}, one of them is {}", field.field_id,
                       field.name);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace internal

std::string SchemaJson(const Schema& schema) { return JsonText(internal::SchemaToJson(schema)); }

Result<Schema> ParseSchemaJson(std::string_view json) {
  const Json parsed = SL_TRY(ParseJson(json), "reading a schema");
  return internal::SchemaFromJson(parsed);
}

std::string PartitionFieldsJson(const PartitionSpec& spec) {
  return JsonText(internal::PartitionFieldsToJson(spec.fields));
}

Result<std::vector<PartitionField>> ParsePartitionFieldsJson(std::string_view json) {
  const Json parsed = SL_TRY(ParseJson(json), "reading partition fields");
  return internal::PartitionFieldsFromJson(parsed);
}

}  // namespace strandline::table
