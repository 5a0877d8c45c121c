#include "strandline/project/internal/source_columns.h"

#include <algorithm>
#include <utility>

#include "strandline/project/internal/lower_case.h"
#include "strandline/project/internal/settings.h"
#include "strandline/project/internal/values.h"

namespace strandline::project::internal {
namespace {

bool IsMapping(const YamlEntry& entry, ProblemList& problems) {
  if (entry.value.kind == YamlValue::Kind::kMapping) {
    return true;
  }
  problems.Error(entry.value.at, "`{}` is a mapping: each column's name, then its type", entry.key);
  return false;
}

}  // namespace

std::vector<SourceColumn> ReadSourceColumns(const YamlEntry* entry, bool needs_types,
                                            ProblemList& problems) {
  std::vector<SourceColumn> columns;
  if (entry == nullptr || !IsMapping(*entry, problems)) {
    return columns;
  }
  for (const YamlEntry& declared : entry->value.entries) {
    if (!CheckColumnName(declared.key, declared.key_at, problems)) {
      continue;
    }
    const auto same = std::ranges::find_if(columns, [&](const SourceColumn& column) {
      return LowerCase(column.name) == LowerCase(declared.key);
    });
    if (same != columns.end()) {
      problems.Error(declared.key_at,
                     "`{}` and `{}` (line {}) differ in case only, which SQL does not tell apart",
                     declared.key, same->name, same->at.line);
      continue;
    }
    SourceColumn column;
    column.name = declared.key;
    column.at = declared.key_at;
    bool has_type = true;
    if (declared.value.kind == YamlValue::Kind::kText) {
      column.type = ReadType(&declared, problems);
    } else if (declared.value.kind == YamlValue::Kind::kMapping) {
      Settings settings(declared.value, "a column", problems);
      const YamlEntry* type = settings.Find("type");
      has_type = type != nullptr;
      column.type = ReadType(type, problems);
      column.required = ReadBool(settings.Find("required"), problems).value_or(false);
      settings.Finish();
    } else {
      has_type = false;
    }
    if (!has_type && needs_types) {
      problems.Error(declared.key_at, "`{}` needs a `type`: JSON lines carry none", declared.key);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

std::map<std::string, table::Type> ReadOutputTypes(const YamlEntry* entry, ProblemList& problems) {
  std::map<std::string, table::Type> types;
  if (entry == nullptr || !IsMapping(*entry, problems)) {
    return types;
  }
  for (const YamlEntry& column : entry->value.entries) {
    const bool is_named = CheckColumnName(column.key, column.key_at, problems);
    std::optional<table::Type> type;
    if (column.value.kind == YamlValue::Kind::kMapping) {
      Settings settings(column.value, "a column", problems);
      type = ReadType(settings.Require("type"), problems);
      settings.Finish();
    } else if (column.value.kind == YamlValue::Kind::kEmpty) {
      problems.Error(column.key_at, "`{}` needs the type to cast it to", column.key);
    } else {
      type = ReadType(&column, problems);
    }
    if (is_named && type) {
      types.emplace(column.key, *std::move(type));
    }
  }
  return types;
}

const SourceColumn* FindSourceColumn(const std::vector<SourceColumn>& columns,
                                     std::string_view name) {
  const auto found = std::ranges::find(columns, name, &SourceColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace strandline::project::internal
