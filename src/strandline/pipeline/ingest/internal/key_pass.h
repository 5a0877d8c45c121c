#pragma once

#include <cstdint>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/pipeline/ingest/internal/bucket_store.h"
#include "strandline/pipeline/ingest/internal/published_keys.h"
#include "strandline/pipeline/ingest/internal/unit_context.h"

namespace strandline::pipeline::ingest {

// What the first pass found out.
struct KeyPass {
  std::vector<std::int64_t> rows_by_file;       // Problem rows included.
  std::vector<std::int64_t> rows_by_partition;  // By PartitionNumber.
  std::int64_t keys_asked = 0;
  std::int64_t filter_hits = 0;

  std::int64_t rows() const;
};

// Reads keys and times of all files, on several threads: notes each good row's key in `keys`
// (KeyRecord, by BucketOf), and in `asked` (AskedRecord, likewise) the ones that the table perhaps
// holds.
Result<KeyPass> ReadKeys(UnitContext& context, PublishedKeys& published, BucketStore& keys,
                         BucketStore& asked);

}  // namespace strandline::pipeline::ingest
