#include "strandline/pipeline/ingest/internal/write_pass.h"

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <arrow/api.h>
#include <arrow/compute/api_vector.h>
#include <fmt/format.h>

#include "strandline/format/batch/arrow_status.h"
#include "strandline/pipeline/ingest/internal/key_records.h"
#include "strandline/pipeline/ingest/internal/published_rows.h"
#include "strandline/pipeline/ingest/internal/row_bytes.h"
#include "strandline/pipeline/ingest/internal/row_screen.h"
#include "strandline/pipeline/ingest/internal/workers.h"

namespace strandline::pipeline::ingest {
namespace {

using format::FromArrow;

// Tells how far the pass is, each time so many more rows have been read: a few times a second.
class ProgressTeller {
 public:
  ProgressTeller(const UnitContext& context, std::int64_t rows_expected)
      : on_progress_(context.options.on_progress), rows_expected_(rows_expected) {
    for (const LandedFile& file : context.unit.files) {
      bytes_total_ += file.size_bytes;
    }
  }

  void Add(std::int64_t rows) {
    constexpr std::int64_t kRowsBetween = 1 << 19;
    const std::int64_t after = rows_ += rows;
    if ((after - rows) / kRowsBetween != after / kRowsBetween) {
      Tell(after);
    }
  }

  void TellAll() { Tell(rows_); }

 private:
  void Tell(std::int64_t rows) const {
    if (on_progress_) {
      const double share = rows_expected_ == 0
                               ? 1.0
                               : static_cast<double>(rows) / static_cast<double>(rows_expected_);
      on_progress_({.rows = rows,
                    .bytes = static_cast<std::int64_t>(static_cast<double>(bytes_total_) * share),
                    .bytes_total = bytes_total_});
    }
  }

  const std::function<void(const IngestProgress&)>& on_progress_;
  const std::int64_t rows_expected_;
  std::int64_t bytes_total_ = 0;
  std::atomic<std::int64_t> rows_{0};
};

// Some rows of a batch; all of them without copying anything.
Result<std::shared_ptr<arrow::RecordBatch>> Select(const std::shared_ptr<arrow::RecordBatch>& rows,
                                                   const std::vector<std::int64_t>& indexes) {
  if (static_cast<std::int64_t>(indexes.size()) == rows->num_rows()) {
    return rows;
  }
  const auto selection = std::make_shared<arrow::Int64Array>(
      static_cast<std::int64_t>(indexes.size()), arrow::Buffer::Wrap(indexes));
  const arrow::Datum taken = SL_TRY(FromArrow(arrow::compute::Take(
      rows, arrow::Datum(selection), arrow::compute::TakeOptions::NoBoundsCheck())));
  return taken.record_batch();
}

// One thread's share of the pass.
class RowWriter {
 public:
  RowWriter(UnitContext& context, PartitionWriters& writers, std::size_t worker)
      : context_(context),
        layout_(context.layouts.all),
        screen_(*context.unit.source, context.unit.interval, layout_, *context.tables.table,
                context.numbers),
        writers_(writers),
        worker_(worker) {}

  // Writes the rows of `batch` that `wanted` says yes to; `partitions` are theirs.
  Status Write(const format::LandedBatch& batch, const std::vector<PartitionNumber>& partitions,
               const std::function<bool(std::int64_t index)>& wanted) {
    std::map<PartitionNumber, std::vector<std::int64_t>> indexes;
    PartitionNumber last = kNoPartition;
    std::vector<std::int64_t>* last_indexes = nullptr;
    for (std::int64_t i = 0; i < batch.rows->num_rows(); ++i) {
      const PartitionNumber partition = partitions[static_cast<std::size_t>(i)];
      if (partition == kNoPartition || !wanted(i)) {
        continue;
      }
      if (partition != last) {
        last = partition;
        last_indexes = &indexes[partition];
      }
      last_indexes->push_back(i);
    }
    for (const auto& [partition, selected] : indexes) {
      const std::shared_ptr<arrow::RecordBatch> rows = SL_TRY(Select(batch.rows, selected));
      SL_TRY(writers_.Write(worker_, partition, *rows));
      if (partition >= pass_.rows_written.size()) {
        pass_.rows_written.resize(partition + 1, 0);
      }
      pass_.rows_written[partition] += rows->num_rows();
    }
    return {};
  }

  UnitContext& context() { return context_; }
  const RowLayout& layout() const { return layout_; }
  RowScreen& screen() { return screen_; }
  WritePass& pass() { return pass_; }

 private:
  UnitContext& context_;
  const RowLayout& layout_;
  RowScreen screen_;
  PartitionWriters& writers_;
  std::size_t worker_;
  WritePass pass_;
};

// What the second pass shares between its threads.
struct SecondPass {
  const SecondPassRows& rows;
  QuarantineWriter& quarantine;
  ProgressTeller progress;
};

// Key and time of a row that is well-formed and not taken, for people.
std::string RejectedText(const RowLayout& layout, const arrow::RecordBatch& rows,
                         std::int64_t index) {
  std::vector<int> columns = layout.key;
  columns.push_back(layout.time);
  std::string text;
  for (const int column : columns) {
    const auto scalar = rows.column(column)->GetScalar(index);
    text += fmt::format("{}{}: {}", text.empty() ? "{" : ", ", rows.column_name(column),
                        scalar.ok() ? (*scalar)->ToString() : "?");
  }
  return format::RawText(text + "}");
}

Status Quarantine(const SecondPass& second, const LandedFile& file, const RowLayout& layout,
                  format::LandedBatch& batch, const ScreenedRows& screened) {
  for (format::RowProblem& problem : batch.problems) {
    SL_TRY(second.quarantine.Add(file, std::move(problem)));
  }
  for (const Rejection& rejection : screened.rejected) {
    const auto i = static_cast<std::size_t>(rejection.index);
    SL_TRY(
        second.quarantine.Add(file, {.position = batch.positions[i],
                                     .row = batch.row_indexes[i],
                                     .reason = std::string(rejection.reason),
                                     .detail = {},
                                     .column = layout.schema->field(layout.time)->name(),
                                     .raw = RejectedText(layout, *batch.rows, rejection.index)}));
  }
  return {};
}

// Notes the candidates among the good rows of a batch.
Status NoteCandidates(RowWriter& writer, const SecondPassRows& rows, std::size_t file,
                      const format::LandedBatch& batch, const ScreenedRows& screened,
                      BucketStore::Writer& candidates) {
  const RowLayout& layout = writer.layout();
  RowBytes keys = SL_TRY(RowBytes::OfKey(*batch.rows, layout.key));
  RowBytes payloads = SL_TRY(RowBytes::OfColumns(*batch.rows, layout.payload));
  for (std::size_t i = 0; i < batch.row_indexes.size(); ++i) {
    const RowId row(file, batch.row_indexes[i]);
    if (!rows.candidates.Contains(row) || screened.partitions[i] == kNoPartition) {
      continue;
    }
    const auto index = static_cast<std::int64_t>(i);
    const std::string_view key = keys.Of(index);
    const CandidateRecord record{
        .hash = writer.context().options.for_tests.hash_key(key),
        .row = row,
        .order = layout.order ? OrderOf(*batch.rows->column(*layout.order), index) : 0,
        .payload = PayloadFingerprint(payloads.Of(index)),
        .key_bytes = key.size()};
    SL_TRY(candidates.Append(BucketOf(record.hash), BytesOf(record), key));
  }
  return {};
}

Status TakeBatch(SecondPass& second, RowWriter& writer, std::size_t file,
                 format::LandedBatch& batch, BucketStore::Writer& candidates) {
  const std::int64_t rows_read =
      batch.rows->num_rows() + static_cast<std::int64_t>(batch.problems.size());
  const ScreenedRows screened = SL_TRY(writer.screen().Screen(*batch.rows));
  SL_TRY(Quarantine(second, writer.context().unit.files[file], writer.layout(), batch, screened));
  SL_TRY(NoteCandidates(writer, second.rows, file, batch, screened, candidates));
  WritePass& pass = writer.pass();
  pass.rows_in += rows_read;
  SL_TRY(writer.Write(batch, screened.partitions, [&](std::int64_t index) {
    const RowId row(file, batch.row_indexes[static_cast<std::size_t>(index)]);
    const bool dropped = second.rows.dropped.Contains(row);
    pass.rows_dropped += dropped ? 1 : 0;
    return !dropped;
  }));
  second.progress.Add(rows_read);
  return {};
}

// All rows of a file, from the cache or read again.
Status ForEachBatch(UnitContext& context, std::size_t file,
                    const std::function<Status(format::LandedBatch& batch)>& take) {
  auto kept = context.cache.Take(file);
  if (!kept) {
    return ReadLandedFile(
        context, file, context.layouts.all,
        [&](std::unique_ptr<format::LandedBatch> batch) -> Status { return take(*batch); });
  }
  for (std::unique_ptr<format::LandedBatch>& batch : *kept) {
    if (context.stop.stop_requested()) {
      return MakeError(ErrorKind::kCancelled, "stopped while writing rows of {}",
                       context.unit.files[file].location);
    }
    SL_TRY(take(*batch));
    batch = nullptr;
  }
  return {};
}

// One pass over the files that `wanted` says yes to, `take` getting each batch.
Result<WritePass> Run(
    UnitContext& context, PartitionWriters& writers,
    const std::function<bool(std::size_t file)>& wanted,
    const std::function<Status(RowWriter& writer, std::size_t worker, std::size_t file,
                               format::LandedBatch& batch)>& take) {
  std::deque<RowWriter> row_writers;
  for (std::size_t worker = 0; worker < context.threads(); ++worker) {
    row_writers.emplace_back(context, writers, worker);
  }
  SL_TRY(OnWorkers(context.threads(), context.unit.files.size(),
                   [&](std::size_t worker, std::size_t file) -> Status {
                     if (!wanted(file)) {
                       return {};
                     }
                     const auto take_batch = [&](format::LandedBatch& batch) -> Status {
                       return take(row_writers[worker], worker, file, batch);
                     };
                     return ForEachBatch(context, file, take_batch);
                   }));
  WritePass all;
  for (RowWriter& row_writer : row_writers) {
    const WritePass& part = row_writer.pass();
    all.rows_in += part.rows_in;
    all.rows_dropped += part.rows_dropped;
    all.rows_written.resize(std::max(all.rows_written.size(), part.rows_written.size()), 0);
    for (std::size_t i = 0; i < part.rows_written.size(); ++i) {
      all.rows_written[i] += part.rows_written[i];
    }
  }
  return all;
}

}  // namespace

std::int64_t WritePass::total_written() const {
  return std::accumulate(rows_written.begin(), rows_written.end(), std::int64_t{0});
}

Result<WritePass> WriteRows(UnitContext& context, const SecondPassRows& rows,
                            std::int64_t rows_expected, BucketStore& candidates,
                            QuarantineWriter& quarantine, PartitionWriters& writers) {
  SecondPass second{
      .rows = rows, .quarantine = quarantine, .progress = ProgressTeller(context, rows_expected)};
  std::vector<BucketStore::Writer> noted(context.threads(), BucketStore::Writer(candidates));
  WritePass pass = SL_TRY(Run(
      context, writers, [](std::size_t) { return true; },
      [&](RowWriter& writer, std::size_t worker, std::size_t file, format::LandedBatch& batch)
          -> Status { return TakeBatch(second, writer, file, batch, noted[worker]); }));
  for (BucketStore::Writer& writer : noted) {
    SL_TRY(writer.Finish());
  }
  second.progress.TellAll();
  return pass;
}

Result<WritePass> WriteRescuedRows(UnitContext& context, const RowSet& rescued,
                                   PartitionWriters& writers) {
  return Run(
      context, writers, [&](std::size_t file) { return rescued.AnyIn(file); },
      [&](RowWriter& writer, std::size_t, std::size_t file, format::LandedBatch& batch) -> Status {
        const ScreenedRows screened = SL_TRY(writer.screen().Screen(*batch.rows));
        return writer.Write(batch, screened.partitions, [&](std::int64_t index) {
          return rescued.Contains(RowId(file, batch.row_indexes[static_cast<std::size_t>(index)]));
        });
      });
}

}  // namespace strandline::pipeline::ingest
