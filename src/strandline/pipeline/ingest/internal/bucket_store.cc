#include "strandline/pipeline/ingest/internal/bucket_store.h"

#include <algorithm>
#include <span>
#include <utility>

namespace strandline::pipeline::ingest {
namespace {

constexpr std::size_t kBlockBytesMin = 4 << 10;
constexpr std::size_t kBlockBytesMax = 64 << 10;

// Every writer has one open block for each bucket: they must stay a small part of the memory.
std::size_t BlockBytes(std::int64_t memory_bytes_max) {
  constexpr std::int64_t kOpenShare = 8;
  const auto wanted =
      static_cast<std::size_t>(memory_bytes_max / kOpenShare) / BucketStore::kBucketCount;
  return std::clamp(wanted, kBlockBytesMin, kBlockBytesMax);
}

}  // namespace

BucketStore::BucketStore(std::int64_t memory_bytes_max, std::string temp_directory)
    : memory_bytes_max_(memory_bytes_max),
      block_bytes_(BlockBytes(memory_bytes_max)),
      temp_directory_(std::move(temp_directory)) {}

BucketStore::Writer::Writer(BucketStore& store) : store_(&store) {}

Status BucketStore::Writer::Append(std::size_t bucket, std::string_view record,
                                   std::string_view tail) {
  std::string& block = open_[bucket];
  const std::size_t size = record.size() + tail.size();
  if (block.size() + size > block.capacity()) [[unlikely]] {
    if (!block.empty()) {
      SL_TRY(store_->Keep(bucket, block));
    }
    block.reserve(std::max(store_->block_bytes_, size));
  }
  block.append(record);
  block.append(tail);
  return {};
}

Status BucketStore::Writer::Finish() {
  for (std::size_t bucket = 0; bucket < kBucketCount; ++bucket) {
    if (!open_[bucket].empty()) {
      open_[bucket].shrink_to_fit();
      SL_TRY(store_->Keep(bucket, open_[bucket]));
    }
    open_[bucket] = std::string();
  }
  return {};
}

Status BucketStore::Keep(std::size_t bucket, std::string& block) {
  {
    const std::lock_guard lock(mutex_);
    buckets_[bucket].bytes += static_cast<std::int64_t>(block.size());
    const auto kept_bytes = static_cast<std::int64_t>(block.capacity());
    if (memory_bytes_ + kept_bytes <= memory_bytes_max_) {
      memory_bytes_ += kept_bytes;
      buckets_[bucket].blocks.push_back(std::exchange(block, std::string()));
      return {};
    }
    if (scratch_ == nullptr) {
      scratch_ = SL_TRY(ScratchFile::Make(temp_directory_));
    }
  }
  const std::int64_t offset = SL_TRY(scratch_->Append(block));
  const std::lock_guard lock(mutex_);
  buckets_[bucket].spilled.push_back({.offset = offset, .size = block.size()});
  spilled_bytes_ += static_cast<std::int64_t>(block.size());
  block.clear();
  return {};
}

Result<std::string> BucketStore::Take(std::size_t bucket) {
  Bucket taken;
  {
    const std::lock_guard lock(mutex_);
    taken = std::exchange(buckets_[bucket], Bucket());
    for (const std::string& block : taken.blocks) {
      memory_bytes_ -= static_cast<std::int64_t>(block.capacity());
    }
  }
  std::string records(static_cast<std::size_t>(taken.bytes), '\0');
  std::size_t end = 0;
  for (std::string& block : taken.blocks) {
    std::ranges::copy(block, records.begin() + static_cast<std::ptrdiff_t>(end));
    end += block.size();
    block = std::string();
  }
  for (const SpilledBlock& block : taken.spilled) {
    SL_TRY(scratch_->ReadAt(block.offset, std::span(records).subspan(end, block.size)));
    end += block.size;
  }
  return records;
}

std::int64_t BucketStore::bytes(std::size_t bucket) const { return buckets_[bucket].bytes; }

std::int64_t BucketStore::total_bytes() const {
  std::int64_t total = 0;
  for (const Bucket& bucket : buckets_) {
    total += bucket.bytes;
  }
  return total;
}

}  // namespace strandline::pipeline::ingest
