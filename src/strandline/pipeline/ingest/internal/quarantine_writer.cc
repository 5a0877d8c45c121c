#include "strandline/pipeline/ingest/internal/quarantine_writer.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <arrow/api.h>
#include <fmt/format.h>

#include "strandline/format/batch/arrow_status.h"
#include "strandline/table/arrow/arrow_schema.h"

namespace strandline::pipeline::ingest {
namespace {

using format::FromArrow;

constexpr std::size_t kRowsPending = 4096;
constexpr std::size_t kExamplesMax = 3;
constexpr std::string_view kNullKey = "null key";

using PendingRow = std::pair<std::string, format::RowProblem>;

std::string ReasonText(const format::RowProblem& problem) {
  return problem.detail.empty() ? problem.reason
                                : fmt::format("{}: {}", problem.reason, problem.detail);
}

Result<std::shared_ptr<arrow::Array>> TextColumn(
    const std::vector<PendingRow>& rows,
    const std::function<std::optional<std::string>(const PendingRow&)>& text_of) {
  arrow::StringBuilder builder;
  for (const PendingRow& row : rows) {
    const std::optional<std::string> text = text_of(row);
    SL_TRY(FromArrow(text ? builder.Append(*text) : builder.AppendNull()));
  }
  return FromArrow(builder.Finish());
}

Result<std::shared_ptr<arrow::Array>> NumberColumn(
    const std::vector<PendingRow>& rows,
    const std::function<std::int64_t(const PendingRow&)>& number_of) {
  arrow::Int64Builder builder;
  for (const PendingRow& row : rows) {
    SL_TRY(FromArrow(builder.Append(number_of(row))));
  }
  return FromArrow(builder.Finish());
}

// One column of the quarantine table, by its name.
Result<std::shared_ptr<arrow::Array>> Column(const std::string& name,
                                             const std::vector<PendingRow>& rows,
                                             const std::string& source, const RowMarks& marks) {
  const auto text = [](std::string value) { return std::optional(std::move(value)); };
  if (name == "source") {
    return TextColumn(rows, [&](const PendingRow&) { return text(source); });
  }
  if (name == "file") {
    return TextColumn(rows, [&](const PendingRow& row) { return text(row.first); });
  }
  if (name == "position") {
    return NumberColumn(rows, [](const PendingRow& row) { return row.second.position; });
  }
  if (name == "reason") {
    return TextColumn(rows, [&](const PendingRow& row) { return text(ReasonText(row.second)); });
  }
  if (name == "column") {
    return TextColumn(rows, [&](const PendingRow& row) {
      return row.second.column.empty() ? std::nullopt : text(row.second.column);
    });
  }
  if (name == "raw") {
    return TextColumn(rows, [&](const PendingRow& row) { return text(row.second.raw); });
  }
  if (name == kUnitColumn) {
    return NumberColumn(rows, [&](const PendingRow&) { return marks.unit_seconds; });
  }
  if (name == kStampColumn) {
    return NumberColumn(rows, [&](const PendingRow&) { return marks.stamp; });
  }
  if (name == kSeqColumn) {
    return NumberColumn(rows, [&](const PendingRow&) { return marks.seq; });
  }
  return MakeError(ErrorKind::kUnsupported,
                   "the quarantine table of source {} has a column that is not ours: {}", source,
                   name);
}

}  // namespace

QuarantineWriter::QuarantineWriter(const UnitContext& context, std::string file_stem,
                                   const RowMarks& marks)
    : context_(context),
      file_stem_(std::move(file_stem)),
      marks_(marks),
      schema_(table::ArrowSchema(CurrentSchema(*context.tables.quarantine))) {}

QuarantineWriter::~QuarantineWriter() = default;

Status QuarantineWriter::Add(const LandedFile& file, format::RowProblem problem) {
  const std::vector<std::string>& key = context_.unit.source->key;
  if (problem.reason == format::kNullInRequired &&
      std::ranges::find(key, problem.column) != key.end()) {
    problem.reason = kNullKey;
  }
  const std::lock_guard lock(mutex_);
  ++rows_by_reason_[problem.reason];
  const std::pair place(file.name, problem.position);
  if (examples_.size() < kExamplesMax || place < examples_.rbegin()->first) {
    examples_[place] =
        fmt::format("{}:{}: {}{}{}", file.name, problem.position, ReasonText(problem),
                    problem.column.empty() ? "" : " in ", problem.column);
    if (examples_.size() > kExamplesMax) {
      examples_.erase(std::prev(examples_.end()));
    }
  }
  pending_.emplace_back(file.name, std::move(problem));
  return pending_.size() < kRowsPending ? Status() : Flush();
}

Status QuarantineWriter::Flush() {
  const table::TableMetadata& metadata = *context_.tables.quarantine;
  if (writer_ == nullptr) {
    const table::PartitionSpec& spec = DefaultSpec(metadata);
    if (!spec.fields.empty()) {
      return MakeError(ErrorKind::kUnsupported,
                       "the quarantine table of source {} is partitioned, which ours are not",
                       context_.unit.source->name);
    }
    std::string location =
        NewDataFileLocation(metadata, spec, {}, fmt::format("{}-00000.parquet", file_stem_));
    written_files_.push_back(location);
    writer_ = SL_TRY(table::MakeDataFileWriter(context_.io, metadata, CurrentSchema(metadata), spec,
                                               {}, std::move(location)));
  }
  arrow::ArrayVector columns;
  for (const auto& field : schema_->fields()) {
    columns.push_back(SL_TRY(Column(field->name(), pending_, context_.unit.source->name, marks_)));
  }
  const auto batch = arrow::RecordBatch::Make(schema_, static_cast<std::int64_t>(pending_.size()),
                                              std::move(columns));
  pending_.clear();
  return writer_->Write(*batch);
}

Result<std::vector<table::NewFile>> QuarantineWriter::Finish() {
  std::vector<table::NewFile> files;
  if (!pending_.empty()) {
    SL_TRY(Flush());
  }
  if (writer_ != nullptr) {
    table::DataFile file = SL_TRY(writer_->Close());
    files.push_back(
        {.spec_id = DefaultSpec(*context_.tables.quarantine).id, .file = std::move(file)});
  }
  return files;
}

std::int64_t QuarantineWriter::rows() const {
  const std::lock_guard lock(mutex_);
  std::int64_t rows = 0;
  for (const auto& [reason, count] : rows_by_reason_) {
    rows += count;
  }
  return rows;
}

std::vector<std::pair<std::string, std::int64_t>> QuarantineWriter::reasons() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, std::int64_t>> reasons(rows_by_reason_.begin(),
                                                            rows_by_reason_.end());
  std::ranges::stable_sort(reasons, std::ranges::greater(),
                           &std::pair<std::string, std::int64_t>::second);
  return reasons;
}

std::vector<std::string> QuarantineWriter::examples() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> examples;
  for (const auto& [place, text] : examples_) {
    examples.push_back(text);
  }
  return examples;
}

}  // namespace strandline::pipeline::ingest
