#pragma once

#include <vector>

#include "strandline/base/result.h"
#include "strandline/table/scan/expression.h"
#include "strandline/table/scan/value_range.h"
#include "strandline/table/schema/schema.h"

namespace strandline::table {

// One predicate about one column, resolved: by field id, literals of exactly the column's type,
// none of them null or NaN.
struct BoundPredicate {
  ExpressionKind kind = ExpressionKind::kIsNull;
  FieldId column;
  Type type;
  bool is_nested = false;  // A field of a struct, so it is null as well where the struct is.
  std::vector<Value> literals;
  std::size_t ordinal = 0;  // Among the predicates of its expression, from 0.
};

// An expression over a schema's field ids in which nothing is negated: negations have been pushed
// into the predicates, which three-valued logic allows, and comparisons with NaN have become
// questions for NaN.
struct BoundExpression {
  ExpressionKind kind = ExpressionKind::kTrue;  // True, false, and, or; else a predicate.
  std::vector<BoundExpression> children;
  BoundPredicate predicate;
};

// kInvalidArgument names the column or literal that does not fit.
Result<BoundExpression> BindExpression(const Expression& expression, const Schema& schema);

// Calls `visit` with each predicate, left to right.
template <typename Bound, typename Visit>
void ForEachPredicate(Bound& expression, const Visit& visit) {
  const bool is_predicate =
      expression.kind != ExpressionKind::kTrue && expression.kind != ExpressionKind::kFalse &&
      expression.kind != ExpressionKind::kAnd && expression.kind != ExpressionKind::kOr;
  if (is_predicate) {
    visit(expression.predicate);
  }
  for (auto& child : expression.children) {
    ForEachPredicate(child, visit);
  }
}

// The columns it asks about, each once, ascending.
std::vector<FieldId> ColumnsOf(const BoundExpression& expression);

// Whether a row of this range may satisfy the predicate: false only if surely none does.
bool RangeMayMatch(const BoundPredicate& predicate, const ValueRange& range);

// Whether all rows of this range satisfy it: true only if surely all do.
bool RangeMustMatch(const BoundPredicate& predicate, const ValueRange& range);

// The whole expression from an answer for each predicate. Serves both questions: "may any row
// match" and "must all rows match" combine in the same way, on the safe side.
template <typename Answer>
bool Combine(const BoundExpression& expression, const Answer& answer) {
  switch (expression.kind) {
    case ExpressionKind::kTrue:
      return true;
    case ExpressionKind::kFalse:
      return false;
    case ExpressionKind::kAnd:
      for (const BoundExpression& child : expression.children) {
        if (!Combine(child, answer)) {
          return false;
        }
      }
      return true;
    case ExpressionKind::kOr:
      for (const BoundExpression& child : expression.children) {
        if (Combine(child, answer)) {
          return true;
        }
      }
      return false;
    default:
      return answer(expression.predicate);
  }
}

}  // namespace strandline::table
