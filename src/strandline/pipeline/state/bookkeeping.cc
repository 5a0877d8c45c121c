#include "strandline/pipeline/state/bookkeeping.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "strandline/base/check.h"

namespace strandline::pipeline {
namespace {

struct Column {
  std::string_view name;
  std::string_view doc;
  bool derived_only = false;
};

constexpr std::array<Column, 4> kColumns = {{
    {kUnitColumn, "Bookkeeping: start of the unit of work that wrote the row, UTC epoch seconds"},
    {kStampColumn, "Bookkeeping: fingerprint of all that the unit read"},
    {kLogicColumn, "Bookkeeping: fingerprint of the code", true},
    {kSeqColumn, "Bookkeeping: version of the content"},
}};

constexpr std::string_view kPrefix = "_strand_";

}  // namespace

bool IsBookkeepingColumn(std::string_view name) { return name.starts_with(kPrefix); }

std::optional<std::int64_t> MarkOf(const RowMarks& marks, std::string_view column) {
  if (column == kUnitColumn) {
    return marks.unit_seconds;
  }
  if (column == kStampColumn) {
    return marks.stamp;
  }
  if (column == kLogicColumn) {
    return marks.logic;
  }
  SL_CHECK(column == kSeqColumn);
  return marks.seq;
}

std::vector<table::NestedField> BookkeepingFields(TableKind kind, table::FieldId first) {
  std::vector<table::NestedField> fields;
  std::int32_t id = first.value();
  for (const Column& column : kColumns) {
    if (column.derived_only && kind != TableKind::kDerived) {
      continue;
    }
    table::NestedField field;
    field.id = table::FieldId(id++);
    field.name = column.name;
    field.type = table::PrimitiveType(table::TypeId::kLong);
    // Optional: other engines may append rows without them (rule 2).
    field.required = false;
    field.doc = column.doc;
    fields.push_back(std::move(field));
  }
  return fields;
}

std::map<std::string, std::string> BookkeepingProperties(TableKind kind) {
  std::map<std::string, std::string> properties;
  for (const Column& column : kColumns) {
    if (!column.derived_only || kind == TableKind::kDerived) {
      properties[fmt::format("write.metadata.metrics.column.{}", column.name)] = "full";
    }
  }
  return properties;
}

catalog::TableName QuarantineTable(const catalog::TableName& table) {
  return {.levels = table.levels, .table = table.table + "__quarantine"};
}

}  // namespace strandline::pipeline
