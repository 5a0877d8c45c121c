#include "strandline/table/scan/bound_expression.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace strandline::table {
namespace {

struct Column {
  const NestedField* field = nullptr;
  bool is_nested = false;
};

// Follows a dotted path through structs only. A name that itself holds dots is found too.
std::optional<Column> FindPredicateColumn(const std::vector<NestedField>& fields,
                                          std::string_view path, bool is_nested) {
  for (const NestedField& field : fields) {
    if (field.name == path) {
      return Column{&field, is_nested};
    }
  }
  for (const NestedField& field : fields) {
    const bool leads = field.type.id == TypeId::kStruct && path.size() > field.name.size() &&
                       path.starts_with(field.name) && path[field.name.size()] == '.';
    if (!leads) {
      continue;
    }
    if (auto found =
            FindPredicateColumn(field.type.fields, path.substr(field.name.size() + 1), true)) {
      return found;
    }
  }
  return std::nullopt;
}

bool IsUnary(ExpressionKind kind) {
  return kind == ExpressionKind::kIsNull || kind == ExpressionKind::kNotNull ||
         kind == ExpressionKind::kIsNan || kind == ExpressionKind::kNotNan;
}

bool IsList(ExpressionKind kind) {
  return kind == ExpressionKind::kIn || kind == ExpressionKind::kNotIn;
}

Status CheckShape(const Expression& predicate, const Type& type) {
  const bool asks_nan =
      predicate.kind == ExpressionKind::kIsNan || predicate.kind == ExpressionKind::kNotNan;
  if (asks_nan && type.id != TypeId::kFloat && type.id != TypeId::kDouble) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "only a float or a double can be NaN: column {} is {}", predicate.column,
                     ToString(type));
  }
  if (!IsUnary(predicate.kind) && !type.is_primitive()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "only primitive values can be compared: column {} is {}", predicate.column,
                     ToString(type));
  }
  const bool asks_prefix = predicate.kind == ExpressionKind::kStartsWith ||
                           predicate.kind == ExpressionKind::kNotStartsWith;
  if (asks_prefix && type.id != TypeId::kString) {
    return MakeError(ErrorKind::kInvalidArgument, "only a string has a prefix: column {} is {}",
                     predicate.column, ToString(type));
  }
  const std::size_t expected = IsUnary(predicate.kind) ? 0 : 1;
  if (!IsList(predicate.kind) && predicate.literals.size() != expected) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "the number of literals does not fit the predicate on column {}: expected {}, "
                     "found {}",
                     predicate.column, expected, predicate.literals.size());
  }
  return {};
}

ExpressionKind Negated(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::kTrue:
      return ExpressionKind::kFalse;
    case ExpressionKind::kFalse:
      return ExpressionKind::kTrue;
    case ExpressionKind::kAnd:
      return ExpressionKind::kOr;
    case ExpressionKind::kOr:
      return ExpressionKind::kAnd;
    case ExpressionKind::kIsNull:
      return ExpressionKind::kNotNull;
    case ExpressionKind::kNotNull:
      return ExpressionKind::kIsNull;
    case ExpressionKind::kIsNan:
      return ExpressionKind::kNotNan;
    case ExpressionKind::kNotNan:
      return ExpressionKind::kIsNan;
    case ExpressionKind::kLess:
      return ExpressionKind::kGreaterOrEqual;
    case ExpressionKind::kLessOrEqual:
      return ExpressionKind::kGreater;
    case ExpressionKind::kGreater:
      return ExpressionKind::kLessOrEqual;
    case ExpressionKind::kGreaterOrEqual:
      return ExpressionKind::kLess;
    case ExpressionKind::kEqual:
      return ExpressionKind::kNotEqual;
    case ExpressionKind::kNotEqual:
      return ExpressionKind::kEqual;
    case ExpressionKind::kIn:
      return ExpressionKind::kNotIn;
    case ExpressionKind::kNotIn:
      return ExpressionKind::kIn;
    case ExpressionKind::kStartsWith:
      return ExpressionKind::kNotStartsWith;
    case ExpressionKind::kNotStartsWith:
      return ExpressionKind::kStartsWith;
    case ExpressionKind::kNot:
      break;
  }
  return kind;
}

BoundExpression Leaf(BoundPredicate predicate) {
  BoundExpression leaf;
  leaf.kind = predicate.kind;
  leaf.predicate = std::move(predicate);
  return leaf;
}

// A comparison of the predicate's column with NaN, which is above every number and equal to itself.
BoundExpression CompareWithNan(BoundPredicate predicate) {
  predicate.literals.clear();
  switch (predicate.kind) {
    case ExpressionKind::kEqual:
    case ExpressionKind::kGreaterOrEqual:
    case ExpressionKind::kIn:
      predicate.kind = ExpressionKind::kIsNan;
      break;
    case ExpressionKind::kLessOrEqual:
      predicate.kind = ExpressionKind::kNotNull;
      break;
    case ExpressionKind::kGreater:
      return BoundExpression{.kind = ExpressionKind::kFalse, .children = {}, .predicate = {}};
    default:
      predicate.kind = ExpressionKind::kNotNan;
  }
  return Leaf(std::move(predicate));
}

BoundExpression WithoutNanLiterals(BoundPredicate predicate) {
  if (std::none_of(predicate.literals.begin(), predicate.literals.end(), IsNan)) {
    return Leaf(std::move(predicate));
  }
  BoundExpression about_nan = CompareWithNan(predicate);
  if (!IsList(predicate.kind)) {
    return about_nan;
  }
  std::erase_if(predicate.literals, IsNan);
  BoundExpression both;
  both.kind = predicate.kind == ExpressionKind::kIn ? ExpressionKind::kOr : ExpressionKind::kAnd;
  both.children.push_back(Leaf(std::move(predicate)));
  both.children.push_back(std::move(about_nan));
  return both;
}

Result<BoundExpression> BindPredicate(const Expression& predicate, const Schema& schema,
                                      bool is_negated) {
  const std::optional<Column> column = FindPredicateColumn(schema.fields, predicate.column, false);
  if (!column) {
    return MakeError(ErrorKind::kInvalidArgument, "the filter's column is not in the schema: {}",
                     predicate.column);
  }
  SL_TRY(CheckShape(predicate, column->field->type));
  BoundPredicate bound{.kind = is_negated ? Negated(predicate.kind) : predicate.kind,
                       .column = column->field->id,
                       .type = column->field->type,
                       .is_nested = column->is_nested,
                       .literals = {}};
  for (const Value& literal : predicate.literals) {
    std::optional<Value> conformed = AsValueOf(bound.type, literal);
    if (!conformed) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "a literal does not have the type of its column: column {} is {}{}",
                       predicate.column, ToString(bound.type),
                       IsNull(literal) ? ", the literal is null" : "");
    }
    bound.literals.push_back(*std::move(conformed));
  }
  return WithoutNanLiterals(std::move(bound));
}

Result<BoundExpression> Bind(const Expression& expression, const Schema& schema, bool is_negated) {
  switch (expression.kind) {
    case ExpressionKind::kNot:
      if (expression.children.size() != 1) {
        return MakeError(ErrorKind::kInvalidArgument, "a negation has one child: found {}",
                         expression.children.size());
      }
      return Bind(expression.children.front(), schema, !is_negated);
    case ExpressionKind::kTrue:
    case ExpressionKind::kFalse:
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr: {
      BoundExpression bound;
      bound.kind = is_negated ? Negated(expression.kind) : expression.kind;
      for (const Expression& child : expression.children) {
        BoundExpression bound_child = SL_TRY(Bind(child, schema, is_negated));
        bound.children.push_back(std::move(bound_child));
      }
      return bound;
    }
    default:
      return BindPredicate(expression, schema, is_negated);
  }
}

}  // namespace

Result<BoundExpression> BindExpression(const Expression& expression, const Schema& schema) {
  BoundExpression bound = SL_TRY(Bind(expression, schema, false));
  std::size_t ordinal = 0;
  ForEachPredicate(bound, [&](BoundPredicate& predicate) { predicate.ordinal = ordinal++; });
  return bound;
}

std::vector<FieldId> ColumnsOf(const BoundExpression& expression) {
  std::vector<FieldId> columns;
  ForEachPredicate(expression,
                   [&](const BoundPredicate& predicate) { columns.push_back(predicate.column); });
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

}  // namespace strandline::table
