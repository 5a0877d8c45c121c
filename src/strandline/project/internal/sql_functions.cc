#include "strandline/project/internal/sql_functions.h"

#include <algorithm>
#include <span>

namespace strandline::project::internal {
namespace {

// From duckdb_functions() where stability is not CONSISTENT, and the macros over them. `age` is
// here for its form with one argument, which reads today's date.
constexpr std::string_view kVolatile[] = {"age",
                                          "ago",
                                          "current_catalog",
                                          "current_connection_id",
                                          "current_database",
                                          "current_date",
                                          "current_localtime",
                                          "current_localtimestamp",
                                          "current_query",
                                          "current_query_id",
                                          "current_role",
                                          "current_schema",
                                          "current_schemas",
                                          "current_setting",
                                          "current_time",
                                          "current_timestamp",
                                          "current_transaction_id",
                                          "current_user",
                                          "currval",
                                          "gen_random_uuid",
                                          "get_current_time",
                                          "get_current_timestamp",
                                          "getenv",
                                          "getvariable",
                                          "in_search_path",
                                          "inet_client_addr",
                                          "inet_client_port",
                                          "inet_server_addr",
                                          "inet_server_port",
                                          "localtime",
                                          "localtimestamp",
                                          "nextval",
                                          "now",
                                          "pg_conf_load_time",
                                          "pg_my_temp_schema",
                                          "pg_postmaster_start_time",
                                          "pg_sleep",
                                          "random",
                                          "session_user",
                                          "setseed",
                                          "sleep_ms",
                                          "stats",
                                          "today",
                                          "transaction_timestamp",
                                          "txid_current",
                                          "user",
                                          "uuid",
                                          "uuidv4",
                                          "uuidv7",
                                          "version",
                                          "write_log"};

constexpr std::string_view kVolatileKeywords[] = {
    "current_catalog", "current_date",      "current_role", "current_schema",
    "current_time",    "current_timestamp", "current_user", "localtime",
    "localtimestamp",  "session_user",      "user"};

constexpr std::string_view kRowOrder[] = {"any_value",
                                          "arbitrary",
                                          "array_agg",
                                          "first",
                                          "group_concat",
                                          "json_group_array",
                                          "json_group_object",
                                          "json_group_structure",
                                          "last",
                                          "list",
                                          "listagg",
                                          "string_agg"};

// Of windows; without an ORDER BY the engine takes rows as they come.
constexpr std::string_view kRowOrderInWindow[] = {"fill", "first_value", "lag",   "last_value",
                                                  "lead", "nth_value",   "ntile", "row_number"};

constexpr std::string_view kTies[] = {"arg_max", "arg_max_null", "arg_max_nulls_last",
                                      "arg_min", "arg_min_null", "arg_min_nulls_last",
                                      "argmax",  "argmin",       "max_by",
                                      "min_by",  "mode"};

constexpr std::string_view kSums[] = {"avg", "mean", "sum", "sum_no_overflow"};

constexpr std::string_view kFloatingPoint[] = {
    "corr",         "covar_pop",  "covar_samp",     "entropy",    "favg",
    "fsum",         "geomean",    "geometric_mean", "kahan_sum",  "kurtosis",
    "kurtosis_pop", "product",    "regr_avgx",      "regr_avgy",  "regr_intercept",
    "regr_r2",      "regr_slope", "regr_sxx",       "regr_sxy",   "regr_syy",
    "sem",          "skewness",   "stddev",         "stddev_pop", "stddev_samp",
    "sumkahan",     "var_pop",    "var_samp",       "variance",   "wavg",
    "weighted_avg"};

// The aggregates that are in no list above.
constexpr std::string_view kOtherAggregates[] = {
    "bit_and",  "bit_or",     "bit_xor",  "bitstring_agg", "bool_and",        "bool_or",   "count",
    "count_if", "count_star", "countif",  "histogram",     "histogram_exact", "mad",       "max",
    "median",   "min",        "quantile", "quantile_cont", "quantile_disc",   "regr_count"};

constexpr std::string_view kPureTableFunctions[] = {"generate_series", "range", "unnest"};

bool IsIn(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool IsVolatile(std::string_view function) { return IsIn(kVolatile, function); }

bool IsVolatileKeyword(std::string_view name) { return IsIn(kVolatileKeywords, name); }

bool FollowsRowOrder(std::string_view function) {
  return IsIn(kRowOrder, function) || IsIn(kRowOrderInWindow, function);
}

bool BreaksTiesByRowOrder(std::string_view function) { return IsIn(kTies, function); }

bool IsApproximate(std::string_view function) {
  return function.starts_with("approx_") || function == "reservoir_quantile";
}

bool AddsUp(std::string_view function) { return IsIn(kSums, function); }

bool AddsUpInFloatingPoint(std::string_view function) { return IsIn(kFloatingPoint, function); }

bool IsAggregate(std::string_view function) {
  return IsIn(kOtherAggregates, function) || AddsUp(function) || AddsUpInFloatingPoint(function) ||
         FollowsRowOrder(function) || BreaksTiesByRowOrder(function) || IsApproximate(function);
}

bool IsPureTableFunction(std::string_view function) { return IsIn(kPureTableFunctions, function); }

}  // namespace strandline::project::internal
