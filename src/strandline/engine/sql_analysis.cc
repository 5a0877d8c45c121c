#include "strandline/engine/sql_analysis.h"

#include <utility>

#include "strandline/engine/duckdb/internal/sql_serializer.h"
#include "strandline/engine/internal/outline.h"

namespace strandline::engine {

namespace {

class DuckDbParser final : public SqlParser {
 public:
  DuckDbParser(DatabaseHandle database, ConnectionHandle connection)
      : database_(std::move(database)), connection_(std::move(connection)) {}

  Result<SqlAnalysis> Analyze(std::string_view sql, SqlPosition* at) override {
    const std::string tree = SL_TRY(SerializeSql(connection_.get(), sql));
    SqlOutline outline = SL_TRY(OutlineOf(sql, tree, at));
    return std::move(outline.analysis);
  }

 private:
  DatabaseHandle database_;
  ConnectionHandle connection_;
};

}  // namespace

Result<std::unique_ptr<SqlParser>> SqlParser::Make() {
  DatabaseHandle database = SL_TRY(OpenParserDatabase());
  ConnectionHandle connection = SL_TRY(Connect(database.get()));
  return std::make_unique<DuckDbParser>(std::move(database), std::move(connection));
}

Result<SqlAnalysis> AnalyzeSql(std::string_view sql, SqlPosition* at) {
  const std::unique_ptr<SqlParser> parser = SL_TRY(SqlParser::Make());
  return parser->Analyze(sql, at);
}

}  // namespace strandline::engine
