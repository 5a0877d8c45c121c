#include "strandline/engine/duckdb/internal/sql_serializer.h"

namespace strandline::engine {

Result<ConnectionHandle> Connect(duckdb_database database) {
  duckdb_connection connection = nullptr;
  if (duckdb_connect(database, &connection) != DuckDBSuccess) {
    return MakeError(ErrorKind::kUnavailable, "the SQL engine gave no connection");
  }
  return ConnectionHandle(connection);
}

Result<std::string> SerializeSql(duckdb_connection connection, std::string_view sql) {
  const ErrorHandle invalid(duckdb_valid_utf8_check(sql.data(), sql.size()));
  if (invalid && duckdb_error_data_has_error(invalid.get())) {
    return MakeError(ErrorKind::kInvalidArgument, "1:1: the SQL is not UTF-8 text");
  }
  if (sql.find('\0') != std::string_view::npos) {
    return MakeError(ErrorKind::kInvalidArgument, "1:1: the SQL holds a zero byte");
  }
  duckdb_prepared_statement raw = nullptr;
  const duckdb_state prepared = duckdb_prepare(
      connection, "select json_serialize_sql($1::varchar, skip_null := true, skip_empty := true)",
      &raw);
  const PreparedHandle statement(raw);
  ResultHandle result;
  if (prepared != DuckDBSuccess ||
      duckdb_bind_varchar_length(statement.get(), 1, sql.data(), sql.size()) != DuckDBSuccess ||
      duckdb_execute_prepared(statement.get(), result.get()) != DuckDBSuccess) {
    return MakeError(ErrorKind::kUnavailable, "the SQL parser cannot be used");
  }
  const ChunkHandle chunk(duckdb_fetch_chunk(*result.get()));
  if (!chunk || duckdb_data_chunk_get_size(chunk.get()) != 1) {
    return MakeError(ErrorKind::kUnavailable, "the SQL parser gave no answer");
  }
  auto* texts = static_cast<duckdb_string_t*>(
      duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk.get(), 0)));
  return std::string(duckdb_string_t_data(texts), duckdb_string_t_length(*texts));
}

Result<DatabaseHandle> OpenParserDatabase() {
  duckdb_config raw_config = nullptr;
  duckdb_create_config(&raw_config);
  const ConfigHandle config(raw_config);
  duckdb_set_config(config.get(), "threads", "1");
  duckdb_set_config(config.get(), "enable_external_access", "false");
  duckdb_set_config(config.get(), "autoload_known_extensions", "false");
  duckdb_set_config(config.get(), "autoinstall_known_extensions", "false");
  duckdb_database database = nullptr;
  char* message = nullptr;
  const duckdb_state opened = duckdb_open_ext(nullptr, &database, config.get(), &message);
  const TextHandle text(message);
  if (opened != DuckDBSuccess) {
    return MakeError(ErrorKind::kUnavailable, "the SQL parser cannot be opened: {}",
                     text ? text.get() : "unknown reason");
  }
  return DatabaseHandle(database);
}

}  // namespace strandline::engine
