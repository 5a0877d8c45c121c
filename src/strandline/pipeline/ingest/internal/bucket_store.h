#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/pipeline/ingest/internal/scratch_file.h"

namespace strandline::pipeline::ingest {

// Records in 256 buckets, written by several threads, then read bucket by bucket. What passes
// `memory_bytes_max` goes to disk. Records are never cut in two, and their order is not kept.
//
//   BucketStore store(memory_bytes_max, temp_directory);
//   BucketStore::Writer writer(store);          // One for each thread.
//   SL_TRY(writer.Append(bucket, record));
//   SL_TRY(writer.Finish());
//   std::string records = SL_TRY(store.Take(bucket));
class BucketStore {
 public:
  static constexpr std::size_t kBucketCount = 256;

  // `temp_directory` is touched only when something goes to disk.
  BucketStore(std::int64_t memory_bytes_max, std::string temp_directory);

  // Gathers records into blocks. Not thread-safe. The store must outlive it.
  class Writer {
   public:
    explicit Writer(BucketStore& store);
    // A record is `record` and, behind it, `tail`.
    Status Append(std::size_t bucket, std::string_view record, std::string_view tail = {});
    // Hands over what is left. A writer destroyed without it loses records.
    Status Finish();

   private:
    BucketStore* store_;
    std::array<std::string, kBucketCount> open_;
  };

  // All records of a bucket, one behind the other; they leave the store. After every writer has
  // finished. Different buckets may be taken by several threads at once.
  Result<std::string> Take(std::size_t bucket);

  // Of a bucket's records, and of all. After every writer has finished.
  std::int64_t bytes(std::size_t bucket) const;
  std::int64_t total_bytes() const;
  std::int64_t spilled_bytes() const { return spilled_bytes_; }

 private:
  struct SpilledBlock {
    std::int64_t offset = 0;
    std::size_t size = 0;
  };
  struct Bucket {
    std::vector<std::string> blocks;
    std::vector<SpilledBlock> spilled;
    std::int64_t bytes = 0;
  };

  // Keeps a block, or writes it to disk and leaves `block` empty for use again.
  Status Keep(std::size_t bucket, std::string& block);

  const std::int64_t memory_bytes_max_;
  const std::size_t block_bytes_;
  const std::string temp_directory_;
  std::mutex mutex_;
  std::array<Bucket, kBucketCount> buckets_;
  std::int64_t memory_bytes_ = 0;
  std::int64_t spilled_bytes_ = 0;
  std::unique_ptr<ScratchFile> scratch_;
};

}  // namespace strandline::pipeline::ingest
