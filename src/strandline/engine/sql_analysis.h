#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/result.h"

namespace strandline::engine {

// 1-based, within the SQL text.
struct SqlPosition {
  int line = 1;
  int column = 1;
};

struct SqlTable {
  std::vector<std::string> path;  // As written: `ads.impressions` has two parts.
  std::string alias;              // Empty: none.
  SqlPosition at;
};

struct SqlFunction {
  std::string name;  // Lower case.
  bool distinct = false;
  bool ordered = false;  // Has an ORDER BY of its own.
  bool windowed = false;
  SqlPosition at;
};

// How a constant is written, which decides what it is compared as.
enum class SqlLiteralType {
  kNumber,       // Exact: `3`, `1.50`.
  kApproximate,  // `1e3`
  kString,
  kBoolean,    // `true`, `false`
  kDate,       // `date '2026-11-30'`; the text is the string's.
  kTimestamp,  // Without a zone.
  kTimestamptz,
  kParameter,  // `$name`; a timestamptz.
};

struct SqlLiteral {
  SqlLiteralType type = SqlLiteralType::kNumber;
  std::string text;
  friend bool operator==(const SqlLiteral&, const SqlLiteral&) = default;
};

// A comparison of one column with constants that a row of this mention of the table must satisfy to
// have any effect on the answer: a conjunct of the WHERE (or of an inner join's ON) of the block
// that reads the table, not below an outer join's nullable side, `or` or `not`. A column written
// without its table is named for each table of the block that could have it: it says nothing of a
// table that lacks it.
struct SqlConjunct {
  std::size_t table = 0;  // Index into tables.
  std::string column;     // As written.
  std::string op;         // = <> < <= > >= , `in`, `is null`, `is not null`
  std::vector<SqlLiteral> literals;
};

// What a SELECT says of itself, from the engine's own parser, without binding it to any table.
struct SqlAnalysis {
  // Base tables only: no CTE names, no aliases; one entry per mention, in the order of the text.
  std::vector<SqlTable> tables;
  // Every call, in the order of the text; table functions, and `current_timestamp` and the like,
  // too. Operators are not calls.
  std::vector<SqlFunction> functions;
  std::vector<std::string> table_functions;
  // Columns referred to, lower case, distinct; of a struct's field, the struct.
  std::vector<std::string> column_names;
  // A `*` that is not count(*), a whole row as a value, a natural join.
  bool reads_all_columns = false;
  // Of the outermost SELECT, where they are plain; empty text otherwise.
  std::vector<std::string> output_names;
  std::vector<std::string> parameters;  // Names of `$name`, distinct.
  std::vector<SqlConjunct> conjuncts;
  // A `limit`, `offset` or `distinct on`: the first without an ORDER BY of its own block, else the
  // first.
  std::optional<SqlPosition> limit_at;
  bool limit_has_order = false;
  std::optional<SqlPosition> sample_at;
};

// Keeps one parser for many statements: opening one takes some 15 ms, a statement less than one.
// Not thread-safe.
class SqlParser {
 public:
  static Result<std::unique_ptr<SqlParser>> Make();
  virtual ~SqlParser() = default;

  // As AnalyzeSql below.
  virtual Result<SqlAnalysis> Analyze(std::string_view sql, SqlPosition* at) = 0;
};

// Parses one SELECT. kInvalidArgument with `line:column: message` when it does not parse, is empty,
// is more than one statement, or is not a SELECT; `at` (when given) gets the place.
Result<SqlAnalysis> AnalyzeSql(std::string_view sql, SqlPosition* at = nullptr);

// The token stream of a statement in one normal form: comments and white space gone, keywords and
// unquoted names in lower case, one space between tokens; literals and quoted names kept. Two texts
// with the same form mean the same. Part of a model's logic: frozen by a golden test.
std::string NormalizedSql(std::string_view sql);

}  // namespace strandline::engine
