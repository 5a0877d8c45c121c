#include "strandline/table/schema/type.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace strandline::table {
namespace {

struct PrimitiveName {
  TypeId id;
  std::string_view name;
};

// The primitives without parameters.
constexpr std::array kPrimitiveNames = {
    PrimitiveName{TypeId::kBoolean, "boolean"},
    PrimitiveName{TypeId::kInt, "int"},
    PrimitiveName{TypeId::kLong, "long"},
    PrimitiveName{TypeId::kFloat, "float"},
    PrimitiveName{TypeId::kDouble, "double"},
    PrimitiveName{TypeId::kDate, "date"},
    PrimitiveName{TypeId::kTime, "time"},
    PrimitiveName{TypeId::kTimestamp, "timestamp"},
    PrimitiveName{TypeId::kTimestamptz, "timestamptz"},
    PrimitiveName{TypeId::kTimestampNs, "timestamp_ns"},
    PrimitiveName{TypeId::kTimestamptzNs, "timestamptz_ns"},
    PrimitiveName{TypeId::kString, "string"},
    PrimitiveName{TypeId::kUuid, "uuid"},
    PrimitiveName{TypeId::kBinary, "binary"},
};

// Types of format version 3 that we do not read.
constexpr std::array<std::string_view, 4> kVersion3Names = {"variant", "geometry", "geography",
                                                            "unknown"};

Error NoSuchType(std::string_view text) {
  return MakeError(
      ErrorKind::kInvalidArgument,
      "no such type: '{}' (expected boolean, int, long, float, double, decimal(P, S), date, "
      "time, timestamp, timestamptz, string, uuid, fixed[L] or binary)",
      text);
}

// What stands between `open` at the start and `close` at the end of `text`.
std::optional<std::string_view> Enclosed(std::string_view text, std::string_view open, char close) {
  if (!text.starts_with(open) || !text.ends_with(close)) {
    return std::nullopt;
  }
  return text.substr(open.size(), text.size() - open.size() - 1);
}

std::optional<std::int32_t> ParseParameter(std::string_view text) {
  while (text.starts_with(' ')) {
    text.remove_prefix(1);
  }
  while (text.ends_with(' ')) {
    text.remove_suffix(1);
  }
  std::int32_t value = 0;
  const auto* const end = text.end();
  const auto [stop, error] = std::from_chars(text.begin(), end, value);
  if (error != std::errc() || stop != end || value < 0) {
    return std::nullopt;
  }
  return value;
}

Result<Type> ParseDecimal(std::string_view text, std::string_view parameters) {
  const std::size_t comma = parameters.find(',');
  if (comma == std::string_view::npos) {
    return NoSuchType(text);
  }
  const std::optional<std::int32_t> precision = ParseParameter(parameters.substr(0, comma));
  const std::optional<std::int32_t> scale = ParseParameter(parameters.substr(comma + 1));
  if (!precision || !scale) {
    return NoSuchType(text);
  }
  if (*precision < 1 || *precision > kDecimalPrecisionMax || *scale > *precision) {
    return MakeError(
        ErrorKind::kInvalidArgument,
        "decimal outside its range: expected a precision of 1 to {} and a scale of at most "
        "that, found '{}'",
        kDecimalPrecisionMax, text);
  }
  return DecimalType(*precision, *scale);
}

}  // namespace

bool operator==(const Type& a, const Type& b) {
  return a.id == b.id && a.precision == b.precision && a.scale == b.scale && a.length == b.length &&
         a.fields == b.fields;
}

bool operator==(const NestedField& a, const NestedField& b) {
  return a.id == b.id && a.name == b.name && a.type == b.type && a.required == b.required &&
         a.doc == b.doc && a.initial_default == b.initial_default &&
         a.write_default == b.write_default;
}

Type PrimitiveType(TypeId id) {
  Type type;
  type.id = id;
  return type;
}

Type DecimalType(std::int32_t precision, std::int32_t scale) {
  Type type = PrimitiveType(TypeId::kDecimal);
  type.precision = precision;
  type.scale = scale;
  return type;
}

Type FixedType(std::int32_t length) {
  Type type = PrimitiveType(TypeId::kFixed);
  type.length = length;
  return type;
}

Type StructType(std::vector<NestedField> fields) {
  Type type = PrimitiveType(TypeId::kStruct);
  type.fields = std::move(fields);
  return type;
}

Type ListType(FieldId element_id, Type element, bool element_required) {
  Type type = PrimitiveType(TypeId::kList);
  type.fields.push_back({.id = element_id,
                         .name = "element",
                         .type = std::move(element),
                         .required = element_required});
  return type;
}

Type MapType(FieldId key_id, Type key, FieldId value_id, Type value, bool value_required) {
  Type type = PrimitiveType(TypeId::kMap);
  type.fields.push_back({.id = key_id, .name = "key", .type = std::move(key), .required = true});
  type.fields.push_back(
      {.id = value_id, .name = "value", .type = std::move(value), .required = value_required});
  return type;
}

std::string ToString(const Type& type) {
  switch (type.id) {
    case TypeId::kDecimal:
      return fmt::format("decimal({}, {})", type.precision, type.scale);
    case TypeId::kFixed:
      return fmt::format("fixed[{}]", type.length);
    case TypeId::kList:
      return fmt::format("list<{}>", ToString(type.fields.at(0).type));
    case TypeId::kMap:
      return fmt::format("map<{}, {}>", ToString(type.fields.at(0).type),
                         ToString(type.fields.at(1).type));
    case TypeId::kStruct: {
      std::string text = "struct<";
      for (const NestedField& field : type.fields) {
        text += fmt::format("{}{}: {}", text.back() == '<' ? "" : ", ", field.name,
                            ToString(field.type));
      }
      return text + ">";
    }
    default:
      break;
  }
  const auto* const found = std::find_if(kPrimitiveNames.begin(), kPrimitiveNames.end(),
                                         [&](const PrimitiveName& p) { return p.id == type.id; });
  return std::string(found == kPrimitiveNames.end() ? "unknown" : found->name);
}

Result<Type> ParsePrimitiveType(std::string_view text) {
  for (const PrimitiveName& primitive : kPrimitiveNames) {
    if (primitive.name == text) {
      return PrimitiveType(primitive.id);
    }
  }
  if (const auto parameters = Enclosed(text, "decimal(", ')')) {
    return ParseDecimal(text, *parameters);
  }
  if (const auto parameter = Enclosed(text, "fixed[", ']')) {
    const std::optional<std::int32_t> length = ParseParameter(*parameter);
    if (!length || *length == 0) {
      return NoSuchType(text);
    }
    return FixedType(*length);
  }
  for (const std::string_view name : kVersion3Names) {
    if (text == name || text.starts_with(fmt::format("{}(", name))) {
      return MakeError(ErrorKind::kUnsupported, "type {} of format version 3 is not supported",
                       text);
    }
  }
  return NoSuchType(text);
}

bool CanPromote(const Type& from, const Type& to) {
  if (from == to) {
    return true;
  }
  if (from.id == TypeId::kDecimal && to.id == TypeId::kDecimal) {
    return from.scale == to.scale && from.precision <= to.precision;
  }
  return (from.id == TypeId::kInt && to.id == TypeId::kLong) ||
         (from.id == TypeId::kFloat && to.id == TypeId::kDouble);
}

}  // namespace strandline::table
