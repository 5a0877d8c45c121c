#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include <duckdb.h>

namespace strandline::engine {

// The C API's things with owners. Each is destroyed exactly once, null is allowed.
struct DuckDbDeleter {
  void operator()(duckdb_database handle) const { duckdb_close(&handle); }
  void operator()(duckdb_connection handle) const { duckdb_disconnect(&handle); }
  void operator()(duckdb_config handle) const { duckdb_destroy_config(&handle); }
  void operator()(duckdb_prepared_statement handle) const { duckdb_destroy_prepare(&handle); }
  void operator()(duckdb_pending_result handle) const { duckdb_destroy_pending(&handle); }
  void operator()(duckdb_logical_type handle) const { duckdb_destroy_logical_type(&handle); }
  void operator()(duckdb_data_chunk handle) const { duckdb_destroy_data_chunk(&handle); }
  void operator()(duckdb_value handle) const { duckdb_destroy_value(&handle); }
  void operator()(duckdb_table_function handle) const { duckdb_destroy_table_function(&handle); }
  void operator()(duckdb_error_data handle) const { duckdb_destroy_error_data(&handle); }
  void operator()(duckdb_arrow_options handle) const { duckdb_destroy_arrow_options(&handle); }
  void operator()(duckdb_arrow_converted_schema handle) const {
    duckdb_destroy_arrow_converted_schema(&handle);
  }
  void operator()(char* text) const { duckdb_free(text); }
};

template <typename Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, DuckDbDeleter>;

using DatabaseHandle = Owned<duckdb_database>;
using ConnectionHandle = Owned<duckdb_connection>;
using ConfigHandle = Owned<duckdb_config>;
using PreparedHandle = Owned<duckdb_prepared_statement>;
using PendingHandle = Owned<duckdb_pending_result>;
using TypeHandle = Owned<duckdb_logical_type>;
using ChunkHandle = Owned<duckdb_data_chunk>;
using ValueHandle = Owned<duckdb_value>;
using TableFunctionHandle = Owned<duckdb_table_function>;
using ErrorHandle = Owned<duckdb_error_data>;
using ArrowOptionsHandle = Owned<duckdb_arrow_options>;
using ArrowTypesHandle = Owned<duckdb_arrow_converted_schema>;
using TextHandle = Owned<char*>;

// A result that lives in place, as the C API wants it.
class ResultHandle {
 public:
  ResultHandle() = default;
  ResultHandle(const ResultHandle&) = delete;
  ResultHandle& operator=(const ResultHandle&) = delete;
  ~ResultHandle() { duckdb_destroy_result(&result_); }

  duckdb_result* get() { return &result_; }

 private:
  duckdb_result result_{};
};

}  // namespace strandline::engine
