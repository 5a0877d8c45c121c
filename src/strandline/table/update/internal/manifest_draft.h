#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "strandline/table/manifest/manifest.h"
#include "strandline/table/metadata/table_metadata.h"

namespace strandline::table::internal {

// A partition of one spec.
struct PartitionKey {
  SpecId spec_id;
  PartitionTuple tuple;

  friend bool operator<(const PartitionKey& a, const PartitionKey& b) {
    return a.spec_id != b.spec_id ? a.spec_id < b.spec_id : PartitionLess(a.tuple, b.tuple);
  }
};
using PartitionSet = std::set<PartitionKey>;

// One manifest of the snapshot being made: a line of the parent's list that stays as it is, or
// entries that are still to be written.
struct ManifestDraft {
  ManifestContent content = ManifestContent::kData;
  SpecId spec_id;
  std::optional<ManifestFile> line;    // Set: stays as it is.
  std::vector<ManifestEntry> entries;  // Only where `line` is not set.
  std::int64_t estimated_length = 0;   // Bytes once written.
};

// Files and rows of the live entries of `draft`; absent when the line does not say.
struct LiveCounts {
  std::int64_t files = 0;
  std::int64_t rows = 0;
};
std::optional<LiveCounts> CountLive(const ManifestDraft& draft);

// The drafts that begin a snapshot on top of a parent's list: lines that surely hold no live entry
// are left out.
std::vector<ManifestDraft> DraftsOf(const std::vector<ManifestFile>& manifests);

// Whether a manifest may hold files of any of these partitions, judged by its line. Missing or
// undecodable bounds are unknown.
Result<bool> MayHold(const TableMetadata& metadata, const ManifestFile& line,
                     const PartitionSet& partitions);

// The live entries of a manifest as they stand in a rewritten one: existing, with their ids and
// sequence numbers.
Result<std::vector<ManifestEntry>> ReadLiveEntries(io::FileIo& io, const TableMetadata& metadata,
                                                   const ManifestFile& line);

inline bool IsLive(const ManifestEntry& entry) { return entry.status != EntryStatus::kDeleted; }

// Marks a live entry as removed by the snapshot `by`; its sequence numbers stay.
inline void MarkDeleted(ManifestEntry& entry, SnapshotId by) {
  entry.status = EntryStatus::kDeleted;
  entry.snapshot_id = by;
}

}  // namespace strandline::table::internal
