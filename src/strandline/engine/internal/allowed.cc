#include "strandline/engine/internal/allowed.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace strandline::engine {

namespace {

// Table functions that compute their rows from their arguments.
constexpr std::array<std::string_view, 7> kTableFunctions = {
    "generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest"};

// Functions that tell of the engine or change it.
constexpr std::array<std::string_view, 10> kRefusedFunctions = {"current_connection_id",
                                                                "current_query",
                                                                "current_query_id",
                                                                "current_setting",
                                                                "current_transaction_id",
                                                                "currval",
                                                                "getenv",
                                                                "getvariable",
                                                                "nextval",
                                                                "write_log"};

bool Holds(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Error Refusal(const SqlFunction& function, std::string_view why) {
  return MakeError(ErrorKind::kInvalidArgument, "{}:{}: `{}` cannot be called here: {}",
                   function.at.line, function.at.column, function.name, why);
}

}  // namespace

Status CheckCalls(const SqlAnalysis& analysis) {
  for (const SqlFunction& function : analysis.functions) {
    if (Holds(kRefusedFunctions, function.name)) {
      return Refusal(function, "it reads the engine's own state");
    }
    const bool is_table =
        std::find(analysis.table_functions.begin(), analysis.table_functions.end(),
                  function.name) != analysis.table_functions.end();
    if (is_table && !Holds(kTableFunctions, function.name)) {
      return Refusal(function, "a statement reads only tables");
    }
  }
  return {};
}

}  // namespace strandline::engine
