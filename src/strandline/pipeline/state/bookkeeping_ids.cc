#include "strandline/pipeline/state/bookkeeping_ids.h"

#include "strandline/pipeline/state/bookkeeping.h"

namespace strandline::pipeline {
namespace {

std::optional<table::FieldId> FindId(const table::Schema& schema, std::string_view name) {
  const table::NestedField* column = FindColumn(schema, name);
  if (column == nullptr || column->type.id != table::TypeId::kLong) {
    return std::nullopt;
  }
  return column->id;
}

}  // namespace

std::vector<table::FieldId> BookkeepingIds::present() const {
  std::vector<table::FieldId> ids;
  for (const std::optional<table::FieldId>& id : {unit, stamp, logic, seq}) {
    if (id) {
      ids.push_back(*id);
    }
  }
  return ids;
}

BookkeepingIds FindBookkeeping(const table::Schema& schema) {
  return {.unit = FindId(schema, kUnitColumn),
          .stamp = FindId(schema, kStampColumn),
          .logic = FindId(schema, kLogicColumn),
          .seq = FindId(schema, kSeqColumn)};
}

}  // namespace strandline::pipeline
