#include "strandline/engine/internal/pushed_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <arrow/api.h>

#include "strandline/base/time_text.h"
#include "strandline/engine/internal/tokens.h"
#include "strandline/table/arrow/arrow_schema.h"

namespace strandline::engine {

namespace {

using table::ExpressionKind;
using table::TypeId;
using table::Value;

struct Operator {
  std::string_view text;
  ExpressionKind kind;
};
constexpr std::array<Operator, 9> kOperators = {{{"=", ExpressionKind::kEqual},
                                                 {"<>", ExpressionKind::kNotEqual},
                                                 {"<", ExpressionKind::kLess},
                                                 {"<=", ExpressionKind::kLessOrEqual},
                                                 {">", ExpressionKind::kGreater},
                                                 {">=", ExpressionKind::kGreaterOrEqual},
                                                 {"in", ExpressionKind::kIn},
                                                 {"is null", ExpressionKind::kIsNull},
                                                 {"is not null", ExpressionKind::kNotNull}}};

std::optional<ExpressionKind> KindOf(std::string_view op) {
  const auto* found = std::find_if(kOperators.begin(), kOperators.end(),
                                   [op](const Operator& o) { return o.text == op; });
  return found == kOperators.end() ? std::nullopt : std::optional(found->kind);
}

bool IsFloating(const table::Type& type) {
  return type.id == TypeId::kFloat || type.id == TypeId::kDouble;
}

// Whether matching rows surely lie inside of bounds that are compared by `kind`.
bool BoundsAnswer(const table::Type& type, ExpressionKind kind) {
  const bool is_null_test = kind == ExpressionKind::kIsNull || kind == ExpressionKind::kNotNull;
  const bool is_equality = kind == ExpressionKind::kEqual || kind == ExpressionKind::kIn;
  if (is_null_test) {
    return true;
  }
  if (!type.is_primitive()) {
    return false;
  }
  if (IsFloating(type)) {
    // NaN is larger than every number to the engine, and no bound tells of it.
    return is_equality || kind == ExpressionKind::kLess || kind == ExpressionKind::kLessOrEqual;
  }
  return type.id != TypeId::kUuid || is_equality;
}

// `2026-11-30 05:00:00+00` as ISO 8601 with a zone; a time without one is UTC, as in the engine.
std::string IsoText(std::string_view text) {
  constexpr std::size_t kDateLength = 10;
  std::string iso(text);
  if (iso.size() <= kDateLength) {
    return iso;
  }
  if (iso[kDateLength] == ' ') {
    iso[kDateLength] = 'T';
  }
  const std::size_t sign = iso.find_first_of("+-", kDateLength);
  if (sign != std::string::npos) {
    return iso.size() - sign == 3 ? iso + ":00" : iso;
  }
  return iso.back() == 'Z' ? iso : iso + "Z";
}

std::optional<Value> TimestampOf(const SqlLiteral& literal,
                                 const std::map<std::string, Timestamp>& parameters) {
  switch (literal.type) {
    case SqlLiteralType::kParameter: {
      const auto found = parameters.find(literal.text.substr(1));
      if (found == parameters.end()) {
        return std::nullopt;
      }
      return Value(std::int64_t{found->second.time_since_epoch().count()});
    }
    case SqlLiteralType::kString:
    case SqlLiteralType::kDate:
    case SqlLiteralType::kTimestamp:
    case SqlLiteralType::kTimestamptz: {
      const Result<Timestamp> time = ParseTimestamp(IsoText(literal.text));
      if (!time) {
        return std::nullopt;
      }
      return Value(std::int64_t{time->time_since_epoch().count()});
    }
    default:
      return std::nullopt;
  }
}

// Integers that the type holds exactly, and are not the zero of two signs.
bool IsExact(const table::Type& type, const Value& value) {
  constexpr double kFloatEnd = 1 << 24;              // From here on, integers are rounded.
  constexpr double kDoubleEnd = 9007199254740992.0;  // 2^53
  const bool is_double = type.id == TypeId::kDouble;
  const double number =
      is_double ? std::get<double>(value) : static_cast<double>(std::get<float>(value));
  return std::abs(number) >= 1 && std::abs(number) < (is_double ? kDoubleEnd : kFloatEnd);
}

// Whether the engine compares such a literal as a value of the column's type.
bool FitsType(const table::Type& type, const SqlLiteral& literal) {
  switch (type.id) {
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kDecimal:
      return literal.type == SqlLiteralType::kNumber;
    case TypeId::kFloat:
    case TypeId::kDouble:
      return literal.type == SqlLiteralType::kNumber && literal.text.find('.') == std::string::npos;
    case TypeId::kBoolean:
      return literal.type == SqlLiteralType::kBoolean;
    case TypeId::kString:
    case TypeId::kUuid:
      return literal.type == SqlLiteralType::kString;
    case TypeId::kDate:
      return literal.type == SqlLiteralType::kString || literal.type == SqlLiteralType::kDate;
    default:
      return false;
  }
}

std::optional<Value> ValueOf(const table::Type& type, const SqlLiteral& literal,
                             const std::map<std::string, Timestamp>& parameters) {
  if (type.id == TypeId::kTimestamp || type.id == TypeId::kTimestamptz) {
    return TimestampOf(literal, parameters);
  }
  if (!FitsType(type, literal)) {
    return std::nullopt;
  }
  Result<Value> value = ParseValue(type, literal.text);
  if (!value || (IsFloating(type) && !IsExact(type, *value))) {
    return std::nullopt;
  }
  return std::move(value).value();
}

// Times of another unit would be compared with microseconds.
bool IsOfAnotherUnit(const arrow::DataType& type) {
  return type.id() == arrow::Type::TIMESTAMP &&
         static_cast<const arrow::TimestampType&>(type).unit() != arrow::TimeUnit::MICRO;
}

// The column of that name; null when there is none, or two in different letters.
std::shared_ptr<arrow::Field> FindField(const arrow::Schema& schema, std::string_view name) {
  std::shared_ptr<arrow::Field> found;
  for (const std::shared_ptr<arrow::Field>& field : schema.fields()) {
    if (EqualNames(field->name(), name)) {
      if (found != nullptr) {
        return nullptr;
      }
      found = field;
    }
  }
  return found;
}

std::optional<table::Expression> ExpressionOf(const SqlConjunct& conjunct,
                                              const arrow::Schema& schema,
                                              const std::map<std::string, Timestamp>& parameters) {
  const std::shared_ptr<arrow::Field> column = FindField(schema, conjunct.column);
  const std::optional<ExpressionKind> kind = KindOf(conjunct.op);
  if (column == nullptr || !kind || IsOfAnotherUnit(*column->type())) {
    return std::nullopt;
  }
  const Result<table::NestedField> field = table::IcebergField(*column);
  if (!field || !BoundsAnswer(field->type, *kind)) {
    return std::nullopt;
  }
  std::vector<Value> values;
  for (const SqlLiteral& literal : conjunct.literals) {
    std::optional<Value> value = ValueOf(field->type, literal, parameters);
    if (!value) {
      return std::nullopt;
    }
    values.push_back(*std::move(value));
  }
  return table::Predicate(*kind, column->name(), std::move(values));
}

}  // namespace

table::Expression PushedFilter(const SqlAnalysis& analysis, std::size_t table,
                               const arrow::Schema& schema,
                               const std::map<std::string, Timestamp>& parameters) {
  std::vector<table::Expression> all;
  for (const SqlConjunct& conjunct : analysis.conjuncts) {
    if (conjunct.table != table) {
      continue;
    }
    if (std::optional<table::Expression> expression = ExpressionOf(conjunct, schema, parameters)) {
      all.push_back(*std::move(expression));
    }
  }
  return all.empty() ? table::AlwaysTrue() : table::And(std::move(all));
}

}  // namespace strandline::engine
