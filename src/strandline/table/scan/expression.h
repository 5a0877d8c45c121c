#pragma once

#include <memory>
#include <string>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/table/manifest/manifest.h"
#include "strandline/table/schema/schema.h"

namespace strandline::table {

enum class ExpressionKind {
  kTrue,
  kFalse,
  kAnd,
  kOr,
  kNot,
  kIsNull,
  kNotNull,
  kIsNan,
  kNotNan,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kEqual,
  kNotEqual,
  kIn,
  kNotIn,
  kStartsWith,
  kNotStartsWith,
};

// A predicate over the rows of a table with SQL's three-valued logic: a comparison with null is
// unknown, and a row is kept only where the whole is true. NaN equals itself and is above every
// other number; -0.0 equals 0.0. A value; columns by name (dotted for struct fields).
struct Expression {
  ExpressionKind kind = ExpressionKind::kTrue;
  std::vector<Expression> children = {};  // And, or, not.
  std::string column = {};                // Predicates.
  // Of the column's type: one for a comparison, any number for in and not-in.
  std::vector<Value> literals = {};

  friend bool operator==(const Expression&, const Expression&) = default;
};

Expression AlwaysTrue();
Expression And(std::vector<Expression> children);
Expression Or(std::vector<Expression> children);
Expression Not(Expression child);
Expression Predicate(ExpressionKind kind, std::string column, std::vector<Value> literals = {});

// For messages: `event_time >= 2026-11-30T05:00Z and country in (DE, FR)`.
std::string ToString(const Expression& expression, const Schema& schema);

// Checks columns and literal types against a schema; kInvalidArgument names what does not fit. A
// field inside a list or a map has many values in one row, so no predicate can be about it.
Status CheckExpression(const Expression& expression, const Schema& schema);

// The tests below answer "can any row match?": false only if surely none can. They treat every
// missing count or bound as unknown, ignore bounds that cannot be decoded, and never believe NaN in
// bounds. An expression that does not fit the schema is unknown as well.

// From a manifest list line. `spec` is the manifest's.
bool ManifestMayMatch(const Expression& expression, const Schema& schema, const PartitionSpec& spec,
                      const ManifestFile& manifest);

// From a file's partition tuple and column metrics.
bool FileMayMatch(const Expression& expression, const Schema& schema, const PartitionSpec& spec,
                  const DataFile& file);

// "Does every row match?": true only if surely all do.
bool FileMustMatch(const Expression& expression, const Schema& schema, const PartitionSpec& spec,
                   const DataFile& file);

}  // namespace strandline::table
