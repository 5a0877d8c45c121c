#include "strandline/pipeline/ingest/internal/published_rows.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include <arrow/api.h>

#include "strandline/base/check.h"
#include "strandline/base/parallel.h"
#include "strandline/pipeline/ingest/internal/hash_chains.h"
#include "strandline/pipeline/ingest/internal/key_records.h"
#include "strandline/pipeline/ingest/internal/row_bytes.h"
#include "strandline/pipeline/ingest/internal/workers.h"
#include "strandline/table/read/scan_reader.h"

namespace strandline::pipeline::ingest {
namespace {

// Beside its bytes, what a key costs while it is compared.
constexpr std::int64_t kKeyOverheadBytes = 80;

Status CheckStop(const std::stop_token& stop) {
  if (stop.stop_requested()) {
    return MakeError(ErrorKind::kCancelled, "stopped while comparing keys with published rows");
  }
  return {};
}

}  // namespace

struct PublishedRows::Keys {
  struct Place {
    std::size_t part = 0;
    std::uint64_t ordinal = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Key {
    Hash128 hash;
    RowId row;
    PartitionNumber partition = 0;
    std::string_view bytes;  // In `records`.
    // The first published row with this key, however the threads run.
    std::optional<Place> found;
  };

  std::vector<std::string> records;
  std::vector<Key> keys;
  std::optional<HashChains> chains;
  std::mutex mutex;  // Of `found`.

  // Adds the keys of one bucket.
  void Add(std::string bucket) {
    records.push_back(std::move(bucket));
    std::string_view rest = records.back();
    while (!rest.empty()) {
      const auto record = TakeRecord<AskedRecord>(rest);
      keys.push_back({.hash = record.hash,
                      .row = record.row,
                      .partition = record.partition,
                      .bytes = TakeBytes(rest, record.key_bytes),
                      .found = {}});
    }
  }

  void Index() {
    chains.emplace(keys.size());
    for (std::uint32_t i = 0; i < keys.size(); ++i) {
      chains->Add(i, [&](std::uint32_t item) -> const Hash128& { return keys[item].hash; });
    }
  }
};

PublishedRows::PublishedRows(const table::TableMetadata& metadata,
                             const std::vector<std::string>& key, const PublishedKeys& keys,
                             const Options& options, io::FileIo& io, const std::stop_token& stop)
    : metadata_(metadata),
      key_(key),
      options_(options),
      io_(io),
      stop_(stop),
      published_(options.memory_bytes_max, options.temp_directory) {
  for (const PublishedKeys::File* file : keys.files()) {
    const bool may_hold_some = std::ranges::any_of(
        file->row_groups, [](const auto& row_group) { return row_group.may_hold_some.load(); });
    if (!may_hold_some) {
      continue;
    }
    files_.push_back(file);
    for (const PublishedKeys::File::RowGroup& row_group : file->row_groups) {
      parts_.emplace_back(file, &row_group);
    }
  }
}

PublishedRows::~PublishedRows() = default;

Status PublishedRows::OpenParts(const std::vector<std::string>& columns) {
  std::vector<table::ScanTask> tasks;
  for (const PublishedKeys::File* file : files_) {
    tasks.push_back(file->task);
  }
  table::ScanReadOptions options;
  options.columns = columns;
  options.prune = false;
  source_ = SL_TRY(OpenScan(io_, metadata_, CurrentSchema(metadata_), std::move(tasks), options));
  // One part is one row group, in the order of the tasks.
  SL_CHECK(source_->part_count() == parts_.size());
  return {};
}

Status PublishedRows::Verify(BucketStore& asked, RowSet& published) {
  SL_TRY(OpenParts(key_));
  BucketStore::Writer writer(published_);
  for (std::size_t bucket = 0; bucket < BucketStore::kBucketCount;) {
    Keys keys;
    std::int64_t bytes = 0;
    do {
      keys.Add(SL_TRY(asked.Take(bucket)));
      bytes = kKeyOverheadBytes * static_cast<std::int64_t>(keys.keys.size());
      bytes += std::accumulate(keys.records.begin(), keys.records.end(), std::int64_t{0},
                               [](std::int64_t sum, const std::string& records) {
                                 return sum + static_cast<std::int64_t>(records.size());
                               });
      ++bucket;
    } while (bucket < BucketStore::kBucketCount &&
             bytes + asked.bytes(bucket) * 2 <= options_.memory_bytes_max);
    if (keys.keys.empty()) {
      continue;
    }
    SL_TRY(Compare(keys));

    for (const Keys::Key& key : keys.keys) {
      if (!key.found) {
        continue;
      }
      ++keys_found_;
      published.Add(key.row);
      const PublishedRecord record{.hash = key.hash,
                                   .row = key.row,
                                   .ordinal = key.found->ordinal,
                                   .part = static_cast<std::uint32_t>(key.found->part),
                                   .key_bytes = static_cast<std::uint32_t>(key.bytes.size())};
      SL_TRY(
          writer.Append(key.found->part % BucketStore::kBucketCount, BytesOf(record), key.bytes));
    }
  }
  return writer.Finish();
}

Status PublishedRows::Compare(Keys& keys) {
  keys.Index();
  std::vector<std::size_t> wanted;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (parts_[part].second->may_hold_some) {
      wanted.push_back(part);
      bytes_read_to_verify_ += parts_[part].second->key_bytes;
    }
  }
  return ParallelFor(wanted.size(), options_.threads,
                     [&](std::size_t i) -> Status { return ComparePart(wanted[i], keys); });
}

Status PublishedRows::ComparePart(std::size_t part, Keys& keys) const {
  const std::set<PartitionNumber>& partitions = parts_[part].first->partitions;
  const auto hash_of = [&](std::uint32_t item) -> const Hash128& { return keys.keys[item].hash; };
  std::vector<int> columns(key_.size());
  std::iota(columns.begin(), columns.end(), 0);
  const std::unique_ptr<format::BatchStream> stream = SL_TRY(source_->OpenPart(part));
  std::uint64_t ordinal = 0;
  while (true) {
    SL_TRY(CheckStop(stop_));
    const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
    if (batch == nullptr) {
      return {};
    }
    const bool may_be_null = std::ranges::any_of(
        batch->columns(), [](const auto& column) { return column->null_count() > 0; });
    RowBytes bytes = SL_TRY(RowBytes::OfKey(*batch, columns));
    for (std::int64_t row = 0; row < batch->num_rows(); ++row, ++ordinal) {
      // A null key, as others may write it, equals none of ours.
      if (may_be_null && std::ranges::any_of(batch->columns(), [&](const auto& column) {
            return column->IsNull(row);
          })) {
        continue;
      }
      const std::string_view key = bytes.Of(row);
      for (std::uint32_t i = keys.chains->First(options_.hash_key(key), hash_of);
           i != HashChains::kNone; i = keys.chains->Next(i)) {
        Keys::Key& asked = keys.keys[i];
        if (asked.bytes != key || !partitions.contains(asked.partition)) {
          continue;
        }
        const Keys::Place place{.part = part, .ordinal = ordinal};
        const std::lock_guard lock(keys.mutex);
        if (!asked.found || place < *asked.found) {
          asked.found = place;
        }
      }
    }
  }
}

Status PublishedRows::ReadPayloads(const std::vector<std::string>& payload, BucketStore& payloads) {
  if (keys_found_ == 0) {
    return {};
  }
  SL_TRY(OpenParts(payload));
  std::vector<BucketStore::Writer> writers(options_.threads, BucketStore::Writer(payloads));
  const auto read = [&](std::size_t worker, std::size_t bucket) -> Status {
    const std::string published = SL_TRY(published_.Take(bucket));
    return ReadPayloadsOf(published, payload.size(), writers[worker]);
  };
  SL_TRY(OnWorkers(options_.threads, BucketStore::kBucketCount, read));
  for (BucketStore::Writer& writer : writers) {
    SL_TRY(writer.Finish());
  }
  return {};
}

Status PublishedRows::ReadPayloadsOf(std::string_view published, std::size_t column_count,
                                     BucketStore::Writer& writer) const {
  struct Row {
    PublishedRecord record;
    std::string_view key;
  };
  std::vector<Row> rows;
  while (!published.empty()) {
    const auto record = TakeRecord<PublishedRecord>(published);
    rows.push_back({.record = record, .key = TakeBytes(published, record.key_bytes)});
  }
  std::ranges::sort(rows, {},
                    [](const Row& row) { return std::pair(row.record.part, row.record.ordinal); });
  std::vector<int> columns(column_count);
  std::iota(columns.begin(), columns.end(), 0);

  for (auto next = rows.begin(); next != rows.end();) {
    const std::uint32_t part = next->record.part;
    const std::unique_ptr<format::BatchStream> stream = SL_TRY(source_->OpenPart(part));
    std::uint64_t first = 0;
    while (next != rows.end() && next->record.part == part) {
      SL_TRY(CheckStop(stop_));
      const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
      SL_CHECK(batch != nullptr);  // The part has the same rows each time it is opened.
      RowBytes bytes = SL_TRY(RowBytes::OfColumns(*batch, columns));
      const std::uint64_t end = first + static_cast<std::uint64_t>(batch->num_rows());
      for (; next != rows.end() && next->record.part == part && next->record.ordinal < end;
           ++next) {
        const auto row = static_cast<std::int64_t>(next->record.ordinal - first);
        const PublishedPayloadRecord record{.row = next->record.row,
                                            .payload = PayloadFingerprint(bytes.Of(row)),
                                            .key_bytes = next->key.size()};
        SL_TRY(writer.Append(BucketOf(next->record.hash), BytesOf(record), next->key));
      }
      first = end;
    }
  }
  return {};
}

std::uint64_t PayloadFingerprint(std::string_view bytes) { return HashKey(bytes).low; }

}  // namespace strandline::pipeline::ingest
