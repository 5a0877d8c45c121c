#include "strandline/table/read/internal/field_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <arrow/api.h>

#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/read/internal/stored_type.h"
#include "strandline/table/scan/value_range.h"

namespace strandline::table::internal {
namespace {

using ArrowFields = std::vector<std::shared_ptr<arrow::Field>>;

// A struct's fields, a list's element, a map's key and value.
ArrowFields ChildFields(const arrow::DataType& type) {
  if (type.id() == arrow::Type::MAP) {
    const auto& map = static_cast<const arrow::MapType&>(type);
    return {map.key_field(), map.item_field()};
  }
  return type.fields();
}

bool HasIds(const ArrowFields& fields) {
  return std::any_of(fields.begin(), fields.end(), [](const auto& field) {
    return ArrowFieldId(*field).has_value() || HasIds(ChildFields(*field->type()));
  });
}

std::vector<FileField> IdentifyById(const ArrowFields& fields) {
  std::vector<FileField> identified;
  for (const auto& field : fields) {
    identified.push_back({ArrowFieldId(*field), IdentifyById(ChildFields(*field->type()))});
  }
  return identified;
}

// Names of list elements and map entries differ from writer to writer; in mappings and schemas they
// are always these.
std::vector<std::string_view> TableNames(const arrow::DataType& parent) {
  if (parent.id() == arrow::Type::MAP) {
    return {"key", "value"};
  }
  if (parent.id() != arrow::Type::STRUCT) {
    return {"element"};
  }
  std::vector<std::string_view> names;
  for (const auto& field : parent.fields()) {
    names.push_back(field->name());
  }
  return names;
}

using Entries = std::vector<NameMapping::Entry>;

std::vector<FileField> IdentifyByMapping(const ArrowFields& fields,
                                         const std::vector<std::string_view>& names,
                                         const Entries& entries) {
  std::vector<FileField> identified;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& candidate) {
      return std::find(candidate.names.begin(), candidate.names.end(), names[i]) !=
             candidate.names.end();
    });
    FileField& field = identified.emplace_back();
    if (entry != entries.end()) {
      const arrow::DataType& type = *fields[i]->type();
      field.id = entry->field_id;
      field.children = type.num_fields() == 0
                           ? std::vector<FileField>()
                           : IdentifyByMapping(ChildFields(type), TableNames(type), entry->fields);
    }
  }
  return identified;
}

std::vector<std::string_view> Names(const ArrowFields& fields) {
  std::vector<std::string_view> names;
  for (const auto& field : fields) {
    names.push_back(field->name());
  }
  return names;
}

FieldPlan NullPlan(const NestedField& field) {
  FieldPlan plan;
  plan.type = field.type;
  plan.arrow_type = ArrowType(field.type);
  return plan;
}

Result<FieldPlan> PlanConstant(const NestedField& field, const Value& constant) {
  FieldPlan plan = NullPlan(field);
  if (IsNull(constant)) {
    return plan;
  }
  std::optional<Value> value = AsValueOf(field.type, constant);
  if (!value) {
    return MakeError(ErrorKind::kCorrupt,
                     "a partition value does not have the type of its column: column {} is {}",
                     field.name, ToString(field.type));
  }
  plan.constant = *std::move(value);
  return plan;
}

Result<FieldPlan> PlanMissingField(const NestedField& field, const PartitionConstants& constants) {
  if (const auto constant = constants.find(field.id); constant != constants.end()) {
    return PlanConstant(field, constant->second);
  }
  if (field.initial_default) {
    return MakeError(ErrorKind::kUnsupported,
                     "a file lacks a column that has a default value, which belongs to format "
                     "version 3: column {}",
                     field.name);
  }
  if (field.required) {
    return MakeError(ErrorKind::kCorrupt, "a file lacks a required column: column {}, field id {}",
                     field.name, field.id);
  }
  return NullPlan(field);
}

}  // namespace

std::shared_ptr<arrow::DataType> StringDictionaryType() {
  return arrow::dictionary(arrow::int32(), arrow::utf8());
}

std::vector<FileField> IdentifyFields(const arrow::Schema& file, const Schema& schema,
                                      const NameMapping* mapping) {
  if (HasIds(file.fields())) {
    return IdentifyById(file.fields());
  }
  const Entries entries =
      mapping != nullptr ? mapping->entries : DefaultNameMapping(schema).entries;
  return IdentifyByMapping(file.fields(), Names(file.fields()), entries);
}

Result<FieldPlan> PlanField(const NestedField& field, const ArrowFields& fields,
                            const std::vector<FileField>& identities,
                            const PartitionConstants& constants) {
  const auto found = std::find_if(identities.begin(), identities.end(),
                                  [&](const FileField& file) { return file.id == field.id; });
  if (found == identities.end()) {
    return PlanMissingField(field, constants);
  }
  const auto index = static_cast<std::size_t>(found - identities.begin());
  const arrow::DataType& stored = *fields[index]->type();
  if (!CanReadAs(stored, field.type)) {
    return MakeError(ErrorKind::kCorrupt,
                     "a file holds another type than its column: column {} is {}, the file has {}",
                     field.name, ToString(field.type), stored.ToString());
  }
  FieldPlan plan;
  plan.source = static_cast<int>(index);
  plan.type = field.type;
  plan.arrow_type = ArrowType(field.type);
  // The children of lists and maps are found by their place: there is only one of each.
  std::vector<FileField> children = found->children;
  if (field.type.id == TypeId::kList || field.type.id == TypeId::kMap) {
    children.resize(field.type.fields.size());
    for (std::size_t i = 0; i < children.size(); ++i) {
      children[i].id = field.type.fields[i].id;
    }
  }
  for (const NestedField& child : field.type.fields) {
    FieldPlan child_plan = SL_TRY(PlanField(child, ChildFields(stored), children, constants),
                                  "in column {}", field.name);
    plan.children.push_back(std::move(child_plan));
  }
  return plan;
}

}  // namespace strandline::table::internal
