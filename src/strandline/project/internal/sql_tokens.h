#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strandline/engine/sql_analysis.h"

namespace strandline::project::internal {

// One piece of a SQL text, for questions about its wording that the engine's analysis does not
// answer. Comments and white space are left out.
struct SqlToken {
  enum class Kind { kName, kNumber, kString, kParameter, kSymbol };

  Kind kind = Kind::kSymbol;
  std::string text;  // kName: without quotes, and in lower case unless it was quoted. kParameter:
                     // without `$`. kSymbol: one character. kString: empty, nobody asks.
  engine::SqlPosition at;  // Columns count characters.
};

// Splits any text; what does not parse as SQL comes out as symbols.
std::vector<SqlToken> SqlTokens(std::string_view sql);

}  // namespace strandline::project::internal
