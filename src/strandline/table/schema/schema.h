#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/table/schema/type.h"

namespace strandline::table {

// The columns of a table at one time. https://iceberg.apache.org/spec/#schemas
struct Schema {
  SchemaId id;
  std::vector<NestedField> fields;
  std::vector<FieldId> identifier_field_ids = {};
  // Members of the JSON object that we do not know, by name, as JSON text: kept when it is
  // rewritten.
  std::map<std::string, std::string> unknown_fields = {};

  friend bool operator==(const Schema&, const Schema&) = default;
};

// A top-level column by its exact name; null when there is none.
const NestedField* FindColumn(const Schema& schema, std::string_view name);

// A field at any depth by its id; null when there is none. `path` of the nested names is not built.
const NestedField* FindField(const Schema& schema, FieldId id);

// A field by its dotted path (`a.b`, list elements as `l.element`, maps as `m.key` and `m.value`);
// null when there is none. A top-level name that itself holds dots wins.
const NestedField* FindFieldByPath(const Schema& schema, std::string_view path);

// The dotted path of a field; empty when it is not there.
std::string FieldPath(const Schema& schema, FieldId id);

// The highest field id in use at any depth, 0 for none.
FieldId HighestFieldId(const Schema& schema);

// The same columns with fresh ids from `first` on, in the order the specification's Java
// implementation uses (a level before its children); for creating tables.
Schema AssignFreshIds(const Schema& schema, FieldId first);

// Names of one column in files that carry no field ids.
// https://iceberg.apache.org/spec/#name-mapping-serialization
struct NameMapping {
  struct Entry {
    std::optional<FieldId> field_id;
    std::vector<std::string> names;
    std::vector<Entry> fields = {};
  };
  std::vector<Entry> entries;
};

// Reads the table property `schema.name-mapping.default`. kCorrupt when it is not such JSON.
Result<NameMapping> ParseNameMapping(std::string_view json);

// The mapping that names every field of `schema` as it is called now.
NameMapping DefaultNameMapping(const Schema& schema);
std::string NameMappingJson(const NameMapping& mapping);

}  // namespace strandline::table
