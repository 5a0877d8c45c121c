#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/format/batch/batch_stream.h"

namespace strandline::quality {

struct UniqueResult {
  std::int64_t rows = 0;           // With a key: none of its columns is null.
  std::int64_t extra_rows = 0;     // Beyond the first of their key.
  std::int64_t repeated_keys = 0;  // Distinct keys that occur more than once.
  std::vector<std::string> samples;
};

struct UniqueOptions {
  int threads = 2;
  // Bounds the hashes kept at once: with less, the keys are read several times, a share of the hash
  // space each.
  std::int64_t memory_limit_bytes = std::int64_t{1} << 30;
  std::int64_t rows_expected = 0;  // From metadata; decides how often the keys are read.
  std::size_t samples_max = 5;
};

// Counts rows whose key occurs before, over all columns of `source`. Keys are hashed to 128 bits;
// those whose hashes are equal are compared byte by byte. Nulls are not keys, as in SQL.
// Independent of how ingest deduplicates, so that it can audit it. kUnsupported for nested columns.
Result<UniqueResult> CountRepeatedKeys(format::BatchSource& source, const UniqueOptions& options,
                                       const std::stop_token& stop);

}  // namespace strandline::quality
