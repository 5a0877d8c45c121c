#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "strandline/base/check.h"
#include "strandline/base/hash.h"
#include "strandline/pipeline/ingest/internal/bucket_store.h"
#include "strandline/pipeline/ingest/internal/partition_router.h"
#include "strandline/pipeline/ingest/internal/row_id.h"

namespace strandline::pipeline::ingest {

// What an ingest notes of rows in its bucket stores. All lie there as they lie in memory: the
// stores live and die with the process.

// A key of the unit that passed the first pass. Without `keep: max(column)` `order` is left out.
struct KeyRecord {
  Hash128 hash;
  RowId row;
  std::int64_t order = 0;
};
inline constexpr std::size_t kKeyRecordBytes = 24;  // Without `order`.
static_assert(sizeof(KeyRecord) == 32);

// A key that the table perhaps holds; its bytes follow.
struct AskedRecord {
  Hash128 hash;
  RowId row;
  PartitionNumber partition = 0;
  std::uint32_t key_bytes = 0;
};

// A row of the unit whose key is published, and where: the row of that number among the live ones
// of one part of the scan. The key's bytes follow.
struct PublishedRecord {
  Hash128 hash;
  RowId row;
  std::uint64_t ordinal = 0;
  std::uint32_t part = 0;
  std::uint32_t key_bytes = 0;
};

// The fingerprint of what the published row of a key holds beside it; the key's bytes follow.
struct PublishedPayloadRecord {
  RowId row;  // Of the unit.
  std::uint64_t payload = 0;
  std::uint64_t key_bytes = 0;
};

// A row that shares its key's hash with other rows of the unit, or whose key is published, as the
// second pass saw it; its key's bytes follow.
struct CandidateRecord {
  Hash128 hash;
  RowId row;
  std::int64_t order = 0;
  std::uint64_t payload = 0;
  std::uint64_t key_bytes = 0;
};

inline std::size_t BucketOf(const Hash128& hash) {
  static_assert(BucketStore::kBucketCount == 256);
  return static_cast<std::size_t>(hash.high >> 56);
}

// The bytes of a record for a bucket store.
template <typename Record>
std::string_view BytesOf(const Record& record) {
  return {reinterpret_cast<const char*>(&record), sizeof(Record)};
}

// Takes one record, or so many bytes, from the front of what a bucket held.
template <typename Record>
Record TakeRecord(std::string_view& bytes, std::size_t size = sizeof(Record)) {
  SL_CHECK(bytes.size() >= size && size <= sizeof(Record));
  Record record;
  std::memcpy(static_cast<void*>(&record), bytes.data(), size);
  bytes.remove_prefix(size);
  return record;
}
inline std::string_view TakeBytes(std::string_view& bytes, std::size_t size) {
  SL_CHECK(bytes.size() >= size);
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

}  // namespace strandline::pipeline::ingest
