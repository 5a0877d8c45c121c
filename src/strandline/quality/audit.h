#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "strandline/base/interval.h"
#include "strandline/base/result.h"
#include "strandline/engine/engine.h"
#include "strandline/io/file_io.h"
#include "strandline/project/project.h"
#include "strandline/table/scan/scan.h"

namespace strandline::quality {

// The rows a prepared change leaves behind, as its readers would see them: exactly what the audit
// reads (STATE.md rule 26).
struct AuditedRows {
  catalog::TableName table;
  std::shared_ptr<const table::TableMetadata> metadata;  // With the schema the change brings.
  // Files that hold the rows in question: new ones, and for a landed table also the live ones of
  // the partitions touched; deletes of the change included.
  std::vector<table::ScanTask> tasks;
  // A derived window's own time, for `reconcile`; absent for landed tables.
  std::optional<Interval> window;
};

// How `reconcile` reads the other side: its rows over the same window and cut.
using OpenOtherTable = std::function<Result<std::shared_ptr<engine::Relation>>(
    const catalog::TableName& table, const Interval& window)>;

enum class CheckOutcome {
  kPassed,
  kFailed,
  kError,  // The check itself could not be evaluated (a column that is not there, types that do not
           // compare).
};
std::string_view ToString(CheckOutcome outcome);

struct CheckResult {
  project::Check check;
  CheckOutcome outcome = CheckOutcome::kPassed;
  std::int64_t checked = 0;  // Rows (reconcile: groups, one without `by`) looked at.
  std::int64_t violating =
      0;  // Rows (unique: rows beyond the first of their key; reconcile: groups).
  std::vector<std::string> samples;  // At most five keys or values of violating rows, as text.
  std::string detail;                // For people: numbers compared, or the error.
};

// What the audit found. A failed audit is a value, not an error.
struct AuditReport {
  std::vector<CheckResult>
      results;  // In the order declared; one impossible check does not hide the others.

  // A blocking check failed or could not be evaluated.
  bool blocked() const;
};

struct AuditOptions {
  int threads = 2;
  std::int64_t memory_limit_bytes = std::int64_t{1} << 30;
  std::string temp_directory;
};

// Runs the checks over the rows. `not_null` is answered from column metrics where they prove it;
// `unique` reads the key columns alone, hashes them and compares equal ones byte by byte,
// independently of any deduplication; the others run as SQL on `engine`, as check_sql.h says. On no
// rows: row_count counts 0; reconcile compares 0, or the null of `sum(x)`, with the other side; all
// others pass with `checked` 0. `key_columns` are shown as samples of violating rows.
// Fails only when rows cannot be read at all.
Result<AuditReport> Audit(const AuditedRows& rows, const std::vector<project::Check>& checks,
                          const std::vector<std::string>& key_columns, engine::Engine& engine,
                          const OpenOtherTable& open_other, const AuditOptions& options,
                          io::FileIo& io, const std::stop_token& stop);

// The `strandline.checks` entry of a summary:
// `[{"id":…,"severity":…,"owner":…,"result":…,"checked":…,"violating":…}]`.
std::string ChecksJson(const AuditReport& report);

// One line for people: `unique:impression_id (block, owner ads-data): 3 of 120 rows violate it, for
// example 7f…, 81…`.
std::string ToString(const CheckResult& result);

}  // namespace strandline::quality
