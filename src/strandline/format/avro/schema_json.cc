#include <algorithm>
#include <array>
#include <limits>

#include <nlohmann/json.hpp>

#include "strandline/format/avro/avro.h"

// https://avro.apache.org/docs/1.11.1/specification/#schema-declaration

namespace strandline::format::avro {
namespace {

using Json = nlohmann::ordered_json;

// Far above any schema seen, far below what exhausts the stack or lets named types that hold each
// other twice grow without end.
constexpr int kNestingMax = 64;
constexpr std::int64_t kNodesMax = 10'000;
// Long enough to recognise a schema in a message.
constexpr std::size_t kQuotedBytesMax = 120;

struct KindName {
  Kind kind;
  std::string_view name;
};
constexpr std::array kKindNames = {
    KindName{Kind::kNull, "null"},     KindName{Kind::kBoolean, "boolean"},
    KindName{Kind::kInt, "int"},       KindName{Kind::kLong, "long"},
    KindName{Kind::kFloat, "float"},   KindName{Kind::kDouble, "double"},
    KindName{Kind::kBytes, "bytes"},   KindName{Kind::kString, "string"},
    KindName{Kind::kFixed, "fixed"},   KindName{Kind::kEnum, "enum"},
    KindName{Kind::kArray, "array"},   KindName{Kind::kMap, "map"},
    KindName{Kind::kRecord, "record"},
};

std::optional<Kind> KindOf(std::string_view name) {
  const auto* const found = std::ranges::find(kKindNames, name, &KindName::name);
  return found == kKindNames.end() ? std::nullopt : std::optional(found->kind);
}

std::string_view NameOf(Kind kind) {
  return std::ranges::find(kKindNames, kind, &KindName::kind)->name;
}

// The text of an attribute; what is not UTF-8 in it becomes a replacement character.
std::string Text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Quoted(const Json& json) { return Text(json).substr(0, kQuotedBytesMax); }

// How deep brackets nest outside of strings. Asked before parsing, since printing recurses.
int Nesting(std::string_view json) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t index = 0; index < json.size(); ++index) {
    const char c = json[index];
    if (in_string) {
      index += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

std::string StringOr(const Json& object, const char* key, std::string_view fallback) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string(fallback);
}

// Ids and sizes; some writers put ids into strings, and Iceberg's Java reader takes those.
std::optional<std::int32_t> Int32(const Json& json) {
  std::int64_t value = -1;
  if (json.is_number_integer()) {
    value = json.get<std::int64_t>();
  } else if (json.is_string()) {
    const std::string text = json.get<std::string>();
    const bool is_number = !text.empty() && text.size() <= 9 &&
                           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    value = is_number ? std::stoll(text) : -1;
  }
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(value);
}

std::optional<std::int32_t> Int32At(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::nullopt : Int32(*found);
}

std::map<std::string, std::string> OtherAttributes(const Json& object,
                                                   std::initializer_list<std::string_view> known) {
  std::map<std::string, std::string> others;
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      others.emplace(key, Text(value));
    }
  }
  return others;
}

class SchemaParser {
 public:
  Result<SchemaPtr> Parse(const Json& json, const std::string& space) {
    if (++nodes_ > kNodesMax) {
      return MakeError(ErrorKind::kCorrupt, "the avro schema unfolds to more than {} types",
                       kNodesMax);
    }
    if (json.is_string()) {
      return Named(json.get<std::string>(), space);
    }
    if (json.is_array()) {
      return Union(json, space);
    }
    const auto type = json.is_object() ? json.find("type") : json.end();
    if (!json.is_object() || type == json.end()) {
      return MakeError(ErrorKind::kCorrupt, "an avro schema is neither name, list nor type: {}",
                       Quoted(json));
    }
    if (!type->is_string()) {
      return Parse(*type, space);
    }
    const std::string name = type->get<std::string>();
    const std::optional<Kind> kind = KindOf(name);
    return kind ? Complex(*kind, json, space) : Named(name, space);
  }

 private:
  struct NamedType {
    SchemaPtr schema;  // Null: defined twice, in different ways.
    std::int64_t nodes = 0;
  };

  static std::string FullName(const std::string& name, const std::string& space) {
    const bool is_full = name.find('.') != std::string::npos;
    return is_full || space.empty() ? name : space + "." + name;
  }

  Result<SchemaPtr> Named(const std::string& name, const std::string& space) {
    if (const std::optional<Kind> kind = KindOf(name); kind && *kind <= Kind::kString) {
      return Primitive(*kind);
    }
    auto found = named_.find(FullName(name, space));
    found = found == named_.end() ? named_.find(name) : found;
    if (found == named_.end()) {
      return MakeError(ErrorKind::kCorrupt, "an avro type is used that is not known (yet): `{}`",
                       name);
    }
    if (found->second.schema == nullptr) {
      return MakeError(ErrorKind::kCorrupt, "an avro type is used that is defined twice: `{}`",
                       name);
    }
    nodes_ += found->second.nodes;
    return found->second.schema;
  }

  Result<SchemaPtr> Union(const Json& json, const std::string& space) {
    Schema schema;
    schema.kind = Kind::kUnion;
    for (const Json& branch : json) {
      schema.branches.push_back(SL_TRY(Parse(branch, space)));
    }
    if (schema.branches.empty()) {
      return MakeError(ErrorKind::kCorrupt, "an avro union has no branches");
    }
    return std::make_shared<const Schema>(std::move(schema));
  }

  Result<SchemaPtr> Complex(Kind kind, const Json& json, const std::string& space) {
    const std::int64_t nodes_before = nodes_;
    Schema schema;
    schema.kind = kind;
    schema.logical_type = StringOr(json, "logicalType", "");
    if (schema.logical_type == "decimal") {
      schema.precision = Int32At(json, "precision").value_or(0);
      schema.scale = Int32At(json, "scale").value_or(0);
    }
    schema.element_id = Int32At(json, "element-id");
    schema.key_id = Int32At(json, "key-id");
    schema.value_id = Int32At(json, "value-id");
    schema.attributes = OtherAttributes(
        json, {"type", "name", "namespace", "fields", "items", "values", "symbols", "size",
               "logicalType", "precision", "scale", "element-id", "key-id", "value-id"});

    std::string inner_space = space;
    if (kind == Kind::kRecord || kind == Kind::kEnum || kind == Kind::kFixed) {
      schema.name = FullName(StringOr(json, "name", ""), StringOr(json, "namespace", space));
      if (schema.name.empty()) {
        return MakeError(ErrorKind::kCorrupt, "an avro {} has no name: {}", NameOf(kind),
                         Quoted(json));
      }
      const std::size_t dot = schema.name.rfind('.');
      inner_space = dot == std::string::npos ? "" : schema.name.substr(0, dot);
    }
    SL_TRY(FillContent(json, inner_space, schema));
    auto done = std::make_shared<const Schema>(std::move(schema));
    if (!done->name.empty()) {
      Remember(done, nodes_ - nodes_before + 1);
    }
    return done;
  }

  // Defining a name twice is against the rules, and writers do it (PyIceberg with two partition
  // fields of one decimal type). It does no harm as long as nothing refers to that name.
  void Remember(const SchemaPtr& schema, std::int64_t nodes) {
    const auto [entry, is_new] = named_.emplace(schema->name, NamedType{schema, nodes});
    SchemaPtr& known = entry->second.schema;
    if (!is_new && known != nullptr && SchemaText(*known) != SchemaText(*schema)) {
      known = nullptr;
    }
  }

  Status FillContent(const Json& json, const std::string& space, Schema& schema) {
    switch (schema.kind) {
      case Kind::kRecord:
        return FillFields(json, space, schema);
      case Kind::kArray:
      case Kind::kMap: {
        const auto items = json.find(schema.kind == Kind::kArray ? "items" : "values");
        if (items == json.end()) {
          return MakeError(ErrorKind::kCorrupt, "an avro {} does not say of what: {}",
                           NameOf(schema.kind), Quoted(json));
        }
        schema.items = SL_TRY(Parse(*items, space));
        return {};
      }
      case Kind::kFixed: {
        const std::optional<std::int32_t> size = Int32At(json, "size");
        if (!size) {
          return MakeError(ErrorKind::kCorrupt, "an avro fixed has no size: `{}`", schema.name);
        }
        schema.size = *size;
        return {};
      }
      case Kind::kEnum:
        return FillSymbols(json, schema);
      default:
        return {};
    }
  }

  Status FillFields(const Json& json, const std::string& space, Schema& schema) {
    const auto fields = json.find("fields");
    if (fields == json.end() || !fields->is_array()) {
      return MakeError(ErrorKind::kCorrupt, "an avro record has no fields: `{}`", schema.name);
    }
    for (const Json& json_field : *fields) {
      if (!json_field.is_object() || !json_field.contains("type")) {
        return MakeError(ErrorKind::kCorrupt, "a field of avro record `{}` has no type: {}",
                         schema.name, Quoted(json_field));
      }
      Field field;
      field.name = StringOr(json_field, "name", "");
      field.schema = SL_TRY(Parse(json_field["type"], space), "field `{}`", field.name);
      field.field_id = Int32At(json_field, "field-id");
      if (json_field.contains("default")) {
        field.default_json = Text(json_field["default"]);
      }
      field.doc = StringOr(json_field, "doc", "");
      field.attributes =
          OtherAttributes(json_field, {"name", "type", "field-id", "default", "doc"});
      schema.fields.push_back(std::move(field));
    }
    return {};
  }

  static Status FillSymbols(const Json& json, Schema& schema) {
    const auto symbols = json.find("symbols");
    if (symbols == json.end() || !symbols->is_array()) {
      return MakeError(ErrorKind::kCorrupt, "an avro enum has no symbols: `{}`", schema.name);
    }
    for (const Json& symbol : *symbols) {
      if (!symbol.is_string()) {
        return MakeError(ErrorKind::kCorrupt, "a symbol of avro enum `{}` is no text: {}",
                         schema.name, Quoted(symbol));
      }
      schema.symbols.push_back(symbol.get<std::string>());
    }
    return {};
  }

  std::map<std::string, NamedType> named_;
  std::int64_t nodes_ = 0;
};

void AddAttributes(const std::map<std::string, std::string>& attributes, Json& to) {
  for (const auto& [key, text] : attributes) {
    Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    to[key] = value.is_discarded() ? Json(text) : std::move(value);
  }
}

class SchemaPrinter {
 public:
  Json Print(const Schema& schema) {
    if (!schema.name.empty() && IsPrinted(schema)) {
      return schema.name;
    }
    if (schema.kind == Kind::kUnion) {
      Json branches = Json::array();
      for (const SchemaPtr& branch : schema.branches) {
        branches.push_back(Print(*branch));
      }
      return branches;
    }
    Json json = {{"type", NameOf(schema.kind)}};
    AddContent(schema, json);
    AddIds(schema, json);
    AddAttributes(schema.attributes, json);
    return schema.kind <= Kind::kString && json.size() == 1 ? Json(NameOf(schema.kind)) : json;
  }

 private:
  // Two types of one name are both printed in full: not Avro, and still the schema that was given.
  bool IsPrinted(const Schema& schema) {
    const auto [entry, is_new] = printed_.emplace(schema.name, &schema);
    return !is_new &&
           (entry->second == &schema || SchemaText(*entry->second) == SchemaText(schema));
  }

  void AddContent(const Schema& schema, Json& json) {
    if (!schema.name.empty()) {
      json["name"] = schema.name;
    }
    if (schema.kind == Kind::kRecord) {
      Json fields = Json::array();
      for (const Field& field : schema.fields) {
        fields.push_back(PrintField(field));
      }
      json["fields"] = std::move(fields);
    } else if (schema.kind == Kind::kArray) {
      json["items"] = Print(*schema.items);
    } else if (schema.kind == Kind::kMap) {
      json["values"] = Print(*schema.items);
    } else if (schema.kind == Kind::kEnum) {
      json["symbols"] = schema.symbols;
    } else if (schema.kind == Kind::kFixed) {
      json["size"] = schema.size;
    }
  }

  static void AddIds(const Schema& schema, Json& json) {
    if (!schema.logical_type.empty()) {
      json["logicalType"] = schema.logical_type;
    }
    if (schema.logical_type == "decimal") {
      json["precision"] = schema.precision;
      json["scale"] = schema.scale;
    }
    if (schema.element_id) {
      json["element-id"] = *schema.element_id;
    }
    if (schema.key_id) {
      json["key-id"] = *schema.key_id;
    }
    if (schema.value_id) {
      json["value-id"] = *schema.value_id;
    }
  }

  Json PrintField(const Field& field) {
    Json json = {{"name", field.name}, {"type", Print(*field.schema)}};
    if (!field.doc.empty()) {
      json["doc"] = field.doc;
    }
    if (field.default_json) {
      AddAttributes({{"default", *field.default_json}}, json);
    }
    AddAttributes(field.attributes, json);
    if (field.field_id) {
      json["field-id"] = *field.field_id;
    }
    return json;
  }

  std::map<std::string, const Schema*> printed_;
};

}  // namespace

Result<SchemaPtr> ParseSchema(std::string_view json) {
  if (Nesting(json) > kNestingMax) {
    return MakeError(ErrorKind::kCorrupt, "the avro schema nests deeper than {} levels",
                     kNestingMax);
  }
  const Json parsed = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) {
    return MakeError(ErrorKind::kCorrupt, "the avro schema is not JSON: {}",
                     json.substr(0, kQuotedBytesMax));
  }
  return SchemaParser().Parse(parsed, "");
}

std::string SchemaText(const Schema& schema) { return Text(SchemaPrinter().Print(schema)); }

}  // namespace strandline::format::avro
