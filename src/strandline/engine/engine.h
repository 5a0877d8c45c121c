#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/clock.h"
#include "strandline/base/result.h"
#include "strandline/format/batch/batch_stream.h"
#include "strandline/table/scan/expression.h"

namespace strandline::engine {

// A relation that a statement may read: a table's scan, a metadata table, rows in memory. Called
// from several threads. The engine itself opens no file.
class Relation {
 public:
  virtual ~Relation() = default;

  // All columns a statement may name, in order. Those whose name begins with `_strand_` the engine
  // shows only to statements in which such a name occurs (state.md rule 3).
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;

  // About how many rows Open() gives with this filter, from metadata: what the engine needs to join
  // in a good order. Absent: unknown.
  virtual Result<std::optional<std::int64_t>> EstimateRows(const table::Expression& filter) {
    static_cast<void>(filter);
    return std::optional<std::int64_t>();
  }

  // The rows, as the columns asked for, in that order (possibly none: then batches only count
  // rows). `filter` is what the statement surely asks of every row of this relation: rows that do
  // not match may be left out, and all that match must come. The engine filters again.
  virtual Result<std::unique_ptr<format::BatchSource>> Open(const std::vector<std::string>& columns,
                                                            const table::Expression& filter) = 0;
};

// How a statement names it: `ads.impressions`, `ads.impressions.snapshots`.
struct NamedRelation {
  std::vector<std::string> path;
  std::shared_ptr<Relation> relation;
};

struct EngineOptions {
  int threads = 2;
  std::int64_t memory_limit_bytes = std::int64_t{2} << 30;
  // Absolute; made when it is not there. Spilled data goes there and nowhere else, into a folder
  // that is gone with the engine. Empty: nothing is spilled.
  std::string temp_directory = {};
};

struct Statement {
  std::string sql;  // One SELECT.
  std::vector<NamedRelation> relations;
  // Values of `$window_start` and the like, as timestamptz.
  std::map<std::string, Timestamp> parameters;
  // Off: `filter` given to relations is always true, for comparing answers.
  bool push_filters = true;
};

// Rows of an answer. Its column types are ones that Iceberg can hold: HUGEINT and unsigned integers
// come as int64 (a value that does not fit fails the statement, it never wraps), ENUM as string,
// intervals, bits, unions and times with a zone are refused by name (kUnsupported, with the
// column).
class Answer : public format::BatchStream {
 public:
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;
};

// SQL over relations. Thread-safe: several statements may run at once and share the memory limit
// and threads.
class Engine {
 public:
  virtual ~Engine() = default;

  // `duckdb 1.5.6`, for summaries; the first word goes into a model's logic.
  virtual std::string name() const = 0;

  // Plans and starts a statement. kInvalidArgument when the SQL is wrong (the message has line and
  // column and a near name), when it reads anything but its relations, or is not one SELECT;
  // kUnsupported for result types; kUnavailable when memory and spill space are exhausted;
  // kCancelled after `stop`. Errors of relations come through as they are. The answer must not
  // outlive the engine.
  virtual Result<std::unique_ptr<Answer>> Execute(const Statement& statement,
                                                  const std::stop_token& stop) = 0;

  // The columns of the answer without running it.
  virtual Result<std::shared_ptr<arrow::Schema>> Describe(const Statement& statement) = 0;
};

}  // namespace strandline::engine
