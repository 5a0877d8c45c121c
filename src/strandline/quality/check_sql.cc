#include "strandline/quality/check_sql.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strandline::quality {
namespace {

using project::Check;
using project::CheckKind;

constexpr int kSamplesMax = 5;

// Counts and samples of rows where `violation` is true.
CheckSql RowCheck(const std::string& violation, const catalog::TableName& table,
                  const std::vector<std::string>& shown) {
  CheckSql sql;
  sql.counts = fmt::format("select count(*), count(*) filter (where {}) from {}", violation,
                           QuotedTable(table));
  std::vector<std::string> parts;
  for (const std::string& column : shown) {
    parts.push_back(fmt::format("coalesce(cast({} as varchar), 'null')", QuotedName(column)));
  }
  if (!parts.empty()) {
    const std::string text = fmt::format("{}", fmt::join(parts, " || ', ' || "));
    sql.samples =
        fmt::format("select distinct {} as sample from {} where {} order by sample limit {}", text,
                    QuotedTable(table), violation, kSamplesMax);
  }
  return sql;
}

CheckSql NotNull(const Check& check, const catalog::TableName& table,
                 const std::vector<std::string>& key_columns) {
  std::vector<std::string> parts;
  for (const std::string& column : check.columns) {
    parts.push_back(fmt::format("{} is null", QuotedName(column)));
  }
  return RowCheck(fmt::format("({})", fmt::join(parts, " or ")), table, key_columns);
}

CheckSql AcceptedValues(const Check& check, const catalog::TableName& table) {
  std::vector<std::string> values;
  for (const std::string& value : check.values) {
    values.push_back(QuotedText(value));
  }
  const std::string column = QuotedName(check.columns.front());
  return RowCheck(fmt::format("({0} is not null and cast({0} as varchar) not in ({1}))", column,
                              fmt::join(values, ", ")),
                  table, check.columns);
}

// Both sides as (by..., v), joined; a group that one side lacks violates too.
CheckSql Reconcile(const Check& check, const catalog::TableName& table) {
  std::vector<std::string> by;
  for (const std::string& column : check.by) {
    by.push_back(QuotedName(column));
  }
  const std::string keys = by.empty() ? "1 as one" : fmt::format("{}", fmt::join(by, ", "));
  const std::string group = by.empty() ? "" : fmt::format(" group by {}", fmt::join(by, ", "));
  const std::string join_keys = by.empty() ? "one" : fmt::format("{}", fmt::join(by, ", "));
  const std::string violates = check.tolerance == 0
                                   ? "ours.v is distinct from theirs.v"
                                   : fmt::format(
                                         "(ours.v is null) <> (theirs.v is null) or "
                                         "abs(ours.v - theirs.v) > {} * abs(theirs.v)",
                                         check.tolerance);
  const std::string both = fmt::format(
      "with ours as (select {0}, {1} as v from {2}{3}), theirs as (select {0}, {4} as v from "
      "{5}{3}), "
      "compared as (select {6}, ours.v as ours, theirs.v as theirs, coalesce({7}, true) as differs "
      "from ours full join theirs using ({6})) ",
      keys, check.ours, QuotedTable(table), group, check.theirs, QuotedTable(*check.with),
      join_keys, violates);
  CheckSql sql;
  sql.counts = both + "select count(*), count(*) filter (where differs) from compared";
  std::string label = "''";
  if (!by.empty()) {
    std::vector<std::string> parts;
    for (const std::string& name : by) {
      parts.push_back(fmt::format("coalesce(cast({} as varchar), 'null')", name));
    }
    label = fmt::format("{} || ': '", fmt::join(parts, " || ', ' || "));
  }
  sql.samples =
      both +
      fmt::format(
          "select {} || 'ours ' || coalesce(cast(ours as varchar), 'none') || ', theirs ' || "
          "coalesce(cast(theirs as varchar), 'none') as sample from compared where differs "
          "order by sample limit {}",
          label, kSamplesMax);
  return sql;
}

}  // namespace

std::string QuotedName(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    quoted += c;
    if (c == '"') {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string QuotedText(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c;
    if (c == '\'') {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string QuotedTable(const catalog::TableName& table) {
  std::string quoted;
  for (const std::string& level : table.levels) {
    quoted += QuotedName(level) + ".";
  }
  return quoted + QuotedName(table.table);
}

std::optional<CheckSql> SqlOf(const Check& check, const catalog::TableName& table,
                              const std::vector<std::string>& key_columns) {
  switch (check.kind) {
    case CheckKind::kNotNull:
      return NotNull(check, table, key_columns);
    case CheckKind::kAcceptedValues:
      return AcceptedValues(check, table);
    case CheckKind::kExpression:
      return RowCheck(fmt::format("(not ({}))", check.expression), table, key_columns);
    case CheckKind::kReconcile:
      return Reconcile(check, table);
    case CheckKind::kUnique:
    case CheckKind::kRowCount:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace strandline::quality
