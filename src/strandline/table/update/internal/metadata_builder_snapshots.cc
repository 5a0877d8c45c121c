// The updates of snapshots and refs.

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "strandline/table/json/json.h"
#include "strandline/table/update/internal/metadata_builder.h"

namespace strandline::table::internal {
namespace {

// Other readers refuse a snapshot that is older than the table's last change by more than this.
constexpr std::int64_t kClockToleranceMs = 60'000;

// The snapshot that a statistics entry belongs to; absent when the text does not say.
std::optional<SnapshotId> StatisticsSnapshot(const std::string& json) {
  const Result<Json> entry = ParseJson(json);
  if (!entry || !entry->is_object()) {
    return std::nullopt;
  }
  const Result<std::int64_t> id = Int64Member(*entry, "snapshot-id");
  return id ? std::optional(SnapshotId(*id)) : std::nullopt;
}

void DropStatisticsOf(const std::set<SnapshotId>& snapshots, std::vector<std::string>& statistics) {
  std::erase_if(statistics, [&](const std::string& json) {
    const std::optional<SnapshotId> id = StatisticsSnapshot(json);
    return id && snapshots.contains(*id);
  });
}

}  // namespace

bool MetadataBuilder::WasAddedHere(SnapshotId id) const {
  const std::size_t first = std::min(base_snapshot_count_, metadata_.snapshots.size());
  const auto added = std::span(metadata_.snapshots).subspan(first);
  return std::ranges::find(added, id, &Snapshot::id) != added.end();
}

Status MetadataBuilder::Do(const AddSnapshot& update) {
  const Snapshot& snapshot = update.snapshot;
  if (FindSnapshot(metadata_, snapshot.id) != nullptr) {
    return MakeError(ErrorKind::kInvalidArgument, "snapshot is in the table already: {}",
                     snapshot.id);
  }
  if (snapshot.sequence_number <= metadata_.last_sequence_number) {
    return MakeError(ErrorKind::kConflict,
                     "snapshot {} was overtaken: its sequence number {} is not above the last, {}",
                     snapshot.id, snapshot.sequence_number, metadata_.last_sequence_number);
  }
  if (snapshot.timestamp_ms < base_updated_ms_ - kClockToleranceMs) {
    return MakeError(ErrorKind::kConflict,
                     "snapshot {} was overtaken: its time {} ms is more than a minute before the "
                     "last change, {} ms",
                     snapshot.id, snapshot.timestamp_ms, base_updated_ms_);
  }
  if (snapshot.schema_id && FindSchema(metadata_, *snapshot.schema_id) == nullptr) {
    return MakeError(ErrorKind::kInvalidArgument, "snapshot {} names an unknown schema: {}",
                     snapshot.id, *snapshot.schema_id);
  }
  metadata_.snapshots.push_back(snapshot);
  metadata_.last_sequence_number = snapshot.sequence_number;
  metadata_.last_updated_ms = std::max(metadata_.last_updated_ms, snapshot.timestamp_ms);
  return {};
}

Status MetadataBuilder::Do(const SetSnapshotRef& update) {
  const Snapshot* snapshot = FindSnapshot(metadata_, update.ref.snapshot_id);
  if (snapshot == nullptr) {
    return MakeError(ErrorKind::kInvalidArgument, "ref {} points at an unknown snapshot: {}",
                     update.name, update.ref.snapshot_id);
  }
  const bool is_main = update.name == kMainBranch;
  if (is_main && update.ref.kind != RefKind::kBranch) {
    return MakeError(ErrorKind::kInvalidArgument, "main must be a branch, not a tag");
  }
  metadata_.refs[update.name] = update.ref;
  if (!is_main || metadata_.current_snapshot_id == update.ref.snapshot_id) {
    return {};
  }
  metadata_.current_snapshot_id = update.ref.snapshot_id;
  // A commit that moves main twice was only ever seen at its last stop.
  if (log_entry_here_) {
    metadata_.snapshot_log.erase(metadata_.snapshot_log.begin() +
                                 static_cast<std::ptrdiff_t>(*log_entry_here_));
  }
  log_entry_here_ = metadata_.snapshot_log.size();
  const std::int64_t when_ms =
      WasAddedHere(snapshot->id) ? snapshot->timestamp_ms : std::max(now_ms_, base_updated_ms_);
  metadata_.snapshot_log.push_back({when_ms, snapshot->id});
  return {};
}

Status MetadataBuilder::Do(const RemoveSnapshotRef& update) {
  metadata_.refs.erase(update.name);
  if (update.name == kMainBranch) {
    metadata_.current_snapshot_id.reset();
    metadata_.snapshot_log.clear();
    log_entry_here_.reset();
  }
  return {};
}

Status MetadataBuilder::Do(const RemoveSnapshots& update) {
  const std::set<SnapshotId> ids(update.ids.begin(), update.ids.end());
  for (const auto& [name, ref] : metadata_.refs) {
    if (ids.contains(ref.snapshot_id)) {
      return MakeError(ErrorKind::kInvalidArgument, "snapshot cannot be removed: {} is held by {}",
                       ref.snapshot_id, name);
    }
  }
  if (metadata_.current_snapshot_id && ids.contains(*metadata_.current_snapshot_id)) {
    return MakeError(ErrorKind::kInvalidArgument, "snapshot cannot be removed: {} is current",
                     *metadata_.current_snapshot_id);
  }
  const auto is_gone = [&](const Snapshot& snapshot) { return ids.contains(snapshot.id); };
  const auto base_end =
      metadata_.snapshots.begin() +
      static_cast<std::ptrdiff_t>(std::min(base_snapshot_count_, metadata_.snapshots.size()));
  base_snapshot_count_ -=
      static_cast<std::size_t>(std::count_if(metadata_.snapshots.begin(), base_end, is_gone));
  std::erase_if(metadata_.snapshots, is_gone);
  // The log says which snapshot was current when; with a gap it would lie about the time before.
  const auto last_gone =
      std::find_if(metadata_.snapshot_log.rbegin(), metadata_.snapshot_log.rend(),
                   [&](const SnapshotLogEntry& entry) { return ids.contains(entry.snapshot_id); });
  const auto dropped = std::distance(metadata_.snapshot_log.begin(), last_gone.base());
  metadata_.snapshot_log.erase(metadata_.snapshot_log.begin(), last_gone.base());
  if (log_entry_here_) {
    *log_entry_here_ -= static_cast<std::size_t>(dropped);
  }
  DropStatisticsOf(ids, metadata_.statistics);
  DropStatisticsOf(ids, metadata_.partition_statistics);
  return {};
}

}  // namespace strandline::table::internal
