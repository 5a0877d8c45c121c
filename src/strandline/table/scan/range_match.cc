// RangeMayMatch() and RangeMustMatch(): what bounds prove about a predicate.

#include <algorithm>
#include <string>

#include "strandline/table/scan/bound_expression.h"

namespace strandline::table {
namespace {

// The four proofs that bounds can give about values and one literal. A comparison that is not
// possible proves nothing.
bool AllAbove(const ValueRange& range, const Value& literal) {
  return range.lower && CompareAsSql(*range.lower, literal) > 0;
}

bool AllAtLeast(const ValueRange& range, const Value& literal) {
  return range.lower && CompareAsSql(*range.lower, literal) >= 0;
}

bool AllBelow(const ValueRange& range, const Value& literal) {
  if (!range.upper) {
    return false;
  }
  const std::partial_ordering order = CompareAsSql(*range.upper, literal);
  return range.upper_excluded ? order <= 0 : order < 0;
}

bool AllAtMost(const ValueRange& range, const Value& literal) {
  return range.upper && CompareAsSql(*range.upper, literal) <= 0;
}

bool NoneEqual(const ValueRange& range, const Value& literal) {
  return AllAbove(range, literal) || AllBelow(range, literal);
}

bool AllEqual(const ValueRange& range, const Value& literal) {
  return AllAtLeast(range, literal) && AllAtMost(range, literal);
}

bool NoneStartWith(const ValueRange& range, const Value& literal) {
  if (AllBelow(range, literal)) {
    return true;
  }
  const auto* prefix = std::get_if<std::string>(&literal);
  const auto* lower = range.lower ? std::get_if<std::string>(&*range.lower) : nullptr;
  return prefix != nullptr && lower != nullptr && *lower > *prefix && !lower->starts_with(*prefix);
}

bool AllStartWith(const ValueRange& range, const Value& literal) {
  const auto* prefix = std::get_if<std::string>(&literal);
  const auto* lower = range.lower ? std::get_if<std::string>(&*range.lower) : nullptr;
  const auto* upper = range.upper ? std::get_if<std::string>(&*range.upper) : nullptr;
  if (prefix == nullptr || lower == nullptr || upper == nullptr || !lower->starts_with(*prefix)) {
    return false;
  }
  if (upper->starts_with(*prefix)) {
    return true;
  }
  const std::optional<std::string> successor = PrefixSuccessor(*prefix);
  return range.upper_excluded && successor && *upper <= *successor;
}

// About the values that are neither null nor NaN.
bool ValuesMayMatch(const BoundPredicate& predicate, const ValueRange& range) {
  const auto any_of = [&](auto test) {
    return std::any_of(predicate.literals.begin(), predicate.literals.end(),
                       [&](const Value& literal) { return test(range, literal); });
  };
  switch (predicate.kind) {
    case ExpressionKind::kLess:
      return !AllAtLeast(range, predicate.literals.front());
    case ExpressionKind::kLessOrEqual:
      return !AllAbove(range, predicate.literals.front());
    case ExpressionKind::kGreater:
      return !AllAtMost(range, predicate.literals.front());
    case ExpressionKind::kGreaterOrEqual:
      return !AllBelow(range, predicate.literals.front());
    case ExpressionKind::kEqual:
    case ExpressionKind::kIn:
      return any_of([](const ValueRange& r, const Value& l) { return !NoneEqual(r, l); });
    case ExpressionKind::kNotEqual:
    case ExpressionKind::kNotIn:
      return !any_of(AllEqual);
    case ExpressionKind::kStartsWith:
      return !NoneStartWith(range, predicate.literals.front());
    case ExpressionKind::kNotStartsWith:
      return !AllStartWith(range, predicate.literals.front());
    default:
      return true;
  }
}

bool ValuesMustMatch(const BoundPredicate& predicate, const ValueRange& range) {
  switch (predicate.kind) {
    case ExpressionKind::kLess:
      return AllBelow(range, predicate.literals.front());
    case ExpressionKind::kLessOrEqual:
      return AllAtMost(range, predicate.literals.front());
    case ExpressionKind::kGreater:
      return AllAbove(range, predicate.literals.front());
    case ExpressionKind::kGreaterOrEqual:
      return AllAtLeast(range, predicate.literals.front());
    case ExpressionKind::kEqual:
    case ExpressionKind::kIn:
      return std::any_of(predicate.literals.begin(), predicate.literals.end(),
                         [&](const Value& literal) { return AllEqual(range, literal); });
    case ExpressionKind::kNotEqual:
    case ExpressionKind::kNotIn:
      return std::all_of(predicate.literals.begin(), predicate.literals.end(),
                         [&](const Value& literal) { return NoneEqual(range, literal); });
    case ExpressionKind::kStartsWith:
      return AllStartWith(range, predicate.literals.front());
    case ExpressionKind::kNotStartsWith:
      return NoneStartWith(range, predicate.literals.front());
    default:
      return false;
  }
}

// Whether a NaN satisfies a comparison with a number for some engine: those that follow IEEE 754
// and those that sort NaN last disagree, and a row must not be lost to either.
bool NanMayMatch(ExpressionKind kind) {
  return kind == ExpressionKind::kGreater || kind == ExpressionKind::kGreaterOrEqual ||
         kind == ExpressionKind::kNotEqual || kind == ExpressionKind::kNotIn;
}

bool HasNan(const Type& type) { return type.id == TypeId::kFloat || type.id == TypeId::kDouble; }

// Two sources that contradict each other prove nothing.
bool IsContradictory(const ValueRange& range) {
  return range.lower && range.upper && CompareAsSql(*range.lower, *range.upper) > 0;
}

}  // namespace

bool RangeMayMatch(const BoundPredicate& predicate, const ValueRange& range) {
  const bool may_hold_nan = range.may_hold_nan && HasNan(predicate.type);
  switch (predicate.kind) {
    case ExpressionKind::kIsNull:
      return range.may_hold_null;
    case ExpressionKind::kNotNull:
      return may_hold_nan || range.may_hold_value;
    case ExpressionKind::kIsNan:
      return may_hold_nan;
    case ExpressionKind::kNotNan:
      // Engines disagree whether this is true of null.
      return range.may_hold_value || range.may_hold_null;
    default:
      return (range.may_hold_value && ValuesMayMatch(predicate, range)) ||
             (may_hold_nan && NanMayMatch(predicate.kind));
  }
}

bool RangeMustMatch(const BoundPredicate& predicate, const ValueRange& range) {
  const bool may_hold_nan = range.may_hold_nan && HasNan(predicate.type);
  switch (predicate.kind) {
    case ExpressionKind::kIsNull:
      return !may_hold_nan && !range.may_hold_value;
    case ExpressionKind::kNotNull:
      return !range.may_hold_null;
    case ExpressionKind::kIsNan:
      return !range.may_hold_null && !range.may_hold_value;
    case ExpressionKind::kNotNan:
      return !range.may_hold_null && !may_hold_nan;
    default:
      return !range.may_hold_null && !may_hold_nan && !IsContradictory(range) &&
             ValuesMustMatch(predicate, range);
  }
}

}  // namespace strandline::table
