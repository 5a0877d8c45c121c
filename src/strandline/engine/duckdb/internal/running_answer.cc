#include "strandline/engine/duckdb/internal/running_answer.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include <arrow/api.h>

#include "strandline/engine/duckdb/internal/arrow_bridge.h"

namespace strandline::engine {

namespace {

Error Stopped() { return MakeError(ErrorKind::kCancelled, "the statement was stopped"); }

class RunningAnswer final : public Answer {
 public:
  explicit RunningAnswer(std::unique_ptr<PreparedQuery> query) : query_(std::move(query)) {
    duckdb_arrow_options options = nullptr;
    duckdb_connection_get_arrow_options(query_->connection(), &options);
    options_.reset(options);
  }

  Status Start() {
    duckdb_pending_result raw = nullptr;
    // The only call that streams; its deprecation has no date and no successor.
    const duckdb_state state = duckdb_pending_prepared_streaming(query_->prepared(), &raw);
    const PendingHandle pending(raw);
    if (state != DuckDBSuccess) {
      return FailureOr(duckdb_pending_error(pending.get()));
    }
    // Only now: an interrupt before the query has begun is forgotten by the engine.
    stop_.emplace(query_->stop(), Interrupt{query_->connection()});
    if (duckdb_execute_pending(pending.get(), result_.get()) != DuckDBSuccess) {
      const char* message = duckdb_result_error(result_.get());
      return FailureOr(message != nullptr ? message : duckdb_pending_error(pending.get()));
    }
    return {};
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return query_->schema(); }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (!done_) {
      if (query_->stop().stop_requested()) {
        return Stopped();
      }
      const ChunkHandle chunk(duckdb_fetch_chunk(*result_.get()));
      if (!chunk) {
        if (const char* message = duckdb_result_error(result_.get())) {
          return FailureOr(message);
        }
        done_ = true;
      } else if (duckdb_data_chunk_get_size(chunk.get()) > 0) {
        return BatchOf(options_.get(), chunk.get(), schema());
      }
    }
    return nullptr;
  }

 private:
  struct Interrupt {
    duckdb_connection connection;
    void operator()() const { duckdb_interrupt(connection); }
  };

  Error FailureOr(const char* message) const {
    return query_->stop().stop_requested() ? Stopped() : query_->FailureOf(message);
  }

  // In this order: the last ones refer to the first.
  std::unique_ptr<PreparedQuery> query_;
  ArrowOptionsHandle options_;
  ResultHandle result_;
  std::optional<std::stop_callback<Interrupt>> stop_;
  bool done_ = false;
};

}  // namespace

Result<std::unique_ptr<Answer>> StartQuery(std::unique_ptr<PreparedQuery> query) {
  if (query->stop().stop_requested()) {
    return Stopped();
  }
  auto answer = std::make_unique<RunningAnswer>(std::move(query));
  SL_TRY(answer->Start());
  return std::unique_ptr<Answer>(std::move(answer));
}

}  // namespace strandline::engine
