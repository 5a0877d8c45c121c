#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "strandline/base/check.h"
#include "strandline/format/avro/avro.h"

namespace strandline::format::avro {
namespace {

bool IsAsciiLetter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsAsciiDigit(char32_t c) { return c >= '0' && c <= '9'; }

// The next code point of UTF-8 text and its length in bytes; a byte that belongs to none stands for
// itself.
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
};

CodePoint NextCodePoint(std::string_view text) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 1 || length > text.size() || lead > 0xF4) {
    return {lead, 1};
  }
  char32_t value = static_cast<char32_t>(lead & (0x7F >> length));
  for (std::size_t index = 1; index < length; ++index) {
    if ((byte(index) & 0xC0) != 0x80) {
      return {lead, 1};
    }
    value = (value << 6) | (byte(index) & 0x3F);
  }
  return {value, length};
}

void AppendEscaped(char32_t value, std::string& to) {
  if (value < 0x10000) {
    fmt::format_to(std::back_inserter(to), "_x{:X}", static_cast<std::uint32_t>(value));
    return;
  }
  const std::uint32_t offset = static_cast<std::uint32_t>(value) - 0x10000;
  fmt::format_to(std::back_inserter(to), "_x{:X}_x{:X}", 0xD800 + (offset >> 10),
                 0xDC00 + (offset & 0x3FF));
}

SchemaPtr MakePrimitive(Kind kind) {
  Schema schema;
  schema.kind = kind;
  return std::make_shared<const Schema>(std::move(schema));
}

}  // namespace

SchemaPtr Primitive(Kind kind) {
  SL_CHECK(kind <= Kind::kString);
  return MakePrimitive(kind);
}

SchemaPtr Optional(SchemaPtr schema) {
  Schema optional;
  optional.kind = Kind::kUnion;
  optional.branches = {MakePrimitive(Kind::kNull), std::move(schema)};
  return std::make_shared<const Schema>(std::move(optional));
}

SchemaPtr ArrayOf(SchemaPtr items, std::int32_t element_id) {
  Schema array;
  array.kind = Kind::kArray;
  array.items = std::move(items);
  array.element_id = element_id;
  return std::make_shared<const Schema>(std::move(array));
}

SchemaPtr FixedOf(std::string name, std::int32_t size) {
  Schema fixed;
  fixed.kind = Kind::kFixed;
  fixed.name = std::move(name);
  fixed.size = size;
  return std::make_shared<const Schema>(std::move(fixed));
}

SchemaPtr RecordOf(std::string name, std::vector<Field> fields) {
  Schema record;
  record.kind = Kind::kRecord;
  record.name = std::move(name);
  record.fields = std::move(fields);
  return std::make_shared<const Schema>(std::move(record));
}

const Schema& WithoutNull(const Schema& schema) {
  if (schema.kind != Kind::kUnion || schema.branches.size() != 2) {
    return schema;
  }
  const bool first_is_null = schema.branches[0]->kind == Kind::kNull;
  const bool second_is_null = schema.branches[1]->kind == Kind::kNull;
  if (first_is_null == second_is_null) {
    return schema;
  }
  return first_is_null ? *schema.branches[1] : *schema.branches[0];
}

std::string SanitizedName(std::string_view name) {
  std::string sanitized;
  while (!name.empty()) {
    const CodePoint next = NextCodePoint(name);
    const bool is_first = sanitized.empty();
    if (IsAsciiLetter(next.value) || next.value == '_' || (IsAsciiDigit(next.value) && !is_first)) {
      sanitized += static_cast<char>(next.value);
    } else if (IsAsciiDigit(next.value)) {
      sanitized += '_';
      sanitized += static_cast<char>(next.value);
    } else {
      AppendEscaped(next.value, sanitized);
    }
    name.remove_prefix(next.bytes);
  }
  return sanitized.empty() ? "_" : sanitized;  // Avro has no empty names.
}

}  // namespace strandline::format::avro
