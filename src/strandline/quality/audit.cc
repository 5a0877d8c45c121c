#include "strandline/quality/audit.h"

#include <algorithm>
#include <charconv>

#include <arrow/api.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "strandline/engine/scan_relation.h"
#include "strandline/quality/check_sql.h"
#include "strandline/quality/unique.h"
#include "strandline/table/read/scan_reader.h"

namespace strandline::quality {
namespace {

using project::Check;
using project::CheckKind;

// The rows cannot be read, or were not: that is no verdict about them.
bool IsOfReading(ErrorKind kind) {
  return kind == ErrorKind::kCancelled || kind == ErrorKind::kUnavailable ||
         kind == ErrorKind::kCorrupt || kind == ErrorKind::kNotFound ||
         kind == ErrorKind::kPermissionDenied;
}

class Auditor {
 public:
  Auditor(const AuditedRows& rows, const std::vector<std::string>& key_columns,
          engine::Engine& engine, const OpenOtherTable& open_other, const AuditOptions& options,
          io::FileIo& io, const std::stop_token& stop)
      : rows_(rows),
        key_columns_(key_columns),
        engine_(engine),
        open_other_(open_other),
        options_(options),
        io_(io),
        stop_(stop) {}

  Result<CheckResult> Evaluate(const Check& check) {
    CheckResult result;
    result.check = check;
    Status status = EvaluateInto(check, result);
    if (!status) {
      const Error& error = status.error();
      if (IsOfReading(error.kind)) {
        return error;
      }
      result.outcome = CheckOutcome::kError;
      result.detail = error.message;
    } else if (result.violating > 0) {
      result.outcome = CheckOutcome::kFailed;
    }
    return result;
  }

 private:
  Status EvaluateInto(const Check& check, CheckResult& result) {
    for (const std::string& column : check.columns) {
      if (FindColumn(CurrentSchema(*rows_.metadata), column) == nullptr) {
        return MakeError(ErrorKind::kInvalidArgument, "{} has no column {}", ToString(rows_.table),
                         column);
      }
    }
    switch (check.kind) {
      case CheckKind::kUnique:
        return EvaluateUnique(check, result);
      case CheckKind::kRowCount:
        return EvaluateRowCount(check, result);
      case CheckKind::kNotNull:
        if (const std::optional<std::int64_t> rows = RowsProvenNotNull(check)) {
          result.checked = *rows;
          return {};
        }
        return EvaluateSql(check, result);
      default:
        return EvaluateSql(check, result);
    }
  }

  // Rows of all files if their metrics prove that none of the columns is null in any of them;
  // absent otherwise, and where deletes leave it to the reader how many rows there are.
  std::optional<std::int64_t> RowsProvenNotNull(const Check& check) const {
    std::int64_t rows = 0;
    for (const table::ScanTask& task : rows_.tasks) {
      if (!task.deletes.empty()) {
        return std::nullopt;
      }
      for (const std::string& column : check.columns) {
        const table::FieldId id = FindColumn(CurrentSchema(*rows_.metadata), column)->id;
        const std::int64_t* nulls = FindCount(task.file.null_value_counts, id);
        const std::int64_t* values = FindCount(task.file.value_counts, id);
        if (nulls == nullptr || *nulls != 0 || values == nullptr ||
            *values != task.file.record_count) {
          return std::nullopt;
        }
      }
      rows += task.file.record_count;
    }
    return rows;
  }

  Status EvaluateUnique(const Check& check, CheckResult& result) {
    table::ScanReadOptions read;
    read.columns = check.columns;
    const std::unique_ptr<format::BatchSource> source =
        SL_TRY(OpenScan(io_, *rows_.metadata, CurrentSchema(*rows_.metadata), rows_.tasks, read));
    UniqueOptions options;
    options.threads = options_.threads;
    options.memory_limit_bytes = options_.memory_limit_bytes;
    for (const table::ScanTask& task : rows_.tasks) {
      options.rows_expected += task.file.record_count;
    }
    UniqueResult unique = SL_TRY(CountRepeatedKeys(*source, options, stop_));
    result.checked = unique.rows;
    result.violating = unique.extra_rows;
    result.samples = std::move(unique.samples);
    if (unique.repeated_keys > 0) {
      result.detail = fmt::format("{} keys occur more than once", unique.repeated_keys);
    }
    return {};
  }

  Status EvaluateRowCount(const Check& check, CheckResult& result) {
    table::ScanReadOptions read;
    const std::unique_ptr<format::BatchSource> source =
        SL_TRY(OpenScan(io_, *rows_.metadata, CurrentSchema(*rows_.metadata), rows_.tasks, read));
    for (std::size_t part = 0; part < source->part_count(); ++part) {
      const std::unique_ptr<format::BatchStream> stream = SL_TRY(source->OpenPart(part));
      while (const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next())) {
        result.checked += batch->num_rows();
      }
    }
    const bool too_few = check.min && result.checked < *check.min;
    const bool too_many = check.max && result.checked > *check.max;
    if (too_few || too_many) {
      result.violating = 1;
      result.detail = fmt::format("{} rows, expected {}{}{}", result.checked,
                                  check.min ? fmt::format("at least {}", *check.min) : "",
                                  check.min && check.max ? " and " : "",
                                  check.max ? fmt::format("at most {}", *check.max) : "");
    }
    return {};
  }

  Result<engine::Statement> StatementOf(const Check& check, std::string sql) const {
    engine::Statement statement;
    statement.sql = std::move(sql);
    engine::NamedRelation self;
    self.path = rows_.table.levels;
    self.path.push_back(rows_.table.table);
    self.relation = engine::MakeScanRelation(
        rows_.metadata,
        {.tasks = rows_.tasks, .cut = std::nullopt, .cache = nullptr, .prune = true}, io_);
    statement.relations.push_back(std::move(self));
    if (check.with) {
      if (!rows_.window) {
        return MakeError(ErrorKind::kInvalidArgument,
                         "reconcile needs a window: use it on a model");
      }
      engine::NamedRelation other;
      other.path = check.with->levels;
      other.path.push_back(check.with->table);
      other.relation = SL_TRY(open_other_(*check.with, *rows_.window));
      statement.relations.push_back(std::move(other));
    }
    return statement;
  }

  Status EvaluateSql(const Check& check, CheckResult& result) {
    const CheckSql sql =
        SL_TRY(SqlOf(check, rows_.table, CurrentSchema(*rows_.metadata), key_columns_));
    const engine::Statement counts = SL_TRY(StatementOf(check, sql.counts));
    const std::unique_ptr<engine::Answer> answer = SL_TRY(engine_.Execute(counts, stop_));
    const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(answer->Next());
    SL_CHECK(batch != nullptr && batch->num_columns() == 2);
    result.checked = static_cast<const arrow::Int64Array&>(*batch->column(0)).Value(0);
    result.violating = static_cast<const arrow::Int64Array&>(*batch->column(1)).Value(0);
    if (result.violating > 0 && !sql.samples.empty()) {
      const engine::Statement samples = SL_TRY(StatementOf(check, sql.samples));
      result.samples = SL_TRY(FirstColumn(samples));
    }
    return {};
  }

  Result<std::vector<std::string>> FirstColumn(const engine::Statement& statement) {
    std::vector<std::string> values;
    const std::unique_ptr<engine::Answer> answer = SL_TRY(engine_.Execute(statement, stop_));
    while (const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(answer->Next())) {
      for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
        const auto scalar = batch->column(0)->GetScalar(row);
        values.push_back(scalar.ok() ? (*scalar)->ToString() : "?");
      }
    }
    return values;
  }

  const AuditedRows& rows_;
  const std::vector<std::string>& key_columns_;
  engine::Engine& engine_;
  const OpenOtherTable& open_other_;
  const AuditOptions& options_;
  io::FileIo& io_;
  const std::stop_token& stop_;
};

}  // namespace

std::string_view ToString(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::kPassed:
      return "passed";
    case CheckOutcome::kFailed:
      return "failed";
    case CheckOutcome::kError:
      return "error";
  }
  return "error";
}

bool AuditReport::blocked() const {
  return std::ranges::any_of(results, [](const CheckResult& result) {
    return result.outcome != CheckOutcome::kPassed &&
           result.check.severity == project::Severity::kBlock;
  });
}

Result<AuditReport> Audit(const AuditedRows& rows, const std::vector<project::Check>& checks,
                          const std::vector<std::string>& key_columns, engine::Engine& engine,
                          const OpenOtherTable& open_other, const AuditOptions& options,
                          io::FileIo& io, const std::stop_token& stop) {
  AuditReport report;
  Auditor auditor(rows, key_columns, engine, open_other, options, io, stop);
  for (const Check& check : checks) {
    report.results.push_back(
        SL_TRY(auditor.Evaluate(check), "check {} of {}", check.id, ToString(rows.table)));
  }
  return report;
}

std::string ChecksJson(const AuditReport& report) {
  nlohmann::json list = nlohmann::json::array();
  for (const CheckResult& result : report.results) {
    list.push_back({{"id", result.check.id},
                    {"severity", ToString(result.check.severity)},
                    {"owner", result.check.owner},
                    {"result", ToString(result.outcome)},
                    {"checked", result.checked},
                    {"violating", result.violating}});
  }
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string ToString(const CheckResult& result) {
  const std::string who =
      fmt::format("{} ({}{})", result.check.id, ToString(result.check.severity),
                  result.check.owner.empty() ? "" : ", owner " + result.check.owner);
  switch (result.outcome) {
    case CheckOutcome::kPassed:
      return fmt::format("{}: passed on {} rows", who, result.checked);
    case CheckOutcome::kError:
      return fmt::format("{}: could not be evaluated: {}", who, result.detail);
    case CheckOutcome::kFailed:
      break;
  }
  std::string text;
  if (result.check.kind == CheckKind::kRowCount) {
    return fmt::format("{}: {}", who, result.detail);
  }
  text = fmt::format("{}: {} of {} {} violate it", who, result.violating, result.checked,
                     result.check.kind == CheckKind::kReconcile ? "groups" : "rows");
  if (!result.detail.empty()) {
    text += fmt::format(" ({})", result.detail);
  }
  if (!result.samples.empty()) {
    text += fmt::format(", for example {}", fmt::join(result.samples, "; "));
  }
  return text;
}

}  // namespace strandline::quality
