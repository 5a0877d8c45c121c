#include "strandline/table/update/internal/manifest_draft.h"

#include <algorithm>
#include <compare>
#include <string>

namespace strandline::table::internal {
namespace {

// Whether `value` may be among the partition values that `summary` describes.
bool MayContain(const PartitionFieldSummary& summary, const Type& type, const Value& value) {
  if (type.id == TypeId::kUnknown) {
    return true;  // The bounds cannot be decoded.
  }
  if (IsNull(value)) {
    // Some writers leave the flag out together with the bounds; then nothing is known.
    return summary.contains_null || (!summary.lower_bound && !summary.upper_bound);
  }
  if (IsNan(value)) {
    return summary.contains_nan.value_or(true);
  }
  const auto excludes = [&](const std::optional<std::string>& bound, auto is_outside) {
    if (!bound) {
      return false;
    }
    const Result<Value> decoded = DeserializeValue(type, *bound);
    return decoded && !IsNull(*decoded) && !IsNan(*decoded) && decoded->index() == value.index() &&
           is_outside(CompareValues(value, *decoded));
  };
  return !excludes(summary.lower_bound, [](std::strong_ordering order) { return order < 0; }) &&
         !excludes(summary.upper_bound, [](std::strong_ordering order) { return order > 0; });
}

}  // namespace

std::optional<LiveCounts> CountLive(const ManifestDraft& draft) {
  if (draft.line) {
    const ManifestFile& line = *draft.line;
    if (!line.added_files_count || !line.existing_files_count || !line.added_rows_count ||
        !line.existing_rows_count) {
      return std::nullopt;
    }
    return LiveCounts{*line.added_files_count + *line.existing_files_count,
                      *line.added_rows_count + *line.existing_rows_count};
  }
  LiveCounts counts;
  for (const ManifestEntry& entry : draft.entries) {
    if (IsLive(entry)) {
      ++counts.files;
      counts.rows += entry.file.record_count;
    }
  }
  return counts;
}

std::vector<ManifestDraft> DraftsOf(const std::vector<ManifestFile>& manifests) {
  std::vector<ManifestDraft> drafts;
  drafts.reserve(manifests.size());
  for (const ManifestFile& line : manifests) {
    if (line.added_files_count == 0 && line.existing_files_count == 0) {
      continue;
    }
    drafts.push_back({.content = line.content,
                      .spec_id = line.partition_spec_id,
                      .line = line,
                      .entries = {},
                      .estimated_length = line.manifest_length});
  }
  return drafts;
}

Result<bool> MayHold(const TableMetadata& metadata, const ManifestFile& line,
                     const PartitionSet& partitions) {
  const PartitionSpec* spec = FindSpec(metadata, line.partition_spec_id);
  if (spec == nullptr) {
    return MakeError(ErrorKind::kCorrupt, "manifest {} is of an unknown partition spec: {}",
                     line.manifest_path, line.partition_spec_id);
  }
  const std::vector<NestedField> types = SL_TRY(PartitionType(*spec, CurrentSchema(metadata)));
  for (const PartitionKey& partition : partitions) {
    if (partition.spec_id != line.partition_spec_id) {
      continue;
    }
    if (line.partitions.size() != types.size() || partition.tuple.size() != types.size()) {
      return true;
    }
    bool may_hold = true;
    for (std::size_t i = 0; i < types.size() && may_hold; ++i) {
      may_hold = MayContain(line.partitions[i], types[i].type, partition.tuple[i]);
    }
    if (may_hold) {
      return true;
    }
  }
  return false;
}

Result<std::vector<ManifestEntry>> ReadLiveEntries(io::FileIo& io, const TableMetadata& metadata,
                                                   const ManifestFile& line) {
  std::vector<ManifestEntry> entries;
  SL_TRY(ReadManifest(io, metadata, line, ManifestReadOptions{},
                      [&](ManifestEntry&& entry) -> Result<bool> {
                        if (IsLive(entry)) {
                          entry.status = EntryStatus::kExisting;
                          entries.push_back(std::move(entry));
                        }
                        return true;
                      }),
         "reading manifest {}", line.manifest_path);
  return entries;
}

}  // namespace strandline::table::internal
