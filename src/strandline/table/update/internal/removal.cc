#include "strandline/table/update/internal/removal.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "strandline/io/location.h"
#include "strandline/table/deletes/path_bounds.h"
#include "strandline/table/deletes/position_deletes.h"

namespace strandline::table::internal {
namespace {

PartitionSet ToSet(const std::vector<std::pair<SpecId, PartitionTuple>>& partitions) {
  PartitionSet set;
  for (const auto& [spec_id, tuple] : partitions) {
    set.insert({spec_id, tuple});
  }
  return set;
}

// Whether rows of the data file at `path` may be deleted by `deletes`; both of one partition.
bool MayPointAt(const DataFile& deletes, const std::string& path) {
  if (const std::optional<std::string> target = ReferencedDataFile(deletes)) {
    return io::SameLocation(*target, path);
  }
  return PathMayLieWithin(path, FindBound(deletes.lower_bounds, kDeleteFilePathId),
                          FindBound(deletes.upper_bounds, kDeleteFilePathId));
}

bool IsNotNewer(const ManifestEntry& data, const ManifestEntry& deletes) {
  return !data.sequence_number || !deletes.sequence_number ||
         *data.sequence_number <= *deletes.sequence_number;
}

// A position delete file that may have lost its last data file.
struct Candidate {
  PartitionKey partition;
  ManifestEntry deletes;
  bool has_target = false;  // A data file that stays may still be pointed at.
};

// Delete manifests with candidates, read and kept for rewriting.
struct ReadDeletes {
  std::size_t draft;
  std::vector<ManifestEntry> entries;
};

using RemovedByPartition = std::map<PartitionKey, std::vector<const ManifestEntry*>>;

RemovedByPartition ByPartition(const std::vector<RemovedFile>& files) {
  RemovedByPartition partitions;
  for (const RemovedFile& file : files) {
    partitions[{file.spec_id, file.entry.file.partition}].push_back(&file.entry);
  }
  return partitions;
}

bool MayHavePointedAtRemoved(SpecId spec_id, const ManifestEntry& deletes,
                             const RemovedByPartition& removed) {
  const auto found = removed.find({spec_id, deletes.file.partition});
  return found != removed.end() &&
         std::ranges::any_of(found->second, [&](const ManifestEntry* data) {
           return IsNotNewer(*data, deletes) && MayPointAt(deletes.file, data->file.file_path);
         });
}

// Lets a data file that stays claim the candidates that may point at it.
void Claim(SpecId spec_id, const ManifestEntry& data, std::vector<Candidate>& candidates) {
  for (Candidate& candidate : candidates) {
    const PartitionKey key{spec_id, data.file.partition};
    if (!candidate.has_target && !(key < candidate.partition) && !(candidate.partition < key) &&
        IsNotNewer(data, candidate.deletes) &&
        MayPointAt(candidate.deletes.file, data.file.file_path)) {
      candidate.has_target = true;
    }
  }
}

// Looks for data files that stay and that candidates may still point at.
Status FindTargets(io::FileIo& io, const TableMetadata& metadata,
                   const std::vector<ManifestDraft>& drafts, std::vector<Candidate>& candidates) {
  PartitionSet partitions;
  for (const Candidate& candidate : candidates) {
    if (!ReferencedDataFile(candidate.deletes.file)) {
      partitions.insert(candidate.partition);
    }
  }
  if (partitions.empty()) {
    return {};
  }
  const ManifestReadOptions paths_only{.bounds = false, .column_sizes = false, .columns = {}};
  for (const ManifestDraft& draft : drafts) {
    if (draft.content != ManifestContent::kData) {
      continue;
    }
    if (!draft.line) {
      for (const ManifestEntry& entry : draft.entries) {
        if (IsLive(entry)) {
          Claim(draft.spec_id, entry, candidates);
        }
      }
      continue;
    }
    const bool may_hold = SL_TRY(MayHold(metadata, *draft.line, partitions));
    if (!may_hold) {
      continue;
    }
    SL_TRY(ReadManifest(io, metadata, *draft.line, paths_only,
                        [&](ManifestEntry&& entry) -> Result<bool> {
                          if (IsLive(entry)) {
                            Claim(draft.spec_id, entry, candidates);
                          }
                          return true;
                        }),
           "looking for files that deletes point at");
  }
  return {};
}

}  // namespace

Result<std::vector<RemovedFile>> RemoveDataFiles(io::FileIo& io, const TableMetadata& metadata,
                                                 const SnapshotChange& change,
                                                 SnapshotId snapshot_id,
                                                 std::vector<ManifestDraft>& drafts) {
  std::map<std::string, std::string_view> missing;
  for (const std::string& path : change.removed) {
    missing.emplace(PathKey(path), path);
  }
  std::set<std::string> added;
  for (const NewFile& file : change.added) {
    added.insert(PathKey(file.file.file_path));
  }
  const PartitionSet partitions = ToSet(change.removed_from);
  std::vector<RemovedFile> removed;
  for (ManifestDraft& draft : drafts) {
    if (missing.empty()) {
      break;
    }
    if (draft.content != ManifestContent::kData) {
      continue;
    }
    if (!partitions.empty()) {
      const bool may_hold = SL_TRY(MayHold(metadata, *draft.line, partitions));
      if (!may_hold) {
        continue;
      }
    }
    std::vector<ManifestEntry> entries = SL_TRY(ReadLiveEntries(io, metadata, *draft.line));
    bool is_touched = false;
    for (ManifestEntry& entry : entries) {
      const std::string key = PathKey(entry.file.file_path);
      if (added.contains(key)) {
        return MakeError(ErrorKind::kInvalidArgument,
                         "file to be added is in the table already: {}", entry.file.file_path);
      }
      if (missing.erase(key) > 0) {
        removed.push_back({draft.spec_id, entry});
        MarkDeleted(entry, snapshot_id);
        is_touched = true;
      }
    }
    if (is_touched) {
      draft.line.reset();
      draft.entries = std::move(entries);
    }
  }
  if (!missing.empty()) {
    return MakeError(ErrorKind::kNotFound,
                     "file to be removed is not in the table (any more): {}, of {} such files",
                     missing.begin()->second, missing.size());
  }
  return removed;
}

Result<std::vector<RemovedFile>> RemoveDanglingDeletes(io::FileIo& io,
                                                       const TableMetadata& metadata,
                                                       const std::vector<RemovedFile>& removed,
                                                       SnapshotId snapshot_id,
                                                       std::vector<ManifestDraft>& drafts) {
  if (removed.empty()) {
    return std::vector<RemovedFile>{};
  }
  const RemovedByPartition removed_by_partition = ByPartition(removed);
  PartitionSet partitions;
  for (const auto& [partition, entries] : removed_by_partition) {
    partitions.insert(partition);
  }
  std::vector<Candidate> candidates;
  std::vector<ReadDeletes> read;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const ManifestDraft& draft = drafts[i];
    if (draft.content != ManifestContent::kDeletes) {
      continue;
    }
    const bool may_hold = SL_TRY(MayHold(metadata, *draft.line, partitions));
    if (!may_hold) {
      continue;
    }
    std::vector<ManifestEntry> entries = SL_TRY(ReadLiveEntries(io, metadata, *draft.line));
    const std::size_t before = candidates.size();
    for (const ManifestEntry& entry : entries) {
      if (entry.file.content == FileContent::kPositionDeletes &&
          MayHavePointedAtRemoved(draft.spec_id, entry, removed_by_partition)) {
        candidates.push_back({{draft.spec_id, entry.file.partition}, entry});
      }
    }
    if (candidates.size() > before) {
      read.push_back({i, std::move(entries)});
    }
  }
  SL_TRY(FindTargets(io, metadata, drafts, candidates));

  std::set<std::string_view> dangling;
  for (const Candidate& candidate : candidates) {
    if (!candidate.has_target) {
      dangling.insert(candidate.deletes.file.file_path);
    }
  }
  std::vector<RemovedFile> dropped;
  for (ReadDeletes& manifest : read) {
    ManifestDraft& draft = drafts[manifest.draft];
    bool is_touched = false;
    for (ManifestEntry& entry : manifest.entries) {
      if (dangling.contains(entry.file.file_path)) {
        dropped.push_back({draft.spec_id, entry});
        MarkDeleted(entry, snapshot_id);
        is_touched = true;
      }
    }
    if (is_touched) {
      draft.line.reset();
      draft.entries = std::move(manifest.entries);
    }
  }
  return dropped;
}

}  // namespace strandline::table::internal
