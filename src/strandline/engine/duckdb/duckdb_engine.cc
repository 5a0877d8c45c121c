#include "strandline/engine/duckdb/duckdb_engine.h"

#include <string>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "strandline/engine/duckdb/internal/handles.h"
#include "strandline/engine/duckdb/internal/prepared_query.h"
#include "strandline/engine/duckdb/internal/relation_scan.h"
#include "strandline/engine/duckdb/internal/running_answer.h"
#include "strandline/engine/duckdb/internal/spill_directory.h"
#include "strandline/engine/duckdb/internal/sql_serializer.h"

namespace strandline::engine {

namespace {

// Nothing here is the user's: no statement of theirs has run yet.
Status Run(duckdb_connection connection, const char* sql) {
  ResultHandle result;
  if (duckdb_query(connection, sql, result.get()) != DuckDBSuccess) {
    const char* message = duckdb_result_error(result.get());
    return MakeError(ErrorKind::kUnavailable, "the SQL engine refuses a setting: {}: {}", sql,
                     message == nullptr ? "" : message);
  }
  return {};
}

Result<DatabaseHandle> OpenDatabase(const EngineOptions& options, const std::string& spill_path) {
  duckdb_config raw_config = nullptr;
  duckdb_create_config(&raw_config);
  const ConfigHandle config(raw_config);
  const std::vector<std::pair<const char*, std::string>> settings = {
      {"threads", fmt::to_string(std::max(options.threads, 1))},
      {"memory_limit", fmt::format("{}B", options.memory_limit_bytes)},
      {"temp_directory", spill_path},
      {"autoload_known_extensions", "false"},
      {"autoinstall_known_extensions", "false"},
      {"allow_community_extensions", "false"},
      // SQL promises an order only with ORDER BY; keeping another costs memory and threads.
      {"preserve_insertion_order", "false"},
      {"arrow_lossless_conversion", "true"}};
  for (const auto& [name, value] : settings) {
    if (duckdb_set_config(config.get(), name, value.c_str()) != DuckDBSuccess) {
      return MakeError(ErrorKind::kInvalidArgument, "the SQL engine has no setting {}", name);
    }
  }
  duckdb_database database = nullptr;
  char* message = nullptr;
  const duckdb_state opened = duckdb_open_ext(nullptr, &database, config.get(), &message);
  const TextHandle text(message);
  if (opened != DuckDBSuccess) {
    return MakeError(ErrorKind::kUnavailable, "the SQL engine cannot be opened: {}",
                     text ? text.get() : "unknown reason");
  }
  return DatabaseHandle(database);
}

// The order matters: the lock alone would let SQL read any file.
constexpr const char* kLockDown[] = {
    "SET GLOBAL TimeZone = 'UTC'", "SET GLOBAL errors_as_json = true",
    "SET GLOBAL enable_external_access = false", "SET GLOBAL lock_configuration = true"};

class DuckDbEngine final : public Engine {
 public:
  DuckDbEngine(std::unique_ptr<SpillDirectory> spill, int threads)
      : spill_(std::move(spill)), threads_(threads) {}

  Status Open(const EngineOptions& options) {
    database_ = SL_TRY(OpenDatabase(options, spill_ == nullptr ? "" : spill_->path()));
    const ConnectionHandle connection = SL_TRY(Connect(database_.get()));
    SL_TRY(RegisterScanFunction(connection.get(), registry_));
    for (const char* sql : kLockDown) {
      SL_TRY(Run(connection.get(), sql));
    }
    return {};
  }

  std::string name() const override {
    std::string version = duckdb_library_version();
    return "duckdb " + version.substr(version.starts_with('v') ? 1 : 0);
  }

  Result<std::unique_ptr<Answer>> Execute(const Statement& statement,
                                          const std::stop_token& stop) override {
    return StartQuery(SL_TRY(Prepare(statement, QueryPurpose::kRun, stop)));
  }

  Result<std::shared_ptr<arrow::Schema>> Describe(const Statement& statement) override {
    const std::unique_ptr<PreparedQuery> query =
        SL_TRY(Prepare(statement, QueryPurpose::kDescribe, {}));
    return query->schema();
  }

 private:
  Result<std::unique_ptr<PreparedQuery>> Prepare(const Statement& statement, QueryPurpose purpose,
                                                 std::stop_token stop) {
    return PreparedQuery::Make(database_.get(), registry_, threads_, statement, purpose,
                               std::move(stop));
  }

  // In this order: the database uses what stands before it.
  std::unique_ptr<SpillDirectory> spill_;
  ScanRegistry registry_;
  DatabaseHandle database_;
  int threads_;
};

}  // namespace

Result<std::unique_ptr<Engine>> MakeDuckDbEngine(const EngineOptions& options) {
  std::unique_ptr<SpillDirectory> spill;
  if (!options.temp_directory.empty()) {
    spill = SL_TRY(SpillDirectory::Make(options.temp_directory));
  }
  auto engine = std::make_unique<DuckDbEngine>(std::move(spill), options.threads);
  SL_TRY(engine->Open(options));
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace strandline::engine
