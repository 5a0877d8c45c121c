#include "strandline/quality/check_sql.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strandline/base/check.h"
#include "strandline/engine/sql_text.h"
#include "strandline/table/schema/value.h"

namespace strandline::quality {
namespace {

using engine::QuotedName;
using engine::QuotedText;
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

// True where `expression` is false; a null passes. The line break ends a comment in it.
std::string RowViolates(std::string_view expression) {
  return fmt::format("(not ({}\n))", expression);
}

CheckSql NotNull(const Check& check, const catalog::TableName& table,
                 const std::vector<std::string>& key_columns) {
  std::vector<std::string> parts;
  for (const std::string& column : check.columns) {
    parts.push_back(fmt::format("{} is null", QuotedName(column)));
  }
  return RowCheck(fmt::format("({})", fmt::join(parts, " or ")), table, key_columns);
}

// A value of `type` as the engine reads it, without going through a wider type.
std::string SqlLiteral(const table::Type& type, const table::Value& value) {
  switch (type.id) {
    case table::TypeId::kTimestamp:
      return fmt::format("make_timestamp({})", std::get<std::int64_t>(value));
    case table::TypeId::kTimestamptz:
      return fmt::format("make_timestamptz({})", std::get<std::int64_t>(value));
    case table::TypeId::kString:
      return QuotedText(std::get<std::string>(value));
    case table::TypeId::kFixed:
    case table::TypeId::kBinary:
      return fmt::format("unhex({})", QuotedText(ValueText(type, value)));
    case table::TypeId::kDecimal:
      return fmt::format("cast({} as decimal({},{}))", QuotedText(ValueText(type, value)),
                         type.precision, type.scale);
    default:  // The engine knows the other types by Iceberg's names.
      return fmt::format("cast({} as {})", QuotedText(ValueText(type, value)), ToString(type));
  }
}

// Values are compared as what they mean, not as what they look like: 1.5 is 1.50 in a decimal(9,2).
Result<CheckSql> AcceptedValues(const Check& check, const catalog::TableName& table,
                                const table::Schema& schema,
                                const std::vector<std::string>& key_columns) {
  const std::string& column = check.columns.front();
  const table::NestedField* field = FindColumn(schema, column);
  SL_CHECK(field != nullptr);
  std::vector<std::string> values;
  for (const std::string& text : check.values) {
    const table::Value value =
        SL_TRY(ParseValue(field->type, text), "check {} lists `{}`, which is no value of column {}",
               check.id, text, column);
    values.push_back(SqlLiteral(field->type, value));
  }
  std::vector<std::string> shown = key_columns;
  if (std::ranges::find(shown, column) == shown.end()) {
    shown.push_back(column);
  }
  return RowCheck(fmt::format("({0} is not null and {0} not in ({1}))", QuotedName(column),
                              fmt::join(values, ", ")),
                  table, shown);
}

// One side of a reconciliation: a row for each group, as (key_0..., row_count, value). The
// aggregate stands on a line of its own, so that a comment in it ends.
std::string ReconciledSide(const Check& check, std::string_view aggregate,
                           const catalog::TableName& table) {
  std::vector<std::string> keys;
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < check.by.size(); ++i) {
    keys.push_back(QuotedName(check.by[i]));
    columns.push_back(fmt::format("{} as key_{}", keys.back(), i));
  }
  columns.emplace_back("count(*) as row_count");
  columns.push_back(fmt::format("({}\n) as value", aggregate));
  return fmt::format("select {} from {}{}", fmt::join(columns, ", "), QuotedTable(table),
                     keys.empty() ? "" : fmt::format(" group by {}", fmt::join(keys, ", ")));
}

// True where the two values of a group differ. Two nulls are equal; a null is not any value.
std::string ValuesDiffer(double tolerance) {
  constexpr std::string_view kDistinct = "ours.value is distinct from theirs.value";
  if (tolerance == 0) {
    return std::string(kDistinct);
  }
  return fmt::format(
      "{} and (ours.value is null or theirs.value is null or "
      "abs(ours.value - theirs.value) > cast({} as double) * abs(theirs.value))",
      kDistinct, tolerance);
}

// Whether a side is zero: the value 0, whatever its type, or null because there was no row to
// aggregate. By its text, since values that are no numbers have no 0 to compare with.
std::string IsZero(std::string_view side) {
  return fmt::format(
      "case when {0}.value is null then {0}.row_count = 0 "
      "else coalesce(try_cast(cast({0}.value as varchar) as double) = 0, false) end",
      side);
}

// The groups of both sides, joined on equal keys, nulls being equal too.
std::string ReconciledGroups(const Check& check, const catalog::TableName& table) {
  std::vector<std::string> keys;
  std::vector<std::string> equal_keys;
  for (std::size_t i = 0; i < check.by.size(); ++i) {
    keys.push_back(fmt::format("coalesce(ours.key_{0}, theirs.key_{0}) as key_{0}, ", i));
    equal_keys.push_back(fmt::format("ours.key_{0} is not distinct from theirs.key_{0}", i));
  }
  // With `by`, a group that one side lacks differs, whatever the value of the other.
  const std::string differs =
      check.by.empty() ? fmt::format("not (({}) and ({})) and {}", IsZero("ours"), IsZero("theirs"),
                                     ValuesDiffer(check.tolerance))
                       : fmt::format("ours.row_count is null or theirs.row_count is null or ({})",
                                     ValuesDiffer(check.tolerance));
  const std::string join =
      check.by.empty() ? "ours cross join theirs"
                       : fmt::format("ours full join theirs on {}", fmt::join(equal_keys, " and "));
  return fmt::format(
      "with ours as ({}), theirs as ({}), compared as (select {}ours.value as ours, "
      "theirs.value as theirs, {} as differs from {}) ",
      ReconciledSide(check, check.ours, table), ReconciledSide(check, check.theirs, *check.with),
      fmt::join(keys, ""), differs, join);
}

CheckSql Reconcile(const Check& check, const catalog::TableName& table) {
  const std::string groups = ReconciledGroups(check, table);
  CheckSql sql;
  sql.counts = groups + "select count(*), count(*) filter (where differs) from compared";
  std::string label;
  for (std::size_t i = 0; i < check.by.size(); ++i) {
    label += fmt::format("coalesce(cast(key_{} as varchar), 'null') || '{}' || ", i,
                         i + 1 == check.by.size() ? ": " : ", ");
  }
  sql.samples = fmt::format(
      "{}select {}'ours ' || coalesce(cast(ours as varchar), 'none') || ', theirs ' || "
      "coalesce(cast(theirs as varchar), 'none') as sample from compared where differs "
      "order by sample limit {}",
      groups, label, kSamplesMax);
  return sql;
}

}  // namespace

std::string QuotedTable(const catalog::TableName& table) {
  std::string quoted;
  for (const std::string& level : table.levels) {
    quoted += QuotedName(level) + ".";
  }
  return quoted + QuotedName(table.table);
}

Result<CheckSql> SqlOf(const Check& check, const catalog::TableName& table,
                       const table::Schema& schema, const std::vector<std::string>& key_columns) {
  switch (check.kind) {
    case CheckKind::kNotNull:
      return NotNull(check, table, key_columns);
    case CheckKind::kAcceptedValues:
      return AcceptedValues(check, table, schema, key_columns);
    case CheckKind::kExpression:
      return RowCheck(RowViolates(check.expression), table, key_columns);
    case CheckKind::kReconcile:
      return Reconcile(check, table);
    case CheckKind::kUnique:
    case CheckKind::kRowCount:
      break;
  }
  return MakeError(ErrorKind::kUnsupported, "not answered by SQL: {}", ToString(check.kind));
}

}  // namespace strandline::quality
