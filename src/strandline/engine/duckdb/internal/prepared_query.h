#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/engine/duckdb/internal/answer_types.h"
#include "strandline/engine/duckdb/internal/failure.h"
#include "strandline/engine/duckdb/internal/handles.h"
#include "strandline/engine/duckdb/internal/relation_scan.h"
#include "strandline/engine/engine.h"
#include "strandline/engine/internal/edited_sql.h"
#include "strandline/engine/internal/outline.h"

namespace strandline::engine {

// A statement on a connection of its own, bound to its relations and ready to run. In its text each
// mention of a relation is replaced by a call of the scan function with an id that only this
// statement has, so statements that run at once share no name and leave nothing behind.
class PreparedQuery {
 public:
  // Fails as Engine::Execute does. `database` and `registry` must outlive the query.
  static Result<std::unique_ptr<PreparedQuery>> Make(duckdb_database database,
                                                     ScanRegistry& registry, int threads,
                                                     const Statement& statement,
                                                     QueryPurpose purpose, std::stop_token stop);

  PreparedQuery(const PreparedQuery&) = delete;
  PreparedQuery& operator=(const PreparedQuery&) = delete;
  ~PreparedQuery();

  duckdb_connection connection() const { return connection_.get(); }
  duckdb_prepared_statement prepared() const { return prepared_.get(); }
  const std::stop_token& stop() const { return context_->stop(); }
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }

  // Why running failed: what a relation said if one failed, else the engine's message in our words.
  Error FailureOf(const char* engine_message) const;

 private:
  PreparedQuery(ConnectionHandle connection, ScanRegistry& registry, int threads, std::string sql,
                std::stop_token stop);

  Status ReplaceNames(const SqlOutline& outline, const Statement& statement, QueryPurpose purpose);
  Result<std::int64_t> AddScan(std::shared_ptr<Relation> relation, table::Expression filter,
                               QueryPurpose purpose);
  Status Prepare();
  Status PrepareText(const std::string& text);

  ConnectionHandle connection_;
  ScanRegistry& registry_;
  std::shared_ptr<ScanContext> context_;
  std::string sql_;
  std::unique_ptr<EditedSql> edited_;
  FailureContext failure_context_;
  std::vector<std::int64_t> scan_ids_;
  std::shared_ptr<arrow::Schema> schema_;
  PreparedHandle prepared_;
};

}  // namespace strandline::engine
