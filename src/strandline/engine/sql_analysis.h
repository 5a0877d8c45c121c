#pragma once

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

// A comparison of one column with one constant that every row of the answer must satisfy, whatever
// else it satisfies: a conjunct of the WHERE of the block that reads the table, not below an outer
// join's nullable side, `or` or `not`.
struct SqlConjunct {
  std::size_t table = 0;  // Index into tables.
  std::string column;
  std::string op;                     // = <> < <= > >= , `in`, `is null`, `is not null`
  std::vector<std::string> literals;  // As text; `$name` for a parameter. Numbers, strings,
                                      // timestamps (casts of strings).
};

// What a SELECT says of itself, from the engine's own parser, without binding it to any table.
struct SqlAnalysis {
  std::vector<SqlTable>
      tables;  // Base tables only: no CTE names, no aliases; one entry per mention.
  std::vector<SqlFunction> functions;  // Every call, in the order of the text; table functions too.
  std::vector<std::string> table_functions;
  std::vector<std::string>
      column_names;                // Last parts of every column reference, lower case, distinct.
  bool reads_all_columns = false;  // A `*` that is not count(*).
  std::vector<std::string>
      output_names;  // Of the outermost SELECT, where they are plain; empty text otherwise.
  std::vector<std::string> parameters;  // Names of `$name`, distinct.
  std::vector<SqlConjunct> conjuncts;
  // `limit`/`offset`/`distinct on`/sample somewhere, and where.
  std::optional<SqlPosition> limit_at;
  bool limit_has_order = false;
  std::optional<SqlPosition> sample_at;
};

// Parses one SELECT. kInvalidArgument with `line:column: message` when it does not parse, is empty,
// is more than one statement, or is not a SELECT; `at` (when given) gets the place.
Result<SqlAnalysis> AnalyzeSql(std::string_view sql, SqlPosition* at = nullptr);

// The token stream of a statement in one normal form: comments and white space gone, keywords and
// unquoted names in lower case, one space between tokens; literals and quoted names kept. Two texts
// with the same form mean the same. Part of a model's logic: frozen by a golden test.
std::string NormalizedSql(std::string_view sql);

}  // namespace strandline::engine
