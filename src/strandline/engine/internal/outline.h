#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/engine/sql_analysis.h"

namespace strandline::engine {

// A column reference of several parts: `t.a`, `ads.t.a`, `s.field`.
struct QualifiedReference {
  std::vector<std::string> parts;
  std::size_t offset = 0;  // In bytes, of the first part.
};

// An analysis, and where in the text the names stand that an engine has to replace.
struct SqlOutline {
  SqlAnalysis analysis;
  std::vector<std::size_t> table_offsets;  // One per analysis.tables, in bytes.
  std::vector<QualifiedReference> references;
};

// Reads what the engine's parser says of `sql`: the JSON of `json_serialize_sql`. Fails as
// AnalyzeSql does, and with kUnsupported for time travel (`at (version => ...)`).
Result<SqlOutline> OutlineOf(std::string_view sql, std::string_view tree, SqlPosition* at);

}  // namespace strandline::engine
