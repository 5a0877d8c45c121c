#include "strandline/quality/unique.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>

#include <arrow/api.h>

#include "strandline/base/hash.h"
#include "strandline/base/parallel.h"
#include "strandline/quality/internal/key_bytes.h"

namespace strandline::quality {
namespace {

using internal::KeyBytes;

// Equal hashes are compared byte by byte afterwards, so 64 bits are enough: half the memory to
// move.
using KeyHash = std::uint64_t;

// Many enough that the table of one bucket stays in a core's cache.
constexpr std::size_t kBucketBits = 10;
constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
using Buckets = std::array<std::vector<KeyHash>, kBuckets>;

std::size_t BucketOf(KeyHash hash) { return hash >> (64U - kBucketBits); }

// Never 0, which marks a free slot.
KeyHash HashOf(std::string_view key) {
  const KeyHash hash = HashBytes(key);
  return hash == 0 ? 1 : hash;
}

// Which share of the hash space a pass looks at; told by bits that buckets and slots do not use.
struct Share {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
  bool Has(KeyHash hash) const { return count == 1 || (hash >> 32U) % count == index; }
};

// Calls `visit(keys, rows)` for each batch, from several threads.
using VisitKeys = std::function<Status(std::size_t part, KeyBytes& keys, std::int64_t rows)>;

Status ForEachBatch(format::BatchSource& source, int threads, const std::stop_token& stop,
                    const VisitKeys& visit) {
  return ParallelFor(
      source.part_count(), static_cast<std::size_t>(threads), [&](std::size_t part) -> Status {
        const std::unique_ptr<format::BatchStream> stream = SL_TRY(source.OpenPart(part));
        while (true) {
          if (stop.stop_requested()) {
            return MakeError(ErrorKind::kCancelled, "stopped while checking keys");
          }
          const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
          if (batch == nullptr) {
            return {};
          }
          KeyBytes keys = SL_TRY(KeyBytes::Make(*batch));
          SL_TRY(visit(part, keys, batch->num_rows()));
        }
      });
}

// The hashes of one bucket that occur more than once, in an open-addressed table.
void FindRepeats(const std::vector<const std::vector<KeyHash>*>& parts,
                 std::vector<KeyHash>& repeats) {
  std::size_t count = 0;
  for (const std::vector<KeyHash>* part : parts) {
    count += part->size();
  }
  std::size_t capacity = 16;
  while (capacity < count * 2) {
    capacity *= 2;
  }
  constexpr KeyHash kFree = 0;
  std::vector<KeyHash> slots(capacity, kFree);
  for (const std::vector<KeyHash>* part : parts) {
    for (const KeyHash hash : *part) {
      std::size_t slot = hash & (capacity - 1);
      while (slots[slot] != kFree && slots[slot] != hash) {
        slot = (slot + 1) & (capacity - 1);
      }
      if (slots[slot] == hash) {
        repeats.push_back(hash);
      }
      slots[slot] = hash;
    }
  }
}

// Rows and repeated hashes of one share of the hash space.
struct PassResult {
  std::int64_t rows = 0;
  std::vector<KeyHash> repeats;  // Distinct, sorted.
};

// Puts the hash of each key of one batch into its bucket; how many there were.
std::int64_t AddHashes(KeyBytes& keys, std::int64_t count, const Share& share, Buckets& buckets) {
  std::int64_t added = 0;
  const auto add = [&](std::string_view key) {
    const KeyHash hash = HashOf(key);
    if (share.Has(hash)) {
      buckets[BucketOf(hash)].push_back(hash);
      ++added;
    }
  };
  if (const arrow::BinaryArray* texts = keys.single_text();
      texts != nullptr && texts->null_count() == 0) {
    for (std::int64_t row = 0; row < count; ++row) {
      add(texts->GetView(row));
    }
    return added;
  }
  for (std::int64_t row = 0; row < count; ++row) {
    const std::string_view key = keys.At(row);
    if (key.data() != nullptr) {
      add(key);
    }
  }
  return added;
}

Result<PassResult> HashPass(format::BatchSource& source, const Share& share,
                            const UniqueOptions& options, const std::stop_token& stop) {
  std::mutex mutex;
  std::vector<std::unique_ptr<Buckets>> all;
  std::vector<Buckets*> idle;
  std::atomic<std::int64_t> rows{0};
  const auto take = [&]() -> Buckets* {
    const std::lock_guard lock(mutex);
    if (idle.empty()) {
      all.push_back(std::make_unique<Buckets>());
      return all.back().get();
    }
    Buckets* buckets = idle.back();
    idle.pop_back();
    return buckets;
  };
  SL_TRY(ForEachBatch(source, options.threads, stop,
                      [&](std::size_t, KeyBytes& keys, std::int64_t count) -> Status {
                        Buckets* buckets = take();
                        rows += AddHashes(keys, count, share, *buckets);
                        const std::lock_guard lock(mutex);
                        idle.push_back(buckets);
                        return {};
                      }));
  PassResult result{.rows = rows, .repeats = {}};
  SL_TRY(ParallelFor(kBuckets, static_cast<std::size_t>(options.threads),
                     [&](std::size_t bucket) -> Status {
                       std::vector<const std::vector<KeyHash>*> parts;
                       for (const std::unique_ptr<Buckets>& buckets : all) {
                         parts.push_back(&(*buckets)[bucket]);
                       }
                       std::vector<KeyHash> repeats;
                       FindRepeats(parts, repeats);
                       const std::lock_guard lock(mutex);
                       result.repeats.insert(result.repeats.end(), repeats.begin(), repeats.end());
                       return {};
                     }));
  std::ranges::sort(result.repeats);
  const auto duplicates = std::ranges::unique(result.repeats);
  result.repeats.erase(duplicates.begin(), duplicates.end());
  return result;
}

// Reads the keys again and compares those with repeated hashes byte by byte.
Status CompareKeys(format::BatchSource& source, const std::vector<KeyHash>& repeats,
                   const UniqueOptions& options, const std::stop_token& stop,
                   UniqueResult& result) {
  std::mutex mutex;
  std::map<std::string, std::int64_t> counts;
  SL_TRY(ForEachBatch(source, options.threads, stop,
                      [&](std::size_t, KeyBytes& keys, std::int64_t count) -> Status {
                        for (std::int64_t row = 0; row < count; ++row) {
                          const std::string_view key = keys.At(row);
                          if (key.data() == nullptr ||
                              !std::ranges::binary_search(repeats, HashOf(key))) {
                            continue;
                          }
                          const std::lock_guard lock(mutex);
                          const std::int64_t seen = ++counts[std::string(key)];
                          if (seen == 2 && result.samples.size() < options.samples_max) {
                            result.samples.push_back(keys.TextAt(row));
                          }
                        }
                        return {};
                      }));
  for (const auto& [key, count] : counts) {
    if (count > 1) {
      ++result.repeated_keys;
      result.extra_rows += count - 1;
    }
  }
  return {};
}

}  // namespace

Result<UniqueResult> CountRepeatedKeys(format::BatchSource& source, const UniqueOptions& options,
                                       const std::stop_token& stop) {
  // Keys compared byte by byte in one go: what a report needs, not what a broken table could hold.
  constexpr std::size_t kComparedMax = 1 << 20;
  // Vectors grow by doubling, and a bucket's table comes on top.
  constexpr std::int64_t kBytesPerRow = 3 * sizeof(KeyHash);
  UniqueResult result;
  Share share;
  const std::int64_t needed = options.rows_expected * kBytesPerRow;
  share.count = static_cast<std::uint64_t>(
      1 + needed / std::max<std::int64_t>(options.memory_limit_bytes, 1 << 20));
  while (share.index < share.count) {
    PassResult pass = SL_TRY(HashPass(source, share, options, stop));
    result.rows += pass.rows;
    for (std::size_t at = 0; at < pass.repeats.size(); at += kComparedMax) {
      const auto first = pass.repeats.begin() + static_cast<std::ptrdiff_t>(at);
      const auto last = pass.repeats.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                   at + kComparedMax, pass.repeats.size()));
      SL_TRY(CompareKeys(source, std::vector<KeyHash>(first, last), options, stop, result));
    }
    ++share.index;
  }
  return result;
}

}  // namespace strandline::quality
