#pragma once

#include <cstddef>
#include <string_view>

#include <nlohmann/json.hpp>

#include "strandline/base/result.h"
#include "strandline/engine/sql_analysis.h"

namespace strandline::engine {

// The one statement of `tree`, which is what `json_serialize_sql` said of `sql`. Fails as
// AnalyzeSql does.
Result<nlohmann::json> StatementTree(std::string_view sql, std::string_view tree, SqlPosition* at);

// `line:column: message`, kInvalidArgument; writes the place to `at`, when there is one.
Error ErrorAt(std::string_view sql, std::size_t offset, std::string_view message,
              SqlPosition* at = nullptr);

}  // namespace strandline::engine
