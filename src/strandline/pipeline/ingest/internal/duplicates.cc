#include "strandline/pipeline/ingest/internal/duplicates.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "strandline/base/parallel.h"
#include "strandline/pipeline/ingest/internal/hash_chains.h"
#include "strandline/pipeline/ingest/internal/key_records.h"

namespace strandline::pipeline::ingest {
namespace {

// Whether `a` wins over `b` where both have one key.
template <typename Record>
bool Wins(const Record& a, const Record& b) {
  return a.order != b.order ? a.order > b.order : a.row < b.row;
}

// One bucket of keys, of `record_bytes` each.
void FindDuplicatesIn(std::string_view bucket, std::size_t record_bytes, const RowSet& published,
                      SecondPassRows& rows) {
  std::vector<KeyRecord> records;
  records.reserve(bucket.size() / record_bytes);
  while (!bucket.empty()) {
    records.push_back(TakeRecord<KeyRecord>(bucket, record_bytes));
  }
  const auto hash_of = [&](std::uint32_t i) -> const Hash128& { return records[i].hash; };
  HashChains chains(records.size());
  std::vector<std::uint32_t> repeated;  // Of each hash that came again, the record that showed it.
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    if (!chains.Add(i, hash_of) && chains.Next(chains.Next(i)) == HashChains::kNone) {
      repeated.push_back(i);
    }
  }

  for (const std::uint32_t second : repeated) {
    const std::uint32_t first = chains.First(records[second].hash, hash_of);
    std::uint32_t winner = first;
    bool any_published = false;
    for (std::uint32_t i = first; i != HashChains::kNone; i = chains.Next(i)) {
      rows.candidates.Add(records[i].row);
      any_published = any_published || published.Contains(records[i].row);
      winner = Wins(records[i], records[winner]) ? i : winner;
    }
    for (std::uint32_t i = first; i != HashChains::kNone; i = chains.Next(i)) {
      if (i != winner || any_published) {
        rows.dropped.Add(records[i].row);
      }
    }
  }
}

// A candidate and the bytes of its key.
struct Candidate {
  CandidateRecord record;
  std::string_view key;
};

std::vector<Candidate> ParseCandidates(std::string_view bucket) {
  std::vector<Candidate> candidates;
  while (!bucket.empty()) {
    const auto record = TakeRecord<CandidateRecord>(bucket);
    candidates.push_back({.record = record, .key = TakeBytes(bucket, record.key_bytes)});
  }
  return candidates;
}

// What is published under a key. Where several rows of the unit found several published rows (a
// table that holds a key twice), the lowest one's counts.
using PublishedPayloads = std::unordered_map<std::string_view, PublishedPayloadRecord>;

PublishedPayloads ParsePayloads(std::string_view bucket) {
  PublishedPayloads payloads;
  while (!bucket.empty()) {
    const auto record = TakeRecord<PublishedPayloadRecord>(bucket);
    const std::string_view key = TakeBytes(bucket, record.key_bytes);
    const auto [known, is_new] = payloads.emplace(key, record);
    if (!is_new && record.row < known->second.row) {
      known->second = record;
    }
  }
  return payloads;
}

// Rows of one key, the winner first.
struct KeyGroup {
  const Candidate* begin = nullptr;
  const Candidate* end = nullptr;
};

// Calls `use` for the candidates of each key.
template <typename Use>
void ForEachKey(std::vector<Candidate>& candidates, const Use& use) {
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    if (a.record.hash != b.record.hash) {
      return a.record.hash < b.record.hash;
    }
    return a.key != b.key ? a.key < b.key : Wins(a.record, b.record);
  });
  const Candidate* const end = candidates.data() + candidates.size();
  for (const Candidate* begin = candidates.data(); begin != end;) {
    const Candidate* group_end = std::find_if(begin, end, [&](const Candidate& other) {
      return other.record.hash != begin->record.hash || other.key != begin->key;
    });
    use(KeyGroup{.begin = begin, .end = group_end});
    begin = group_end;
  }
}

}  // namespace

Status FindDuplicates(BucketStore& keys, bool with_order, const RowSet& published,
                      std::size_t threads, SecondPassRows& rows) {
  const std::size_t record_bytes = with_order ? sizeof(KeyRecord) : kKeyRecordBytes;
  return ParallelFor(BucketStore::kBucketCount, threads, [&](std::size_t bucket) -> Status {
    const std::string records = SL_TRY(keys.Take(bucket));
    FindDuplicatesIn(records, record_bytes, published, rows);
    return {};
  });
}

Result<ResolvedDuplicates> ResolveDuplicates(BucketStore& candidates, BucketStore& payloads,
                                             const RowSet& dropped, std::size_t threads,
                                             RowSet& rescued) {
  std::atomic<std::int64_t> conflicting{0};
  std::atomic<std::int64_t> rescued_count{0};
  const auto resolve = [&](std::size_t bucket) -> Status {
    const std::string bytes = SL_TRY(candidates.Take(bucket));
    const std::string payload_bytes = SL_TRY(payloads.Take(bucket));
    const PublishedPayloads published = ParsePayloads(payload_bytes);

    std::vector<Candidate> rows = ParseCandidates(bytes);
    ForEachKey(rows, [&](const KeyGroup& group) {
      const Candidate* winner = group.begin;
      std::uint64_t winning_payload = winner->record.payload;
      if (const auto found = published.find(winner->key); found != published.end()) {
        winning_payload = found->second.payload;
        winner = nullptr;
      } else if (dropped.Contains(winner->record.row)) {
        rescued.Add(winner->record.row);
        ++rescued_count;
      }
      for (const Candidate* row = group.begin; row != group.end; ++row) {
        conflicting += row != winner && row->record.payload != winning_payload ? 1 : 0;
      }
    });
    return {};
  };
  SL_TRY(ParallelFor(BucketStore::kBucketCount, threads, resolve));
  return ResolvedDuplicates{.rows_conflicting = conflicting, .rows_rescued = rescued_count};
}

}  // namespace strandline::pipeline::ingest
