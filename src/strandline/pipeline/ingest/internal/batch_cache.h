#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "strandline/format/landing/landing_reader.h"

namespace strandline::pipeline::ingest {

// Rows that the first pass decoded and the second need not decode again, file by file, as far as
// memory allows. Worth it where reading some columns costs as much as reading all: JSON lines.
// Thread-safe; one file is added by one thread.
class BatchCache {
 public:
  BatchCache(std::size_t file_count, std::int64_t bytes_max)
      : files_(file_count), bytes_max_(bytes_max) {}

  bool has_room() const;

  // Keeps the next batch of a file; without room the file is forgotten altogether.
  void Add(std::size_t file, std::unique_ptr<format::LandedBatch> batch);

  // The whole file has been added.
  void Complete(std::size_t file);

  // All batches of a file, which leave the cache; absent when it has not kept them.
  std::optional<std::vector<std::unique_ptr<format::LandedBatch>>> Take(std::size_t file);

 private:
  struct File {
    std::vector<std::unique_ptr<format::LandedBatch>> batches;
    std::int64_t bytes = 0;
    bool forgotten = false;
    bool complete = false;
  };

  mutable std::mutex mutex_;
  std::vector<File> files_;
  const std::int64_t bytes_max_;
  std::int64_t bytes_ = 0;
};

}  // namespace strandline::pipeline::ingest
