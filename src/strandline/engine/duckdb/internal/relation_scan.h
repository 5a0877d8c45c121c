#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/engine/duckdb/internal/handles.h"
#include "strandline/engine/engine.h"

namespace strandline::engine {

// The table function that every relation is read through: `strandline_scan(id)`.
inline constexpr char kScanFunction[] = "strandline_scan";

enum class QueryPurpose {
  kRun,
  kDescribe,  // Only the columns are wanted: nothing is asked of the relations but their schema.
};

// What the scans of one statement share: where their errors go, which the engine's own messages
// cannot carry. Thread-safe.
class ScanContext {
 public:
  ScanContext(duckdb_connection connection, int threads, std::stop_token stop)
      : connection_(connection), threads_(threads), stop_(std::move(stop)) {}

  duckdb_connection connection() const { return connection_; }
  int threads() const { return threads_; }
  const std::stop_token& stop() const { return stop_; }

  // The first error counts.
  void Fail(Error error);
  std::optional<Error> error() const;

 private:
  duckdb_connection connection_;
  int threads_;
  std::stop_token stop_;
  mutable std::mutex mutex_;
  std::optional<Error> error_;
};

// One mention of a relation in a statement. Immutable once made.
struct RelationScan {
  std::shared_ptr<Relation> relation;
  table::Expression filter;
  std::shared_ptr<ScanContext> context;
  std::vector<TypeHandle> types;  // The engine's type of each column of the relation's schema.
  std::optional<std::int64_t> rows_estimated;  // Absent: unknown.

  // kUnsupported when the engine has no type for a column; errors of the relation's estimate.
  static Result<std::shared_ptr<RelationScan>> Make(std::shared_ptr<Relation> relation,
                                                    table::Expression filter, QueryPurpose purpose,
                                                    std::shared_ptr<ScanContext> context);
};

// The scans of all running statements by the id in their SQL. Thread-safe.
class ScanRegistry {
 public:
  std::int64_t Add(std::shared_ptr<RelationScan> scan);
  void Remove(std::int64_t id);
  std::shared_ptr<RelationScan> Find(std::int64_t id) const;

 private:
  mutable std::mutex mutex_;
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, std::shared_ptr<RelationScan>> scans_;
};

// Makes the table function known to a database. `registry` must outlive the database.
Status RegisterScanFunction(duckdb_connection connection, ScanRegistry& registry);

}  // namespace strandline::engine
