#include "strandline/table/update/snapshot_change.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "strandline/base/uuid.h"
#include "strandline/io/location.h"
#include "strandline/table/deletes/path_bounds.h"
#include "strandline/table/update/attempt_files.h"
#include "strandline/table/update/internal/manifest_draft.h"
#include "strandline/table/update/internal/manifest_merge.h"
#include "strandline/table/update/internal/removal.h"
#include "strandline/table/update/internal/snapshot_summary.h"

namespace strandline::table {
namespace {

using internal::ManifestDraft;
using internal::RemovedFile;

// Bytes of one manifest entry where the table has none yet to learn from.
constexpr std::int64_t kTypicalEntryBytes = 512;

std::string MetadataFolder(const TableMetadata& metadata) {
  return PropertyOr(metadata, "write.metadata.path",
                    io::JoinLocation(metadata.location, "metadata"));
}

// What the new snapshot grows from.
struct Head {
  std::optional<SnapshotId> ref_id;  // Where the branch points now; absent: there is no such ref.
  const Snapshot* parent = nullptr;  // Null for a table's first snapshot.
  SnapshotRef ref;                   // The branch's settings, kept.
};

Result<Head> FindHead(const TableMetadata& base, const std::string& branch) {
  Head head;
  head.ref_id = RefSnapshotId(base, branch);
  const auto ref = base.refs.find(branch);
  if (ref != base.refs.end()) {
    head.ref = ref->second;
    if (head.ref.kind != RefKind::kBranch) {
      return MakeError(ErrorKind::kInvalidArgument, "snapshots cannot be added to a tag: {}",
                       branch);
    }
  }
  // A new branch starts where main is.
  const std::optional<SnapshotId> parent_id = head.ref_id ? head.ref_id : base.current_snapshot_id;
  if (!parent_id) {
    return head;
  }
  head.parent = FindSnapshot(base, *parent_id);
  if (head.parent == nullptr) {
    return MakeError(ErrorKind::kCorrupt, "{} points at a snapshot that is not in the table: {}",
                     branch, *parent_id);
  }
  return head;
}

Status CheckAdded(const TableMetadata& base, const std::vector<NewFile>& added) {
  std::set<std::string> paths;
  for (const NewFile& file : added) {
    const PartitionSpec* spec = FindSpec(base, file.spec_id);
    if (spec == nullptr) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "file is of an unknown partition spec: {} of {}", file.spec_id,
                       file.file.file_path);
    }
    if (file.file.partition.size() != spec->fields.size()) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "file has {} partition values where its spec {} has {} fields: {}",
                       file.file.partition.size(), file.spec_id, spec->fields.size(),
                       file.file.file_path);
    }
    if (file.file.content == FileContent::kEqualityDeletes) {
      return MakeError(ErrorKind::kUnsupported, "equality deletes are not written: {}",
                       file.file.file_path);
    }
    if (!paths.insert(PathKey(file.file.file_path)).second) {
      return MakeError(ErrorKind::kInvalidArgument, "file is added twice: {}", file.file.file_path);
    }
  }
  return {};
}

SnapshotId NewSnapshotId(const TableMetadata& base, Rng& rng) {
  while (true) {
    const SnapshotId id(static_cast<std::int64_t>(rng.Next() >> 1U));
    if (id.value() > 0 && FindSnapshot(base, id) == nullptr) {
      return id;
    }
  }
}

// Average bytes of an entry in the manifests that are there.
std::int64_t EntryBytes(const std::vector<ManifestDraft>& drafts) {
  std::int64_t size_bytes = 0;
  std::int64_t entries = 0;
  for (const ManifestDraft& draft : drafts) {
    const std::optional<internal::LiveCounts> counts = CountLive(draft);
    if (draft.line && counts) {
      size_bytes += draft.estimated_length;
      entries += counts->files;
    }
  }
  return entries > 0 ? std::max<std::int64_t>(1, size_bytes / entries) : kTypicalEntryBytes;
}

// New manifests for the files added: one for each content and spec, more where one would be too
// large.
std::vector<ManifestDraft> DraftsOfAdded(const TableMetadata& base,
                                         const std::vector<NewFile>& added,
                                         std::int64_t entry_bytes) {
  const std::int64_t entries_max =
      std::max<std::int64_t>(1, internal::MergePolicyOf(base).target_size_bytes / entry_bytes);
  std::map<std::pair<ManifestContent, SpecId>, std::vector<ManifestDraft>> kinds;
  for (const NewFile& file : added) {
    const ManifestContent content = file.file.content == FileContent::kData
                                        ? ManifestContent::kData
                                        : ManifestContent::kDeletes;
    std::vector<ManifestDraft>& drafts = kinds[{content, file.spec_id}];
    if (drafts.empty() || static_cast<std::int64_t>(drafts.back().entries.size()) >= entries_max) {
      drafts.push_back({.content = content,
                        .spec_id = file.spec_id,
                        .line = std::nullopt,
                        .entries = {},
                        .estimated_length = 0});
    }
    drafts.back().entries.push_back({.status = EntryStatus::kAdded,
                                     .snapshot_id = std::nullopt,
                                     .sequence_number = std::nullopt,
                                     .file_sequence_number = std::nullopt,
                                     .file = file.file});
    drafts.back().estimated_length += entry_bytes;
  }
  std::vector<ManifestDraft> all;
  for (auto& [kind, drafts] : kinds) {
    std::ranges::move(drafts, std::back_inserter(all));
  }
  return all;
}

// Writes the manifests of one attempt.
class ManifestWriter {
 public:
  ManifestWriter(io::FileIo& io, const TableMetadata& base, SnapshotId snapshot_id,
                 std::string uuid, AttemptFiles& files)
      : io_(io), base_(base), snapshot_id_(snapshot_id), uuid_(std::move(uuid)), files_(files) {}

  Result<ManifestFile> Write(const ManifestDraft& draft) {
    const PartitionSpec* spec = FindSpec(base_, draft.spec_id);
    if (spec == nullptr) {
      return MakeError(ErrorKind::kCorrupt, "manifest is of an unknown partition spec: {}",
                       draft.spec_id);
    }
    const std::string location =
        io::JoinLocation(MetadataFolder(base_), fmt::format("{}-m{}.avro", uuid_, number_++));
    files_.Add(location);
    return WriteManifest(io_, base_, *spec, draft.content, snapshot_id_, location, draft.entries);
  }

 private:
  io::FileIo& io_;
  const TableMetadata& base_;
  SnapshotId snapshot_id_;
  std::string uuid_;
  AttemptFiles& files_;
  int number_ = 0;
};

// Writes the drafts that need it and returns the lines of the manifest list: data first.
Result<std::vector<ManifestFile>> WriteDrafts(const std::vector<ManifestDraft>& drafts,
                                              ManifestWriter& writer) {
  std::vector<ManifestFile> lines;
  for (const ManifestContent content : {ManifestContent::kData, ManifestContent::kDeletes}) {
    for (const ManifestDraft& draft : drafts) {
      if (draft.content != content) {
        continue;
      }
      if (draft.line) {
        lines.push_back(*draft.line);
        continue;
      }
      ManifestFile line = SL_TRY(writer.Write(draft));
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

CommitRequest RequestFor(const TableMetadata& base, const std::string& branch, const Head& head,
                         Snapshot snapshot) {
  SnapshotRef ref = head.ref;
  ref.snapshot_id = snapshot.id;
  CommitRequest request;
  request.requirements.emplace_back(AssertUuid{base.table_uuid});
  request.requirements.emplace_back(AssertRefSnapshotId{branch, head.ref_id});
  request.requirements.emplace_back(AssertCurrentSchemaId{base.current_schema_id});
  request.requirements.emplace_back(AssertDefaultSpecId{base.default_spec_id});
  request.updates.emplace_back(AddSnapshot{std::move(snapshot)});
  request.updates.emplace_back(SetSnapshotRef{branch, ref});
  return request;
}

std::int64_t CommitTimeMs(const TableMetadata& base, const Clock& clock) {
  const std::int64_t now_ms =
      std::chrono::floor<std::chrono::milliseconds>(clock.Now()).time_since_epoch().count();
  return std::max(now_ms, base.last_updated_ms + 1);
}

}  // namespace

Result<PreparedSnapshot> PrepareSnapshot(const TableMetadata& base, const SnapshotChange& change,
                                         io::FileIo& io, const Clock& clock, Rng& rng) {
  SL_TRY(CheckAdded(base, change.added));
  const Head head = SL_TRY(FindHead(base, change.branch));
  const SnapshotId snapshot_id = NewSnapshotId(base, rng);
  const SequenceNumber sequence_number(base.last_sequence_number.value() + 1);

  std::vector<ManifestDraft> drafts;
  if (head.parent != nullptr) {
    const std::vector<ManifestFile> lines =
        SL_TRY(ReadManifestList(io, *head.parent), "reading snapshot {}", head.parent->id);
    drafts = internal::DraftsOf(lines);
  }
  const std::int64_t entry_bytes = EntryBytes(drafts);
  std::vector<RemovedFile> removed =
      SL_TRY(internal::RemoveDataFiles(io, base, change, snapshot_id, drafts));
  std::vector<RemovedFile> dangling =
      SL_TRY(internal::RemoveDanglingDeletes(io, base, removed, snapshot_id, drafts));
  std::ranges::move(dangling, std::back_inserter(removed));
  std::vector<ManifestDraft> added = DraftsOfAdded(base, change.added, entry_bytes);
  drafts.insert(drafts.begin(), std::make_move_iterator(added.begin()),
                std::make_move_iterator(added.end()));

  const std::string uuid = NewUuidV4(rng);
  AttemptFiles files(io);
  ManifestWriter writer(io, base, snapshot_id, uuid, files);
  drafts =
      SL_TRY(internal::MergeDrafts(io, base, std::move(drafts), [&](const ManifestDraft& draft) {
        return writer.Write(draft);
      }));
  const std::vector<ManifestFile> lines = SL_TRY(WriteDrafts(drafts, writer), "writing manifests");
  const std::string list =
      io::JoinLocation(MetadataFolder(base), fmt::format("snap-{}-1-{}.avro", snapshot_id, uuid));
  files.Add(list);
  const std::optional<SnapshotId> parent_id =
      head.parent != nullptr ? std::optional(head.parent->id) : std::nullopt;
  SL_TRY(WriteManifestList(io, list, snapshot_id, parent_id, sequence_number, lines));

  const internal::ChangeCounts counts = internal::CountChange(change.added, removed);
  const Operation operation = change.operation.value_or(internal::OperationFor(counts));
  Snapshot snapshot;
  snapshot.id = snapshot_id;
  snapshot.parent_id = parent_id;
  snapshot.sequence_number = sequence_number;
  snapshot.timestamp_ms = CommitTimeMs(base, clock);
  snapshot.manifest_list = list;
  snapshot.schema_id = base.current_schema_id;
  snapshot.summary = internal::SummaryOf(operation, counts, head.parent, drafts);
  snapshot.summary.insert(change.summary.begin(), change.summary.end());
  return PreparedSnapshot{.request = RequestFor(base, change.branch, head, std::move(snapshot)),
                          .snapshot_id = snapshot_id,
                          .sequence_number = sequence_number,
                          .written_files = files.Keep()};
}

}  // namespace strandline::table
