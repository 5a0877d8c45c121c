#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/table/ids.h"

namespace strandline::table {

// https://iceberg.apache.org/spec/#schemas-and-data-types (the nanosecond types belong to version 3
// and are read only).
enum class TypeId {
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kDate,         // Days since 1970-01-01.
  kTime,         // Microseconds since midnight.
  kTimestamp,    // Microseconds since 1970-01-01T00:00:00, no zone.
  kTimestamptz,  // Microseconds since 1970-01-01T00:00:00Z.
  kTimestampNs,
  kTimestamptzNs,
  kString,
  kUuid,  // 16 bytes, big-endian.
  kFixed,
  kBinary,
  kStruct,
  kList,
  kMap,
  // The partition field of a column that is gone, or of a transform we do not know: no type can be
  // told, values are read as they stand in the manifest. Never in a schema.
  kUnknown,
};

inline constexpr std::int32_t kDecimalPrecisionMax = 38;

struct NestedField;

// A type with its parameters. A value: copying copies the tree.
struct Type {
  TypeId id = TypeId::kLong;
  std::int32_t precision = 0;       // Decimal only: 1 to 38.
  std::int32_t scale = 0;           // Decimal only.
  std::int32_t length = 0;          // Fixed only: bytes.
  std::vector<NestedField> fields;  // Struct: its fields. List: `element`. Map: `key`, `value`.

  bool is_primitive() const {
    return id != TypeId::kStruct && id != TypeId::kList && id != TypeId::kMap;
  }

  friend bool operator==(const Type&, const Type&);
};

struct NestedField {
  FieldId id;
  std::string name;
  Type type;
  bool required = false;
  std::string doc = {};  // Empty: none.
  // Version 3 defaults, as JSON text; absent: null.
  std::optional<std::string> initial_default = {};
  std::optional<std::string> write_default = {};
  // Members of its JSON object that we do not know, by name, as JSON text: kept when it is
  // rewritten. They say nothing about the column, so fields that differ in them only are equal.
  std::map<std::string, std::string> unknown_fields = {};

  friend bool operator==(const NestedField&, const NestedField&);
};

Type PrimitiveType(TypeId id);
Type DecimalType(std::int32_t precision, std::int32_t scale);
Type FixedType(std::int32_t length);
Type StructType(std::vector<NestedField> fields);
Type ListType(FieldId element_id, Type element, bool element_required);
Type MapType(FieldId key_id, Type key, FieldId value_id, Type value, bool value_required);

// `long`, `decimal(18, 4)`, `fixed[16]`, `list<string>`, as the specification spells primitives.
std::string ToString(const Type& type);

// A primitive type from its specification spelling; spaces inside the parentheses do not matter.
// kInvalidArgument for an unknown name, kUnsupported by name for version 3's variant, geometry etc.
Result<Type> ParsePrimitiveType(std::string_view text);

// Whether a column of type `from` may be read (or evolved) as `to` without losing anything: the
// same type, int to long, float to double, decimal to a higher precision of equal scale.
// https://iceberg.apache.org/spec/#schema-evolution
bool CanPromote(const Type& from, const Type& to);

}  // namespace strandline::table
