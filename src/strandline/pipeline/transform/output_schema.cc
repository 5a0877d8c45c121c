#include "strandline/pipeline/transform/output_schema.h"

#include <algorithm>
#include <set>

#include <arrow/api.h>
#include <fmt/format.h>

#include "strandline/engine/sql_text.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/table/arrow/arrow_schema.h"

namespace strandline::pipeline {
namespace {

using engine::QuotedName;
using table::Type;
using table::TypeId;

bool IsTime(const Type& type) {
  return type.id == TypeId::kTimestamptz || type.id == TypeId::kTimestamp ||
         type.id == TypeId::kDate;
}

// The engine's spelling of a type for a cast.
std::string SqlType(const Type& type) {
  switch (type.id) {
    case TypeId::kInt:
      return "INTEGER";
    case TypeId::kLong:
      return "BIGINT";
    case TypeId::kTimestamptz:
      return "TIMESTAMP WITH TIME ZONE";
    case TypeId::kString:
      return "VARCHAR";
    case TypeId::kBinary:
    case TypeId::kFixed:
      return "BLOB";
    case TypeId::kDecimal:
      return fmt::format("DECIMAL({},{})", type.precision, type.scale);
    default:
      return ToString(type);  // boolean, float, double, date, time, timestamp, uuid.
  }
}

Result<Type> ColumnType(const arrow::Field& field, const project::Model& model) {
  return SL_TRY(table::IcebergType(*field.type()), "column {} of model {}", field.name(),
                model.name);
}

table::TransformKind WindowTransform(project::Unit window) {
  return window == project::Unit::kHour ? table::TransformKind::kHour : table::TransformKind::kDay;
}

Result<table::PartitionSpec> SpecOf(const project::Model& model, const std::string& time,
                                    const table::Schema& schema) {
  std::vector<project::PartitionBy> partition = model.partition;
  if (partition.empty()) {
    const table::Transform transform{
        .kind = WindowTransform(model.window), .parameter = 0, .text = {}};
    partition.push_back({.transform = transform, .column = time, .at = model.at});
  }
  table::PartitionSpec spec;
  std::int32_t next_id = 1000;
  for (const project::PartitionBy& by : partition) {
    const table::NestedField* source = FindColumn(schema, by.column);
    if (source == nullptr) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "model {} is partitioned by a column that its SELECT does not give: {}",
                       model.name, by.column);
    }
    SL_TRY(TransformResultType(by.transform, source->type), "partitioning model {} by {}",
           model.name, by.column);
    spec.fields.push_back({.source_id = source->id,
                           .field_id = table::FieldId(next_id++),
                           .name = PartitionFieldName(by.transform, by.column),
                           .transform = by.transform});
  }
  return spec;
}

}  // namespace

std::set<std::string> RequiredColumns(const project::Model& model) {
  std::set<std::string> required;
  for (const project::Check& check : model.checks) {
    if (check.kind == project::CheckKind::kNotNull && check.severity == project::Severity::kBlock) {
      required.insert(check.columns.begin(), check.columns.end());
    }
  }
  return required;
}

std::string StoredSql(const project::Model& model) {
  if (model.columns.empty()) {
    return model.sql;
  }
  std::string replaced;
  for (const auto& [name, type] : model.columns) {
    if (!replaced.empty()) {
      replaced += ", ";
    }
    replaced += fmt::format("cast({0} as {1}) as {0}", QuotedName(name), SqlType(type));
  }
  return fmt::format("select * replace ({}) from (\n{}\n)", replaced, model.sql);
}

Result<std::string> TimeColumnOfOutput(const project::Model& model, const arrow::Schema& answer) {
  if (model.time) {
    if (answer.GetFieldByName(*model.time) == nullptr) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "model {} declares `time: {}`, which its SELECT does not give", model.name,
                       *model.time);
    }
    return *model.time;
  }
  std::vector<std::string> candidates;
  for (const auto& field : answer.fields()) {
    const Result<Type> type = table::IcebergType(*field->type());
    if (type && IsTime(*type)) {
      candidates.push_back(field->name());
    }
  }
  if (candidates.size() != 1) {
    return MakeError(
        ErrorKind::kInvalidArgument,
        "model {} does not say which column holds its window's start, and {} columns have a "
        "time type: add `time: <column>` to its settings",
        model.name, candidates.size());
  }
  return candidates.front();
}

Result<table::NewTable> NewModelTable(const project::Model& model, const arrow::Schema& answer,
                                      std::string location, std::string uuid) {
  const std::set<std::string> required = RequiredColumns(model);
  table::NewTable created;
  created.uuid = std::move(uuid);
  created.location = std::move(location);
  std::int32_t next_id = 1;
  for (const auto& field : answer.fields()) {
    table::NestedField column;
    column.id = table::FieldId(next_id++);
    column.name = field->name();
    column.type = SL_TRY(ColumnType(*field, model));
    column.required = required.contains(field->name());
    created.schema.fields.push_back(std::move(column));
  }
  for (table::NestedField& column :
       BookkeepingFields(TableKind::kDerived, table::FieldId(next_id))) {
    created.schema.fields.push_back(std::move(column));
  }
  const std::string time = SL_TRY(TimeColumnOfOutput(model, answer));
  created.spec = SL_TRY(SpecOf(model, time, created.schema));
  created.properties = BookkeepingProperties(TableKind::kDerived);
  return created;
}

Result<std::optional<table::Schema>> EvolvedSchema(const project::Model& model,
                                                   const arrow::Schema& answer,
                                                   const table::TableMetadata& metadata) {
  const table::Schema& current = CurrentSchema(metadata);
  for (const table::NestedField& column : current.fields) {
    if (!IsBookkeepingColumn(column.name) && answer.GetFieldByName(column.name) == nullptr) {
      return MakeError(
          ErrorKind::kInvalidArgument,
          "model {} no longer gives column {} of its table; nothing was changed: give the "
          "column again, or drop it from the table on purpose first",
          model.name, column.name);
    }
  }
  table::Schema evolved = current;
  std::int32_t next_id = metadata.last_column_id.value() + 1;
  for (const auto& field : answer.fields()) {
    const Type type = SL_TRY(ColumnType(*field, model));
    const table::NestedField* column = FindColumn(current, field->name());
    if (column != nullptr && !CanPromote(type, column->type)) {
      return MakeError(
          ErrorKind::kInvalidArgument,
          "model {} gives column {} as {}, its table has it as {}; nothing was changed: cast "
          "it in the SELECT or in `columns:`",
          model.name, field->name(), ToString(type), ToString(column->type));
    }
    if (column != nullptr) {
      continue;
    }
    if (model.on_schema_change == project::OnSchemaChange::kFail) {
      return MakeError(
          ErrorKind::kInvalidArgument,
          "model {} gives a column that its table does not have: {} {}; nothing was changed "
          "(on_schema_change: fail)",
          model.name, field->name(), ToString(type));
    }
    table::NestedField added;
    added.id = table::FieldId(next_id++);
    added.name = field->name();
    added.type = type;
    evolved.fields.push_back(std::move(added));
  }
  std::optional<table::Schema> result;
  if (evolved.fields.size() != current.fields.size()) {
    std::int32_t newest = 0;
    for (const table::Schema& schema : metadata.schemas) {
      newest = std::max(newest, schema.id.value());
    }
    evolved.id = table::SchemaId(newest + 1);
    result = std::move(evolved);
  }
  return result;
}

}  // namespace strandline::pipeline
