#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/table/schema/schema.h"
#include "strandline/table/schema/value.h"

namespace strandline::table::internal {

// The table's field ids of a file's fields; the same shape as its Arrow schema.
struct FileField {
  std::optional<FieldId> id;  // Absent: none of the table's.
  std::vector<FileField> children;
};

// Finds out which of the table's fields a file's columns are: by the ids in the file if it has any,
// else by `mapping` if the table has one, else by the names of `schema`.
std::vector<FileField> IdentifyFields(const arrow::Schema& file, const Schema& schema,
                                      const NameMapping* mapping);

// How one field of the table is made from a file.
struct FieldPlan {
  // Index among the columns of the file, or among the children of the struct above. Absent: the
  // file lacks the field, and every row has `constant`.
  std::optional<int> source;
  Value constant;  // Null, or a value of exactly `type`.
  Type type;
  // What comes out: the type of `type`, or StringDictionaryType().
  std::shared_ptr<arrow::DataType> arrow_type;
  // Struct: one for each field of `type`. List: the element. Map: key and value.
  std::vector<FieldPlan> children;
};

// Strings as indices of a few values.
std::shared_ptr<arrow::DataType> StringDictionaryType();

// Values that a partition gives to the columns it was made from by identity: what a file may lack.
// https://iceberg.apache.org/spec/#column-projection
using PartitionConstants = std::map<FieldId, Value>;

// Plans `field` of the table. `fields` and `identities` are what the file has at the same level.
//
// kCorrupt when the file holds another type than the field's history allows, or lacks a required
// field; kUnsupported when it lacks a field with a default value (format version 3).
Result<FieldPlan> PlanField(const NestedField& field,
                            const std::vector<std::shared_ptr<arrow::Field>>& fields,
                            const std::vector<FileField>& identities,
                            const PartitionConstants& constants);

}  // namespace strandline::table::internal
