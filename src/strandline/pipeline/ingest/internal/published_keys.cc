#include "strandline/pipeline/ingest/internal/published_keys.h"

#include <arrow/api.h>

#include "strandline/base/check.h"
#include "strandline/format/parquet/bloom_hash.h"
#include "strandline/pipeline/state/table_state.h"
#include "strandline/table/arrow/arrow_schema.h"

namespace strandline::pipeline::ingest {
namespace {

// A key column in a data file.
struct KeyColumn {
  int index = 0;
  // Values lie in the file as they do in the table, so that hashes of the one are hashes of the
  // other. Columns that were promoted since are not asked.
  bool same_type = false;
};

// The key columns by field id; absent where a file has no ids or lacks one of them.
std::optional<std::vector<KeyColumn>> FindKeyColumns(const format::ParquetFile& file,
                                                     const table::Schema& schema,
                                                     const std::vector<std::string>& key) {
  std::vector<KeyColumn> columns;
  for (const std::string& name : key) {
    const table::NestedField* field = FindColumn(schema, name);
    SL_CHECK(field != nullptr);
    std::optional<KeyColumn> found;
    for (int i = 0; i < file.schema()->num_fields(); ++i) {
      const arrow::Field& stored = *file.schema()->field(i);
      if (table::ArrowFieldId(stored) == field->id) {
        found = {.index = i, .same_type = stored.type()->Equals(*table::ArrowType(field->type))};
      }
    }
    if (!found) {
      return std::nullopt;
    }
    columns.push_back(*found);
  }
  return columns;
}

}  // namespace

PublishedKeys::PublishedKeys(const table::TableMetadata& metadata,
                             const std::vector<std::string>& key, const PartitionNumbers& numbers,
                             const Options& options, io::FileIo& io)
    : metadata_(metadata), key_(key), numbers_(numbers), options_(options), io_(io) {}

Result<const PublishedKeys::Partition*> PublishedKeys::Find(PartitionNumber number) {
  const std::lock_guard lock(mutex_);
  const auto known = partitions_.find(number);
  if (known != partitions_.end()) {
    return &known->second;
  }
  const table::PartitionTuple& tuple = numbers_.TupleOf(number);
  Partition partition;
  for (const table::ScanTask& task : *SL_TRY(Plan(tuple))) {
    // A file of an older spec may hold rows of any partition of its time.
    if (task.spec_id == metadata_.default_spec_id && !IsSamePartition(task.file.partition, tuple)) {
      continue;
    }
    File* file = SL_TRY(Open(task), "looking for keys in {}", task.file.file_path);
    file->partitions.insert(number);
    partition.files.push_back(file);
  }
  return &partitions_.emplace(number, std::move(partition)).first->second;
}

Result<const std::vector<table::ScanTask>*> PublishedKeys::Plan(
    const table::PartitionTuple& tuple) {
  const std::optional<table::FieldId> time = TimePartitionColumn(metadata_);
  const std::optional<Interval> interval =
      time ? IntervalOfPartition(DefaultSpec(metadata_), tuple, *time) : std::nullopt;
  std::optional<std::pair<Timestamp, Timestamp>> span;
  if (interval) {
    span = {interval->start, interval->end};
  }
  const auto known = plans_.find(span);
  if (known != plans_.end()) {
    return &known->second;
  }
  table::ScanRequest request;
  request.metrics = false;
  if (interval) {
    request.filter = TimeFilter(*FindField(CurrentSchema(metadata_), *time), *interval);
  }
  table::ScanPlan plan = SL_TRY(PlanScan(metadata_, request, io_));
  return &plans_.emplace(span, std::move(plan.tasks)).first->second;
}

Result<PublishedKeys::File*> PublishedKeys::Open(const table::ScanTask& task) {
  const auto known = files_.find(task.file.file_path);
  if (known != files_.end()) {
    return known->second.get();
  }
  const std::shared_ptr<const format::ParquetFile> parquet =
      SL_TRY(format::OpenParquetFile(io_, task.file.file_path, task.file.file_size_bytes));
  const std::optional<std::vector<KeyColumn>> columns =
      FindKeyColumns(*parquet, CurrentSchema(metadata_), key_);
  auto opened = std::make_unique<File>();
  opened->task = task;
  for (int group = 0; group < parquet->row_group_count(); ++group) {
    File::RowGroup& row_group = opened->row_groups.emplace_back();
    row_group.filters.resize(key_.size());
    for (std::size_t i = 0; columns && i < key_.size(); ++i) {
      const KeyColumn& column = (*columns)[i];
      row_group.key_bytes += parquet->chunk_bytes(group, column.index);
      if (!options_.use_bloom_filters || !column.same_type) {
        continue;
      }
      std::unique_ptr<format::ParquetFile::BloomFilter> filter =
          SL_TRY(parquet->ReadBloomFilter(group, column.index));
      if (filter != nullptr && filter_bytes_ + filter->size_bytes() <= options_.filter_bytes_max) {
        filter_bytes_ += filter->size_bytes();
        row_group.filters[i] = std::move(filter);
      }
    }
  }
  return files_.emplace(task.file.file_path, std::move(opened)).first->second.get();
}

Result<std::vector<bool>> PublishedKeys::Ask(const Partition& partition,
                                             const arrow::ArrayVector& keys) const {
  const auto rows = static_cast<std::size_t>(keys.front()->length());
  std::vector<std::vector<std::uint64_t>> hashes(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    // Types without filters (booleans) have none in any row group.
    if (format::BloomPhysicalType(*keys[i]->type())) {
      hashes[i] = SL_TRY(format::BloomHashes(*keys[i]));
    }
  }
  const auto may_hold = [&](const File::RowGroup& row_group, std::size_t row) {
    if (options_.every_filter_hits) {
      return true;
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (row_group.filters[i] != nullptr && !row_group.filters[i]->MayContain(hashes[i][row])) {
        return false;
      }
    }
    return true;
  };

  std::vector<bool> perhaps(rows, false);
  for (File* file : partition.files) {
    // One row group after the other, so that its filter stays in the cache.
    for (File::RowGroup& row_group : file->row_groups) {
      bool some = false;
      for (std::size_t row = 0; row < rows; ++row) {
        if (may_hold(row_group, row)) {
          perhaps[row] = true;
          some = true;
        }
      }
      if (some) {
        row_group.may_hold_some.store(true, std::memory_order_relaxed);
      }
    }
  }
  return perhaps;
}

std::vector<const PublishedKeys::File*> PublishedKeys::files() const {
  std::vector<const File*> files;
  for (const auto& [path, file] : files_) {
    files.push_back(file.get());
  }
  return files;
}

}  // namespace strandline::pipeline::ingest
