#pragma once

#include <string>
#include <string_view>

#include "strandline/base/result.h"
#include "strandline/engine/duckdb/internal/handles.h"

namespace strandline::engine {

// The parse tree of `sql` as JSON (`json_serialize_sql`), also when it does not parse: then the
// JSON says why. kInvalidArgument when `sql` is not UTF-8.
Result<std::string> SerializeSql(duckdb_connection connection, std::string_view sql);

// A database that is only good for SerializeSql. kUnavailable when it cannot be opened.
Result<DatabaseHandle> OpenParserDatabase();

Result<ConnectionHandle> Connect(duckdb_database database);

}  // namespace strandline::engine
