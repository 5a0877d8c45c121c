#include "strandline/pipeline/write/partitioned_writer.h"

#include <algorithm>
#include <iterator>

#include <arrow/api.h>
#include <arrow/util/byte_size.h>
#include <fmt/format.h>

#include "strandline/base/parallel.h"
#include "strandline/format/batch/arrow_status.h"

namespace strandline::pipeline {
namespace {

using format::FromArrow;

constexpr std::string_view kRowGroupRows = "write.parquet.row-group-limit";

// So many small batches that wait are made one, and each costs more than its values.
constexpr std::size_t kWaitingBatchesMax = 64;
constexpr std::int64_t kBatchOverheadBytes = 512;

std::int64_t BytesOf(const arrow::RecordBatch& rows) {
  return kBatchOverheadBytes * (1 + rows.num_columns()) + arrow::util::TotalBufferSize(rows);
}

}  // namespace

struct PartitionedWriter::Slot {
  explicit Slot(table::PartitionTuple tuple) : partition(std::move(tuple)) {}

  const table::PartitionTuple partition;
  std::mutex mutex;
  std::unique_ptr<table::DataFileWriter> writer;             // Absent: rows wait.
  bool is_counted = false;                                   // Its writer, among the open files.
  std::vector<std::shared_ptr<arrow::RecordBatch>> waiting;  // Only without a writer.
  std::int64_t buffered_bytes =
      0;  // Of the open row group, as the writer estimates it, or waiting.
  std::vector<table::NewFile> files;
};

bool PartitionedWriter::PlaceLess::operator()(const Place& a, const Place& b) const {
  const table::PartitionTupleLess less;
  if (less(a.first, b.first)) {
    return true;
  }
  return !less(b.first, a.first) && a.second < b.second;
}

PartitionedWriter::PartitionedWriter(const table::TableMetadata& metadata,
                                     PartitionedWriterOptions options, io::FileIo& io)
    : metadata_(metadata),
      options_(std::move(options)),
      io_(io),
      row_group_rows_(
          IntPropertyOr(metadata, kRowGroupRows, format::ParquetWriteOptions().row_group_rows)) {}

PartitionedWriter::~PartitionedWriter() = default;

PartitionedWriter::Slot& PartitionedWriter::SlotOf(const table::PartitionTuple& partition,
                                                   std::size_t lane) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Slot>& slot = slots_[{partition, lane}];
  if (slot == nullptr) {
    slot = std::make_unique<Slot>(partition);
  }
  return *slot;
}

// Whether one more file may be open; counts it if so.
bool PartitionedWriter::MayOpen() {
  const std::lock_guard lock(mutex_);
  if (open_files_ >= options_.open_files_max) {
    return false;
  }
  ++open_files_;
  return true;
}

Status PartitionedWriter::Write(const table::PartitionTuple& partition, std::size_t lane,
                                std::shared_ptr<arrow::RecordBatch> rows) {
  Slot& slot = SlotOf(partition, lane);
  {
    const std::lock_guard lock(slot.mutex);
    if (slot.writer == nullptr && MayOpen()) {
      slot.is_counted = true;
      SL_TRY(Open(slot));
    }
    SL_TRY(slot.writer == nullptr ? KeepWaiting(slot, std::move(rows)) : Append(slot, *rows));
  }
  return RelieveMemory();
}

Status PartitionedWriter::Append(Slot& slot, const arrow::RecordBatch& rows) {
  SL_TRY(slot.writer->Write(rows));
  const std::int64_t written = slot.writer->rows();
  const std::int64_t bytes = slot.writer->estimated_bytes();
  if (bytes >= SL_TRY(table::TargetFileBytes(metadata_))) {
    return Close(slot);
  }
  if (written > 0) {
    SetBufferedBytes(slot, bytes / written * (written % row_group_rows_));
  }
  return {};
}

// Begins a file with the rows that have been waiting.
Status PartitionedWriter::Open(Slot& slot) {
  const table::PartitionSpec& spec = DefaultSpec(metadata_);
  std::string location;
  {
    const std::lock_guard lock(mutex_);
    location = NewDataFileLocation(
        metadata_, spec, slot.partition,
        fmt::format("{}-{:05}.parquet", options_.file_stem, written_files_.size()));
    written_files_.push_back(location);
  }
  slot.writer = SL_TRY(table::MakeDataFileWriter(io_, metadata_, CurrentSchema(metadata_), spec,
                                                 slot.partition, std::move(location)));
  for (const std::shared_ptr<arrow::RecordBatch>& rows : std::exchange(slot.waiting, {})) {
    SL_TRY(slot.writer->Write(*rows));
  }
  SetBufferedBytes(slot, 0);
  return {};
}

Status PartitionedWriter::Close(Slot& slot) {
  table::DataFile file = SL_TRY(slot.writer->Close());
  slot.files.push_back({.spec_id = metadata_.default_spec_id, .file = std::move(file)});
  slot.writer = nullptr;
  SetBufferedBytes(slot, 0);
  if (std::exchange(slot.is_counted, false)) {
    const std::lock_guard lock(mutex_);
    --open_files_;
  }
  return {};
}

Status PartitionedWriter::KeepWaiting(Slot& slot, std::shared_ptr<arrow::RecordBatch> rows) {
  std::int64_t bytes = slot.buffered_bytes + BytesOf(*rows);
  slot.waiting.push_back(std::move(rows));
  if (slot.waiting.size() == kWaitingBatchesMax) {
    slot.waiting = {SL_TRY(FromArrow(arrow::ConcatenateRecordBatches(slot.waiting)))};
    bytes = BytesOf(*slot.waiting.front());
  }
  SetBufferedBytes(slot, bytes);
  return {};
}

void PartitionedWriter::SetBufferedBytes(Slot& slot, std::int64_t bytes) {
  buffered_bytes_ += bytes - std::exchange(slot.buffered_bytes, bytes);
}

PartitionedWriter::Slot* PartitionedWriter::FindFullest() {
  const std::lock_guard lock(mutex_);
  Slot* fullest = nullptr;
  std::int64_t most = 0;
  for (const auto& [place, slot] : slots_) {
    // A slot that is being written to is looked at the next time.
    const std::unique_lock slot_lock(slot->mutex, std::try_to_lock);
    if (slot_lock && slot->buffered_bytes > most) {
      most = slot->buffered_bytes;
      fullest = slot.get();
    }
  }
  return fullest;
}

Status PartitionedWriter::RelieveMemory() {
  if (buffered_bytes_ <= options_.buffered_bytes_max) {
    return {};
  }
  Slot* const fullest = FindFullest();
  if (fullest == nullptr) {
    return {};
  }
  const std::lock_guard lock(fullest->mutex);
  if (fullest->writer == nullptr && !fullest->waiting.empty()) {
    SL_TRY(Open(*fullest));
  }
  return fullest->writer == nullptr ? Status() : Close(*fullest);
}

Result<std::vector<table::NewFile>> PartitionedWriter::Finish() {
  std::vector<Slot*> unfinished;
  for (const auto& [place, slot] : slots_) {
    if (slot->writer != nullptr) {
      unfinished.push_back(slot.get());
    }
  }
  // Those that are open first: there may be many that wait.
  for (const auto& [place, slot] : slots_) {
    if (!slot->waiting.empty()) {
      unfinished.push_back(slot.get());
    }
  }
  const auto finish = [&](std::size_t i) -> Status {
    Slot& slot = *unfinished[i];
    if (slot.writer == nullptr) {
      SL_TRY(Open(slot));
    }
    return Close(slot);
  };
  SL_TRY(ParallelFor(unfinished.size(), options_.threads, finish));
  std::vector<table::NewFile> files;
  for (const auto& [place, slot] : slots_) {
    std::ranges::move(slot->files, std::back_inserter(files));
  }
  return files;
}

std::vector<std::string> PartitionedWriter::written_files() const {
  const std::lock_guard lock(mutex_);
  return written_files_;
}

}  // namespace strandline::pipeline
