#include "strandline/project/internal/expression_rules.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "strandline/engine/sql_analysis.h"
#include "strandline/project/internal/lower_case.h"
#include "strandline/project/internal/sql_functions.h"
#include "strandline/project/internal/sql_rules.h"
#include "strandline/project/internal/sql_tokens.h"

namespace strandline::project::internal {
namespace {

// Whether `sql` stays inside the brackets that it is put into: none closed that it did not open,
// and no comma outside of its own.
bool IsOneExpression(std::string_view sql) {
  int depth = 0;
  for (const SqlToken& token : SqlTokens(sql)) {
    if (token.kind != SqlToken::Kind::kSymbol) {
      continue;
    }
    depth += token.text == "(" ? 1 : 0;
    depth -= token.text == ")" ? 1 : 0;
    const bool ends = (token.text == "," || token.text == ";") && depth == 0;
    if (depth < 0 || ends) {
      return false;
    }
  }
  return true;
}

// Parses `sql` as the one value selected from one table. Absent, and reported, when it is more.
std::optional<engine::SqlAnalysis> AnalyzeExpression(engine::SqlParser& parser,
                                                     std::string_view sql,
                                                     const KnownColumns& columns,
                                                     const FilePosition& at,
                                                     ProblemList& problems) {
  if (!IsOneExpression(sql)) {
    problems.Error(at, "`{}` is not one expression over the columns of this table", sql);
    return std::nullopt;
  }
  // The line break ends a comment at the end of `sql`.
  Result<engine::SqlAnalysis> analysis =
      parser.Analyze(fmt::format("select ({}\n) from checked_table", sql), nullptr);
  if (!analysis) {
    problems.Error(at, "`{}` is not an expression: {}", sql,
                   WithoutPosition(analysis.error().message));
    return std::nullopt;
  }
  if (analysis->tables.size() != 1 || analysis->output_names.size() != 1 ||
      analysis->reads_all_columns) {
    problems.Error(at, "`{}` is not one expression over the columns of this table", sql);
    return std::nullopt;
  }
  std::set<std::string> names;
  for (const std::string& name : columns.names) {
    names.insert(LowerCase(name));
  }
  const std::vector<SqlFinding> findings = FindOutsideReads(sql, *analysis, names);
  for (const SqlFinding& finding : findings) {
    problems.Error(at, "{}", finding.message);
  }
  if (!findings.empty()) {
    return std::nullopt;
  }
  if (columns.is_complete) {
    for (const std::string& column : analysis->column_names) {
      if (!names.contains(column)) {
        CheckColumnExists(column, fmt::format("`{}`", sql), columns, at, problems);
      }
    }
  }
  return std::move(analysis).value();
}

bool HasAggregate(const engine::SqlAnalysis& analysis) {
  return std::ranges::any_of(analysis.functions, [](const engine::SqlFunction& function) {
    return function.windowed || IsAggregate(function.name);
  });
}

}  // namespace

bool CheckRowExpression(engine::SqlParser& parser, std::string_view sql,
                        const KnownColumns& columns, const FilePosition& at,
                        ProblemList& problems) {
  const auto analysis = AnalyzeExpression(parser, sql, columns, at, problems);
  if (analysis && HasAggregate(*analysis)) {
    problems.Error(at,
                   "`{}` looks at several rows: `expression` is asked of each row alone, use "
                   "`row_count` or `reconcile`",
                   sql);
    return false;
  }
  return analysis.has_value();
}

bool CheckAggregateExpression(engine::SqlParser& parser, std::string_view sql,
                              const KnownColumns& columns, const FilePosition& at,
                              ProblemList& problems) {
  const auto analysis = AnalyzeExpression(parser, sql, columns, at, problems);
  if (analysis && !HasAggregate(*analysis)) {
    problems.Error(at,
                   "`{}` is no aggregate: `reconcile` compares one value of each side, such as "
                   "count(*) or sum(x)",
                   sql);
    return false;
  }
  return analysis.has_value();
}

}  // namespace strandline::project::internal
