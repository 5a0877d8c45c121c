#include "strandline/pipeline/ingest/internal/batch_cache.h"

#include <utility>

#include <arrow/api.h>
#include <arrow/util/byte_size.h>

namespace strandline::pipeline::ingest {
namespace {

std::int64_t BytesOf(const format::LandedBatch& batch) {
  std::int64_t bytes = arrow::util::TotalBufferSize(*batch.rows);
  bytes += static_cast<std::int64_t>((batch.row_indexes.capacity() + batch.positions.capacity()) *
                                     sizeof(std::int64_t));
  for (const format::RowProblem& problem : batch.problems) {
    bytes += static_cast<std::int64_t>(sizeof(problem) + problem.raw.capacity());
  }
  return bytes;
}

}  // namespace

bool BatchCache::has_room() const {
  const std::lock_guard lock(mutex_);
  return bytes_ < bytes_max_;
}

void BatchCache::Add(std::size_t file, std::unique_ptr<format::LandedBatch> batch) {
  const std::int64_t bytes = BytesOf(*batch);
  const std::lock_guard lock(mutex_);
  File& kept = files_[file];
  if (kept.forgotten) {
    return;
  }
  if (bytes_ + bytes > bytes_max_) {
    bytes_ -= kept.bytes;
    kept = File{.batches = {}, .bytes = 0, .forgotten = true};
    return;
  }
  bytes_ += bytes;
  kept.bytes += bytes;
  kept.batches.push_back(std::move(batch));
}

void BatchCache::Complete(std::size_t file) {
  const std::lock_guard lock(mutex_);
  files_[file].complete = true;
}

std::optional<std::vector<std::unique_ptr<format::LandedBatch>>> BatchCache::Take(
    std::size_t file) {
  const std::lock_guard lock(mutex_);
  File& kept = files_[file];
  if (kept.forgotten || !kept.complete) {
    return std::nullopt;
  }
  bytes_ -= std::exchange(kept.bytes, 0);
  kept.forgotten = true;
  return std::exchange(kept.batches, {});
}

}  // namespace strandline::pipeline::ingest
