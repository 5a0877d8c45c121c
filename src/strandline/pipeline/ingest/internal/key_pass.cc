#include "strandline/pipeline/ingest/internal/key_pass.h"

#include <deque>
#include <map>
#include <numeric>
#include <utility>

#include <arrow/api.h>
#include <arrow/compute/api_vector.h>

#include "strandline/format/batch/arrow_status.h"
#include "strandline/pipeline/ingest/internal/key_records.h"
#include "strandline/pipeline/ingest/internal/row_bytes.h"
#include "strandline/pipeline/ingest/internal/row_screen.h"
#include "strandline/pipeline/ingest/internal/workers.h"

namespace strandline::pipeline::ingest {
namespace {

// One thread's share of the pass.
class KeyReader {
 public:
  KeyReader(UnitContext& context, PublishedKeys& published, BucketStore& keys, BucketStore& asked)
      : context_(context),
        published_(published),
        keys_only_(context, context.layouts.keys),
        all_columns_(context, context.layouts.all),
        keys_(keys),
        asked_(asked) {}

  // The file's number of rows.
  Result<std::int64_t> Read(std::size_t file) {
    // A line is parsed as a whole anyway: what is kept of it need not be parsed again.
    const bool keep = context_.unit.source->format == project::LandingFormat::kJsonLines &&
                      context_.cache.has_room();
    Columns& columns = keep ? all_columns_ : keys_only_;
    std::int64_t rows = 0;
    const auto take = [&](std::unique_ptr<format::LandedBatch> batch) -> Status {
      rows += batch->rows->num_rows() + static_cast<std::int64_t>(batch->problems.size());
      if (rows >= RowId::kFileRowsMax) {
        return MakeError(ErrorKind::kUnsupported, "landed file has too many rows: {}",
                         context_.unit.files[file].location);
      }
      SL_TRY(Take(file, *batch, columns));
      if (keep) {
        context_.cache.Add(file, std::move(batch));
      }
      return {};
    };
    SL_TRY(ReadLandedFile(context_, file, columns.layout, take));
    if (keep) {
      context_.cache.Complete(file);
    }
    return rows;
  }

  Status Finish() {
    SL_TRY(keys_.Finish());
    return asked_.Finish();
  }

  const std::vector<std::int64_t>& rows_by_partition() const { return rows_by_partition_; }
  std::int64_t keys_asked() const { return keys_asked_; }
  std::int64_t filter_hits() const { return filter_hits_; }

 private:
  // The columns that are read of a file, and what is made of them.
  struct Columns {
    Columns(UnitContext& context, const RowLayout& of)
        : layout(of),
          screen(*context.unit.source, context.unit.interval, of, *context.tables.table,
                 context.numbers) {}
    const RowLayout& layout;
    RowScreen screen;
  };

  Status Take(std::size_t file, const format::LandedBatch& batch, Columns& columns) {
    const RowLayout& layout = columns.layout;
    const arrow::RecordBatch& rows = *batch.rows;
    const ScreenedRows screened = SL_TRY(columns.screen.Screen(rows));
    RowBytes key_bytes = SL_TRY(RowBytes::OfKey(rows, layout.key));
    const std::size_t record_bytes = layout.order ? sizeof(KeyRecord) : kKeyRecordBytes;
    std::map<PartitionNumber, std::vector<std::int64_t>> asked;
    PartitionNumber last = kNoPartition;
    std::vector<std::int64_t>* last_asked = nullptr;
    for (std::int64_t i = 0; i < rows.num_rows(); ++i) {
      const PartitionNumber partition = screened.partitions[static_cast<std::size_t>(i)];
      if (partition == kNoPartition) {
        continue;
      }
      const KeyRecord record{.hash = context_.options.for_tests.hash_key(key_bytes.Of(i)),
                             .row = RowId(file, batch.row_indexes[static_cast<std::size_t>(i)]),
                             .order = layout.order ? OrderOf(*rows.column(*layout.order), i) : 0};
      SL_TRY(keys_.Append(BucketOf(record.hash), BytesOf(record).substr(0, record_bytes)));
      if (partition != last) {
        last = partition;
        const bool has_published = SL_TRY(HasPublished(partition));
        last_asked = has_published ? &asked[partition] : nullptr;
      }
      ++rows_by_partition_[partition];
      if (last_asked != nullptr) {
        last_asked->push_back(i);
      }
    }
    for (const auto& [partition, indexes] : asked) {
      SL_TRY(Ask(file, batch, layout, partition, indexes));
    }
    return {};
  }

  // Whether the table has live files for the partition. Makes room to count its rows.
  Result<bool> HasPublished(PartitionNumber partition) {
    if (partition >= partitions_.size()) {
      partitions_.resize(partition + 1, nullptr);
      rows_by_partition_.resize(partition + 1, 0);
    }
    if (partitions_[partition] == nullptr) {
      partitions_[partition] = SL_TRY(published_.Find(partition));
    }
    return !partitions_[partition]->files.empty();
  }

  // Asks the filters for the keys of some rows, and notes those that may be there.
  Status Ask(std::size_t file, const format::LandedBatch& batch, const RowLayout& layout,
             PartitionNumber partition, const std::vector<std::int64_t>& indexes) {
    const arrow::Int64Array selection(static_cast<std::int64_t>(indexes.size()),
                                      arrow::Buffer::Wrap(indexes));
    arrow::ArrayVector keys;
    for (const int column : layout.key) {
      keys.push_back(SL_TRY(format::FromArrow(arrow::compute::Take(
          *batch.rows->column(column), selection, arrow::compute::TakeOptions::NoBoundsCheck()))));
    }
    keys_asked_ += selection.length();
    const std::vector<bool> perhaps = SL_TRY(published_.Ask(*partitions_[partition], keys));
    RowBytes key_bytes = SL_TRY(RowBytes::OfKey(*batch.rows, layout.key));
    for (std::size_t i = 0; i < indexes.size(); ++i) {
      if (!perhaps[i]) {
        continue;
      }
      ++filter_hits_;
      const std::string_view key = key_bytes.Of(indexes[i]);
      const AskedRecord record{
          .hash = context_.options.for_tests.hash_key(key),
          .row = RowId(file, batch.row_indexes[static_cast<std::size_t>(indexes[i])]),
          .partition = partition,
          .key_bytes = static_cast<std::uint32_t>(key.size())};
      SL_TRY(asked_.Append(BucketOf(record.hash), BytesOf(record), key));
    }
    return {};
  }

  UnitContext& context_;
  PublishedKeys& published_;
  Columns keys_only_;
  Columns all_columns_;
  BucketStore::Writer keys_;
  BucketStore::Writer asked_;
  std::vector<const PublishedKeys::Partition*> partitions_;  // By number; null: not met yet.
  std::vector<std::int64_t> rows_by_partition_;
  std::int64_t keys_asked_ = 0;
  std::int64_t filter_hits_ = 0;
};

}  // namespace

std::int64_t KeyPass::rows() const {
  return std::accumulate(rows_by_file.begin(), rows_by_file.end(), std::int64_t{0});
}

Result<KeyPass> ReadKeys(UnitContext& context, PublishedKeys& published, BucketStore& keys,
                         BucketStore& asked) {
  KeyPass pass;
  pass.rows_by_file.resize(context.unit.files.size());
  std::deque<KeyReader> readers;
  for (std::size_t i = 0; i < context.threads(); ++i) {
    readers.emplace_back(context, published, keys, asked);
  }
  const auto read = [&](std::size_t worker, std::size_t file) -> Status {
    pass.rows_by_file[file] = SL_TRY(readers[worker].Read(file));
    return {};
  };
  SL_TRY(OnWorkers(context.threads(), context.unit.files.size(), read));
  pass.rows_by_partition.resize(context.numbers.count());
  for (KeyReader& reader : readers) {
    SL_TRY(reader.Finish());
    for (std::size_t i = 0; i < reader.rows_by_partition().size(); ++i) {
      pass.rows_by_partition[i] += reader.rows_by_partition()[i];
    }
    pass.keys_asked += reader.keys_asked();
    pass.filter_hits += reader.filter_hits();
  }
  return pass;
}

}  // namespace strandline::pipeline::ingest
