#include "strandline/table/scan/expression.h"

#include <string_view>
#include <utility>

#include "strandline/table/scan/bound_expression.h"

namespace strandline::table {
namespace {

std::string_view OperatorText(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::kIsNull:
      return "is null";
    case ExpressionKind::kNotNull:
      return "is not null";
    case ExpressionKind::kIsNan:
      return "is nan";
    case ExpressionKind::kNotNan:
      return "is not nan";
    case ExpressionKind::kLess:
      return "<";
    case ExpressionKind::kLessOrEqual:
      return "<=";
    case ExpressionKind::kGreater:
      return ">";
    case ExpressionKind::kGreaterOrEqual:
      return ">=";
    case ExpressionKind::kEqual:
      return "=";
    case ExpressionKind::kNotEqual:
      return "<>";
    case ExpressionKind::kIn:
      return "in";
    case ExpressionKind::kNotIn:
      return "not in";
    case ExpressionKind::kStartsWith:
      return "starts with";
    case ExpressionKind::kNotStartsWith:
      return "does not start with";
    case ExpressionKind::kTrue:
    case ExpressionKind::kFalse:
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
    case ExpressionKind::kNot:
      break;
  }
  return "?";
}

// A literal list in an error message must not grow with the user's IN list.
constexpr std::size_t kLiteralsShownMax = 20;

std::string LiteralText(const NestedField* column, const Value& literal) {
  return column == nullptr ? "?" : ValueText(column->type, literal);
}

std::string PredicateText(const Expression& predicate, const Schema& schema) {
  const NestedField* column = FindFieldByPath(schema, predicate.column);
  std::string text = fmt::format("{} {}", predicate.column, OperatorText(predicate.kind));
  if (predicate.kind == ExpressionKind::kIn || predicate.kind == ExpressionKind::kNotIn) {
    std::string list;
    for (std::size_t i = 0; i < predicate.literals.size() && i < kLiteralsShownMax; ++i) {
      list += fmt::format("{}{}", i == 0 ? "" : ", ", LiteralText(column, predicate.literals[i]));
    }
    if (predicate.literals.size() > kLiteralsShownMax) {
      list += fmt::format(", ... {} more", predicate.literals.size() - kLiteralsShownMax);
    }
    return fmt::format("{} ({})", text, list);
  }
  for (const Value& literal : predicate.literals) {
    text += fmt::format(" {}", LiteralText(column, literal));
  }
  return text;
}

std::string Joined(const Expression& expression, const Schema& schema, std::string_view word) {
  std::string text;
  for (const Expression& child : expression.children) {
    const bool mixes = child.kind != expression.kind &&
                       (child.kind == ExpressionKind::kAnd || child.kind == ExpressionKind::kOr);
    if (!text.empty()) {
      text += fmt::format(" {} ", word);
    }
    text += mixes ? fmt::format("({})", ToString(child, schema)) : ToString(child, schema);
  }
  return text;
}

}  // namespace

Expression AlwaysTrue() { return Expression{}; }

Expression And(std::vector<Expression> children) {
  Expression all;
  all.kind = ExpressionKind::kAnd;
  all.children = std::move(children);
  return all;
}

Expression Or(std::vector<Expression> children) {
  Expression any;
  any.kind = ExpressionKind::kOr;
  any.children = std::move(children);
  return any;
}

Expression Not(Expression child) {
  Expression negation;
  negation.kind = ExpressionKind::kNot;
  negation.children.push_back(std::move(child));
  return negation;
}

Expression Predicate(ExpressionKind kind, std::string column, std::vector<Value> literals) {
  return Expression{
      .kind = kind, .children = {}, .column = std::move(column), .literals = std::move(literals)};
}

std::string ToString(const Expression& expression, const Schema& schema) {
  switch (expression.kind) {
    case ExpressionKind::kTrue:
      return "true";
    case ExpressionKind::kFalse:
      return "false";
    case ExpressionKind::kAnd:
      return expression.children.empty() ? "true" : Joined(expression, schema, "and");
    case ExpressionKind::kOr:
      return expression.children.empty() ? "false" : Joined(expression, schema, "or");
    case ExpressionKind::kNot:
      return expression.children.empty()
                 ? "not ?"
                 : fmt::format("not ({})", ToString(expression.children.front(), schema));
    default:
      return PredicateText(expression, schema);
  }
}

Status CheckExpression(const Expression& expression, const Schema& schema) {
  SL_TRY(BindExpression(expression, schema));
  return {};
}

}  // namespace strandline::table
