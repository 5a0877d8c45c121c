#include "strandline/pipeline/state/time_column.h"

namespace strandline::pipeline {
namespace {

using table::TypeId;

bool IsTime(const table::Type& type) {
  return type.id == TypeId::kTimestamptz || type.id == TypeId::kTimestamp ||
         type.id == TypeId::kDate;
}

std::optional<table::FieldId> ColumnNamed(const table::Schema& schema, const std::string& name) {
  const table::NestedField* column = FindColumn(schema, name);
  return column == nullptr ? std::nullopt : std::optional(column->id);
}

}  // namespace

std::optional<table::FieldId> TimeColumnOf(const project::Source& source,
                                           const table::Schema& schema) {
  return ColumnNamed(schema, source.time);
}

std::optional<table::FieldId> TimeColumnOf(const project::Model& model,
                                           const table::Schema& schema) {
  if (model.time) {
    return ColumnNamed(schema, *model.time);
  }
  std::optional<table::FieldId> only;
  for (const table::NestedField& column : schema.fields) {
    if (!IsTime(column.type)) {
      continue;
    }
    if (only) {
      return std::nullopt;
    }
    only = column.id;
  }
  return only;
}

}  // namespace strandline::pipeline
