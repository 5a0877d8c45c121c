#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/clock.h"
#include "strandline/base/interval.h"
#include "strandline/base/result.h"
#include "strandline/catalog/table_name.h"
#include "strandline/engine/sql_analysis.h"
#include "strandline/table/partition/transform.h"
#include "strandline/table/schema/type.h"

namespace strandline::project {

// A place in a user's file, 1-based; `file` relative to the project folder.
struct FilePosition {
  std::string file;
  int line = 1;
  int column = 1;
  friend auto operator<=>(const FilePosition&, const FilePosition&) = default;
};

enum class ProblemSeverity { kError, kWarning };

// `file:line:column: what, why, what to do`.
struct Problem {
  FilePosition at;
  ProblemSeverity severity = ProblemSeverity::kError;
  std::string message;
};
std::string ToString(const Problem& problem);

enum class Severity { kBlock, kWarn, kInfo };
std::string_view ToString(Severity severity);

enum class CheckKind { kNotNull, kUnique, kAcceptedValues, kRowCount, kExpression, kReconcile };
std::string_view ToString(CheckKind kind);

// One data check, as declared.
struct Check {
  CheckKind kind = CheckKind::kNotNull;
  std::vector<std::string> columns;        // not_null, unique; accepted_values: one.
  std::vector<std::string> values;         // accepted_values, as text.
  std::optional<std::int64_t> min, max;    // row_count.
  std::string expression;                  // expression: per row, null passes.
  std::optional<catalog::TableName> with;  // reconcile.
  std::string theirs, ours;                // reconcile: aggregates.
  std::vector<std::string> by;             // reconcile: group by.
  double tolerance = 0;                    // reconcile: relative.
  Severity severity = Severity::kBlock;
  std::string owner;
  std::string id;  // Default: `not_null:campaign_id`; unique in its table.
  FilePosition at;
};

enum class Unit { kHour, kDay };  // Length of a landing unit or window.
std::chrono::microseconds LengthOf(Unit unit);
std::string_view ToString(Unit unit);
// The start of the window that holds `time`.
Timestamp WindowStart(Unit unit, Timestamp time);

// `hour(event_time)`, `country`, `bucket(16, user_id)`.
struct PartitionBy {
  table::Transform transform;
  std::string column;
  FilePosition at;
};

struct SourceColumn {
  std::string name;
  std::optional<table::Type> type;  // Absent: as landed.
  bool required = false;
  FilePosition at;
};

enum class LandingFormat { kParquet, kJsonLines };
enum class AbsentPolicy { kWait, kEmptyAfter, kErrorAfter };
enum class OnChange { kMerge };
enum class BeyondLateness { kQuarantine, kAccept };

// What lands, where, when it is complete, and the table it goes into.
struct Source {
  std::string name;
  catalog::TableName table;
  std::string path;  // Template, absolute location: `.../{unit:%Y-%m-%d-%H}/*.parquet`.
  LandingFormat format = LandingFormat::kParquet;
  Unit unit = Unit::kHour;
  Timestamp start;
  std::optional<std::string> complete_marker;               // `_SUCCESS`
  std::optional<std::chrono::microseconds> complete_grace;  // After the unit's end.
  std::chrono::microseconds arrives_within{0};
  AbsentPolicy absent = AbsentPolicy::kWait;
  std::chrono::microseconds absent_after{0};
  OnChange on_change = OnChange::kMerge;
  std::string time;  // Event-time column.
  std::vector<PartitionBy> partition;
  std::vector<std::string> key;
  std::optional<std::string> keep_max_of;  // deduplicate.keep: max(column); absent: first.
  std::chrono::microseconds lateness{std::chrono::hours(72)};
  BeyondLateness beyond_lateness = BeyondLateness::kQuarantine;
  double quarantine_max_share = 1.0;  // 1% is 0.01. Default: no limit.
  std::int64_t max_line_bytes = 16 << 20;
  std::vector<SourceColumn> columns;  // As declared; parquet files may have more.
  std::vector<Check> checks;
  std::string owner;
  int tier = 2;
  FilePosition at;
};

// How an input without a window of its own, or wider than it, is read.
enum class AsOf { kNone, kLatest, kRestate };
struct ModelInput {
  catalog::TableName table;
  std::chrono::microseconds read_lookback{0};
  std::chrono::microseconds watch_lookback{0};
  AsOf as_of = AsOf::kNone;         // kNone: by its time partition, at the model's window.
  std::optional<std::string> time;  // Overrides the event-time column.
  FilePosition at;
};

enum class OnSchemaChange { kAdd, kFail };

// One SELECT with its settings.
struct Model {
  std::string name;  // The file's stem.
  catalog::TableName table;
  Unit window = Unit::kHour;
  std::optional<std::string> time;             // Output column with the window's start.
  std::vector<PartitionBy> partition;          // Empty: <window>(time).
  std::vector<ModelInput> inputs;              // One per table the SELECT names, by name.
  std::map<std::string, table::Type> columns;  // Casts of the output.
  std::vector<Check> checks;
  OnSchemaChange on_schema_change = OnSchemaChange::kAdd;
  bool deterministic = true;
  std::string revision;
  std::string owner;
  int tier = 2;
  std::string sql;         // Without the settings block.
  int sql_first_line = 1;  // Of the file, for messages.
  engine::SqlAnalysis analysis;
  FilePosition at;
};

struct CatalogConfig {
  std::string name;
  std::string database_path;  // Absolute.
  std::string warehouse;      // Absolute location.
  FilePosition at;
};

struct EngineConfig {
  int threads = 2;
  std::int64_t memory_limit_bytes = std::int64_t{2} << 30;
  std::string temp_directory;  // Absolute.
};

// All that the user declared, typed and cross-checked.
struct Project {
  std::string name;
  std::string directory;  // Absolute.
  std::vector<CatalogConfig> catalogs;
  std::string default_catalog;
  EngineConfig engine;
  std::vector<Source> sources;  // By name.
  std::vector<Model> models;    // Every model after the models it reads; else by name.
};

const Source* FindSource(const Project& project, const catalog::TableName& table);
const Model* FindModel(const Project& project, const catalog::TableName& table);

struct LoadedProject {
  Project project;                // Only to be used when no problem is an error.
  std::vector<Problem> problems;  // In file order, by position.
};
bool HasErrors(const LoadedProject& loaded);

// Reads every file of the project in `directory` and checks all of it; a problem in one file costs
// only that file's meaning. Environment variables are replaced in strandline.yml by `environment`.
// Fails with kNotFound when there is no strandline.yml, and with what the engine says when its SQL
// parser cannot be started.
Result<LoadedProject> LoadProject(const std::string& directory,
                                  const std::map<std::string, std::string>& environment);

// `512MiB`, `2GiB`, `300MB`, `4096`: bytes. kInvalidArgument for anything else, also for zero.
Result<std::int64_t> ParseByteSize(std::string_view text);

// The folder with strandline.yml: `directory` or the nearest parent that has one. kNotFound.
Result<std::string> FindProjectDirectory(const std::string& directory);

// The template with one unit filled in: `/landing/x/2026-11-30-05/*.parquet` from
// `/landing/x/{unit:%Y-%m-%d-%H}/*.parquet`. Only for templates that LoadProject accepted
// (checked).
std::string UnitPath(std::string_view path_template, Timestamp unit);
// The folder name's unit, read back through the same format; absent when it is not one.
std::optional<Timestamp> UnitOfFolder(std::string_view path_template, std::string_view folder_name);

}  // namespace strandline::project
