#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/clock.h"
#include "strandline/base/result.h"
#include "strandline/format/parquet/parquet_file.h"
#include "strandline/io/file_io.h"
#include "strandline/pipeline/ingest/internal/partition_router.h"
#include "strandline/table/scan/scan.h"

namespace strandline::pipeline::ingest {

// Which keys a table may hold already (STATE.md rule 24): the live data files of the partitions
// that rows of the unit fall into, with the bloom filters of their keys. Answers "surely new" or
// "perhaps there"; what is perhaps there must be verified. Thread-safe.
class PublishedKeys {
 public:
  struct Options {
    // Off: everything is perhaps there.
    bool use_bloom_filters = true;
    // Filters beyond it are not kept; what they would answer is perhaps there.
    std::int64_t filter_bytes_max = 0;
    // Tests: filters say "perhaps" to everything.
    bool every_filter_hits = false;
  };

  // One live data file, and what is known of its keys.
  struct File {
    struct RowGroup {
      // By key column; null: no filter, which answers "perhaps".
      std::vector<std::unique_ptr<format::ParquetFile::BloomFilter>> filters;
      std::atomic<bool> may_hold_some = false;  // Of the keys asked so far.
      std::int64_t key_bytes = 0;               // Compressed.
    };
    table::ScanTask task;
    std::deque<RowGroup> row_groups;
    std::set<PartitionNumber> partitions;  // More than one only for files of an older spec.
  };

  // The live files that can hold rows of one partition. Empty: every key is surely new.
  struct Partition {
    std::vector<File*> files;
  };

  // `metadata`, `key` (columns of its current schema), `numbers` and `io` must outlive it.
  PublishedKeys(const table::TableMetadata& metadata, const std::vector<std::string>& key,
                const PartitionNumbers& numbers, const Options& options, io::FileIo& io);

  // Plans the partition's files and reads their filters, the first time. Fails like PlanScan and
  // OpenParquetFile.
  Result<const Partition*> Find(PartitionNumber number);

  // For each row of `keys` (the key columns, in order, without nulls) whether it is perhaps there;
  // marks the row groups that may hold one.
  Result<std::vector<bool>> Ask(const Partition& partition, const arrow::ArrayVector& keys) const;

  // All files found so far, in the order of their paths. Not while Find() may run.
  std::vector<const File*> files() const;

 private:
  // All live files that can hold rows of one span of time; of the whole table where its partitions
  // say nothing of time.
  Result<const std::vector<table::ScanTask>*> Plan(const table::PartitionTuple& tuple);
  Result<File*> Open(const table::ScanTask& task);

  const table::TableMetadata& metadata_;
  const std::vector<std::string>& key_;
  const PartitionNumbers& numbers_;
  const Options options_;
  io::FileIo& io_;
  std::mutex mutex_;
  std::map<std::optional<std::pair<Timestamp, Timestamp>>, std::vector<table::ScanTask>> plans_;
  std::map<PartitionNumber, Partition> partitions_;
  std::map<std::string, std::unique_ptr<File>> files_;
  std::int64_t filter_bytes_ = 0;
};

}  // namespace strandline::pipeline::ingest
