#include "strandline/project/internal/sql_rules.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "strandline/project/internal/lower_case.h"
#include "strandline/project/internal/near_miss.h"
#include "strandline/project/internal/sql_functions.h"
#include "strandline/project/internal/sql_tokens.h"

namespace strandline::project::internal {
namespace {

constexpr std::string_view kBookkeepingPrefix = "_strand_";

// What a run gives to every statement.
const std::vector<std::string> kParameters = {"$window_start", "$window_end"};

constexpr std::string_view kDeterministicHint =
    "or set `deterministic: false`, which takes the model out of comparisons and proofs";

bool IsSymbol(const std::vector<SqlToken>& tokens, std::size_t index, char symbol) {
  return index < tokens.size() && tokens[index].kind == SqlToken::Kind::kSymbol &&
         tokens[index].text.front() == symbol;
}

bool IsName(const std::vector<SqlToken>& tokens, std::size_t index, std::string_view name) {
  return index < tokens.size() && tokens[index].kind == SqlToken::Kind::kName &&
         tokens[index].text == name;
}

SqlFinding Refuse(engine::SqlPosition at, std::string message) {
  return {.at = at, .severity = ProblemSeverity::kError, .message = std::move(message)};
}

SqlFinding Doubt(engine::SqlPosition at, std::string message) {
  return {.at = at, .severity = ProblemSeverity::kWarning, .message = std::move(message)};
}

std::string VolatileMessage(std::string_view function) {
  if (function == "age") {
    return "`age` is refused: with one argument it reads today's date; write `later - earlier`";
  }
  return fmt::format(
      "`{}` is refused: it gives another answer each time it is asked; "
      "`$window_start` and `$window_end` are the window's bounds",
      function);
}

// The name of a column that adding up depends on the order of, among the arguments of the call
// whose bracket is at `open`.
std::optional<std::string> FloatingArgument(const std::vector<SqlToken>& tokens, std::size_t open,
                                            const std::set<std::string>& floating_columns) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth += IsSymbol(tokens, i, '(') ? 1 : 0;
    depth -= IsSymbol(tokens, i, ')') ? 1 : 0;
    if (depth == 0) {
      return std::nullopt;
    }
    const bool is_column = tokens[i].kind == SqlToken::Kind::kName &&
                           floating_columns.contains(LowerCase(tokens[i].text)) &&
                           !IsSymbol(tokens, i + 1, '(');
    if (is_column) {
      return tokens[i].text;
    }
  }
  return std::nullopt;
}

// `order by all` orders by every column: what is equal then is the same row.
bool OrdersByAll(const std::vector<SqlToken>& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (IsName(tokens, i, "order") && IsName(tokens, i + 1, "by") && IsName(tokens, i + 2, "all")) {
      return true;
    }
  }
  return false;
}

// Whether the call at `at` is ordered in a way that the analysis does not show: the engine's parser
// turns list(x order by x) into a sort around list(x), and people write that sort themselves.
bool IsSortedList(const std::vector<SqlToken>& tokens, const engine::SqlPosition& at) {
  static constexpr std::string_view kSorts[] = {"list_sort", "array_sort", "list_reverse_sort",
                                                "array_reverse_sort"};
  const auto call = std::ranges::find_if(tokens, [&](const SqlToken& token) {
    return token.at.line == at.line && token.at.column == at.column;
  });
  if (call == tokens.end()) {
    return false;
  }
  const auto index = static_cast<std::size_t>(call - tokens.begin());
  const bool is_sorted_around =
      index >= 2 && IsSymbol(tokens, index - 1, '(') &&
      std::ranges::any_of(kSorts, [&](auto sort) { return IsName(tokens, index - 2, sort); });
  if (is_sorted_around) {
    return true;
  }
  int depth = 0;
  for (std::size_t i = index + 1; i < tokens.size(); ++i) {
    depth += IsSymbol(tokens, i, '(') ? 1 : 0;
    depth -= IsSymbol(tokens, i, ')') ? 1 : 0;
    if (depth == 0) {
      return false;
    }
    if (depth == 1 && IsName(tokens, i, "order") && IsName(tokens, i + 1, "by")) {
      return true;
    }
  }
  return false;
}

void FindOrderDependentCalls(const std::vector<SqlToken>& tokens,
                             const engine::SqlAnalysis& analysis,
                             std::vector<SqlFinding>& findings) {
  for (const engine::SqlFunction& function : analysis.functions) {
    if (IsApproximate(function.name)) {
      findings.push_back(
          Refuse(function.at,
                 fmt::format("`{}` is an estimate that differs from run to run: use the exact "
                             "function, {}",
                             function.name, kDeterministicHint)));
    } else if (FollowsRowOrder(function.name) && !function.ordered &&
               !IsSortedList(tokens, function.at)) {
      findings.push_back(Refuse(
          function.at,
          fmt::format("`{}` follows the order in which rows happen to come: {}, {}", function.name,
                      function.windowed
                          ? "give its OVER an ORDER BY that no two rows share"
                          : "give it an ORDER BY, as in list(x order by y), or take min or max",
                      kDeterministicHint)));
    } else if (BreaksTiesByRowOrder(function.name)) {
      findings.push_back(Doubt(
          function.at, fmt::format("`{}` takes whichever row comes first when several are equal: "
                                   "make sure that none are",
                                   function.name)));
    } else if (AddsUpInFloatingPoint(function.name)) {
      findings.push_back(
          Doubt(function.at,
                fmt::format("`{}` calculates in floating point, so its last digits follow "
                            "the order of rows: results are compared with a tolerance of 1e-9",
                            function.name)));
    }
  }
}

void FindFloatingSums(const std::vector<SqlToken>& tokens,
                      const std::set<std::string>& floating_columns,
                      std::vector<SqlFinding>& findings) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != SqlToken::Kind::kName || !AddsUp(tokens[i].text) ||
        !IsSymbol(tokens, i + 1, '(')) {
      continue;
    }
    if (const auto column = FloatingArgument(tokens, i + 1, floating_columns)) {
      findings.push_back(
          Doubt(tokens[i].at,
                fmt::format(
                    "`{}` over the floating-point column `{}`: its last digits follow the order of "
                    "rows, results are compared with a tolerance of 1e-9; a decimal is exact",
                    tokens[i].text, *column)));
    }
  }
}

}  // namespace

std::vector<SqlFinding> FindOutsideReads(std::string_view sql, const engine::SqlAnalysis& analysis,
                                         const std::set<std::string>& columns) {
  std::vector<SqlFinding> findings;
  for (const engine::SqlFunction& function : analysis.functions) {
    const bool is_table_function = std::ranges::find(analysis.table_functions, function.name) !=
                                   analysis.table_functions.end();
    if (IsVolatileKeyword(function.name) && columns.contains(function.name)) {
      continue;  // The column of that name comes first.
    }
    if (IsVolatile(function.name)) {
      findings.push_back(Refuse(function.at, VolatileMessage(function.name)));
    } else if (is_table_function && !IsPureTableFunction(function.name)) {
      findings.push_back(Refuse(
          function.at, fmt::format("`{}` reads outside the catalog: a model reads tables only; let "
                                   "the file land through a source",
                                   function.name)));
    }
  }

  const std::vector<SqlToken> tokens = SqlTokens(sql);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const SqlToken& token = tokens[i];
    if (token.kind == SqlToken::Kind::kParameter &&
        std::ranges::find(kParameters, "$" + token.text) == kParameters.end()) {
      findings.push_back(Refuse(token.at, fmt::format("there is no parameter `${}`{}", token.text,
                                                      Suggestion("$" + token.text, kParameters))));
    }
    if (token.kind == SqlToken::Kind::kSymbol && token.text == "?") {
      findings.push_back(Refuse(token.at,
                                "`?` is a parameter that no run gives a value: name "
                                "$window_start or $window_end"));
    }
    if (token.kind != SqlToken::Kind::kName) {
      continue;
    }
    const std::string name = LowerCase(token.text);
    if (name.starts_with(kBookkeepingPrefix)) {
      findings.push_back(Refuse(
          token.at, fmt::format("`{}`: names beginning with `{}` are Strandline's own bookkeeping, "
                                "which a model neither reads nor writes",
                                token.text, kBookkeepingPrefix)));
    }
  }
  return findings;
}

std::vector<SqlFinding> FindOrderDependence(std::string_view sql,
                                            const engine::SqlAnalysis& analysis,
                                            const std::set<std::string>& floating_columns) {
  std::vector<SqlFinding> findings;
  const std::vector<SqlToken> tokens = SqlTokens(sql);
  FindOrderDependentCalls(tokens, analysis, findings);
  FindFloatingSums(tokens, floating_columns, findings);
  if (analysis.sample_at) {
    findings.push_back(
        Refuse(*analysis.sample_at,
               fmt::format("a sample differs from run to run: take the whole table, {}",
                           kDeterministicHint)));
  }
  if (analysis.limit_at && !analysis.limit_has_order) {
    findings.push_back(Refuse(
        *analysis.limit_at,
        fmt::format("which rows are left depends on the order in which they happen to come: add an "
                    "ORDER BY that no two rows share, {}",
                    kDeterministicHint)));
  } else if (analysis.limit_at && !OrdersByAll(tokens)) {
    findings.push_back(Doubt(*analysis.limit_at,
                             "rows that are equal under the ORDER BY are cut off by chance: end it "
                             "with columns that no two rows share, or write `order by all`"));
  }
  return findings;
}

std::string WithoutPosition(std::string_view message) {
  std::string_view rest = message;
  for (int number = 0; number < 2; ++number) {
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits == 0 || rest.size() == digits || rest[digits] != ':') {
      return std::string(message);
    }
    rest.remove_prefix(digits + 1);
  }
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return std::string(rest);
}

}  // namespace strandline::project::internal
