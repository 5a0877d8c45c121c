#include "strandline/pipeline/ingest/internal/partition_writers.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "strandline/base/check.h"
#include "strandline/base/parallel.h"
#include "strandline/format/batch/arrow_status.h"
#include "strandline/table/arrow/arrow_schema.h"

namespace strandline::pipeline::ingest {
namespace {

using format::FromArrow;

constexpr std::string_view kRowGroupRows = "write.parquet.row-group-limit";

// Below so many rows in all, one file a partition is better than one a thread.
constexpr std::int64_t kRowsWorthAFileEach = 100'000;

// Landed bytes are compressed; in memory a row takes about so much more.
constexpr std::int64_t kExpansion = 5;
constexpr std::int64_t kRowBytesMin = 64;

bool HoldsLargePart(std::int64_t rows, std::int64_t all_rows) {
  return rows >= kRowsWorthAFileEach && rows >= all_rows / 4;
}

std::int64_t LandedBytes(const LandingUnit& unit) {
  return std::accumulate(
      unit.files.begin(), unit.files.end(), std::int64_t{0},
      [](std::int64_t sum, const LandedFile& file) { return sum + file.size_bytes; });
}

std::optional<std::int64_t> MarkOf(const RowMarks& marks, std::string_view column) {
  if (column == kUnitColumn) {
    return marks.unit_seconds;
  }
  if (column == kStampColumn) {
    return marks.stamp;
  }
  if (column == kSeqColumn) {
    return marks.seq;
  }
  return marks.logic;
}

}  // namespace

Result<std::unique_ptr<PartitionWriters>> PartitionWriters::Make(
    const UnitContext& context, const std::vector<std::int64_t>& rows_by_partition,
    std::string file_stem, const RowMarks& marks) {
  const table::TableMetadata& metadata = *context.tables.table;
  const std::int64_t file_bytes_target =
      SL_TRY(TargetFileBytes(metadata), "table {}", metadata.location);
  const format::ParquetWriteOptions options =
      SL_TRY(WriteOptionsOf(metadata), "table {}", metadata.location);
  const FileSizes sizes{.file_bytes_target = file_bytes_target,
                        .row_group_rows = options.row_group_rows};
  return std::unique_ptr<PartitionWriters>(
      new PartitionWriters(context, rows_by_partition, std::move(file_stem), marks, sizes));
}

PartitionWriters::PartitionWriters(const UnitContext& context,
                                   const std::vector<std::int64_t>& rows_by_partition,
                                   std::string file_stem, const RowMarks& marks,
                                   const FileSizes& sizes)
    : context_(context),
      file_stem_(std::move(file_stem)),
      marks_(marks),
      schema_(table::ArrowSchema(CurrentSchema(*context.tables.table))),
      file_bytes_target_(sizes.file_bytes_target),
      buffered_bytes_max_(context.memory_share(3)),
      metadata_(*context.tables.table) {
  const std::int64_t all_rows =
      std::accumulate(rows_by_partition.begin(), rows_by_partition.end(), std::int64_t{0});
  for (const std::int64_t rows : rows_by_partition) {
    is_shared_.push_back(!HoldsLargePart(rows, all_rows));
  }

  // What the row groups of all threads hold at a time must fit into a part of the memory.
  const std::int64_t row_bytes = std::max(
      kRowBytesMin, LandedBytes(context.unit) * kExpansion / std::max<std::int64_t>(all_rows, 1));
  constexpr std::int64_t kRowGroupRowsMin = 1 << 13;
  const std::int64_t rows_that_fit =
      std::max(kRowGroupRowsMin, context.memory_share(3) / context.options.threads / row_bytes);
  row_group_rows_ = std::min(sizes.row_group_rows, rows_that_fit);
  metadata_.properties[std::string(kRowGroupRows)] = fmt::format("{}", row_group_rows_);
}

PartitionWriters::~PartitionWriters() = default;

PartitionWriters::Slot& PartitionWriters::SlotOf(std::size_t worker, PartitionNumber partition) {
  const bool shared = partition >= is_shared_.size() || is_shared_[partition];
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[{partition, shared ? 0 : worker}];
  slot.partition = partition;
  return slot;
}

Status PartitionWriters::Write(std::size_t worker, PartitionNumber partition,
                               const arrow::RecordBatch& rows) {
  const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(TableRows(rows));
  {
    Slot& slot = SlotOf(worker, partition);
    const std::lock_guard lock(slot.mutex);
    if (slot.writer == nullptr) {
      SL_TRY(Begin(slot));
    }
    SL_TRY(slot.writer->Write(*batch));
    const std::int64_t written = slot.writer->rows();
    slot.buffered_bytes = slot.writer->estimated_bytes() / written * (written % row_group_rows_);
    if (slot.writer->estimated_bytes() >= file_bytes_target_) {
      SL_TRY(Close(slot));
    }
  }
  return CloseFullestIfTooMuch();
}

Status PartitionWriters::Begin(Slot& slot) {
  const table::PartitionTuple& tuple = context_.numbers.TupleOf(slot.partition);
  const table::PartitionSpec& spec = DefaultSpec(metadata_);
  std::string location;
  {
    const std::lock_guard lock(mutex_);
    location = NewDataFileLocation(
        metadata_, spec, tuple, fmt::format("{}-{:05}.parquet", file_stem_, written_files_.size()));
    written_files_.push_back(location);
  }
  slot.writer = SL_TRY(table::MakeDataFileWriter(context_.io, metadata_, CurrentSchema(metadata_),
                                                 spec, tuple, std::move(location)));
  return {};
}

Status PartitionWriters::Close(Slot& slot) {
  table::DataFile file = SL_TRY(slot.writer->Close());
  slot.files.push_back({.spec_id = metadata_.default_spec_id, .file = std::move(file)});
  slot.writer = nullptr;
  slot.buffered_bytes = 0;
  return {};
}

Status PartitionWriters::CloseFullestIfTooMuch() {
  Slot* fullest = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::int64_t buffered_bytes = 0;
    std::int64_t most = 0;
    for (auto& [place, slot] : slots_) {
      // A slot that is being written to is looked at the next time.
      const std::unique_lock slot_lock(slot.mutex, std::try_to_lock);
      if (!slot_lock) {
        continue;
      }
      buffered_bytes += slot.buffered_bytes;
      if (slot.buffered_bytes > most) {
        most = slot.buffered_bytes;
        fullest = &slot;
      }
    }
    if (buffered_bytes <= buffered_bytes_max_) {
      return {};
    }
  }
  const std::lock_guard lock(fullest->mutex);
  return fullest->writer == nullptr ? Status() : Close(*fullest);
}

Result<std::shared_ptr<arrow::RecordBatch>> PartitionWriters::TableRows(
    const arrow::RecordBatch& rows) const {
  arrow::ArrayVector columns;
  int next = 0;
  for (const auto& field : schema_->fields()) {
    if (!IsBookkeepingColumn(field->name())) {
      columns.push_back(rows.column(next++));
      continue;
    }
    const std::optional<std::int64_t> mark = MarkOf(marks_, field->name());
    columns.push_back(SL_TRY(
        FromArrow(mark ? arrow::MakeArrayFromScalar(arrow::Int64Scalar(*mark), rows.num_rows())
                       : arrow::MakeArrayOfNull(arrow::int64(), rows.num_rows()))));
  }
  SL_CHECK(next == rows.num_columns());
  return arrow::RecordBatch::Make(schema_, rows.num_rows(), std::move(columns));
}

Result<std::vector<table::NewFile>> PartitionWriters::Finish() {
  std::vector<Slot*> open;
  for (auto& [place, slot] : slots_) {
    if (slot.writer != nullptr) {
      open.push_back(&slot);
    }
  }
  SL_TRY(ParallelFor(open.size(), context_.threads(),
                     [&](std::size_t i) -> Status { return Close(*open[i]); }));
  std::vector<table::NewFile> files;
  for (auto& [place, slot] : slots_) {
    std::ranges::move(slot.files, std::back_inserter(files));
  }
  return files;
}

std::vector<std::string> PartitionWriters::written_files() const {
  const std::lock_guard lock(mutex_);
  return written_files_;
}

}  // namespace strandline::pipeline::ingest
