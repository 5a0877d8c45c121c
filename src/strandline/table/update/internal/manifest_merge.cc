#include "strandline/table/update/internal/manifest_merge.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace strandline::table::internal {
namespace {

// One draft of all entries of `parts`, written; without entries when none is live.
Result<ManifestDraft> Merge(io::FileIo& io, const TableMetadata& metadata,
                            std::vector<ManifestDraft> parts, const WriteDraft& write) {
  ManifestDraft merged{.content = parts.front().content,
                       .spec_id = parts.front().spec_id,
                       .line = std::nullopt,
                       .entries = {},
                       .estimated_length = 0};
  for (ManifestDraft& part : parts) {
    if (part.line) {
      part.entries = SL_TRY(ReadLiveEntries(io, metadata, *part.line), "merging manifests");
    }
    std::ranges::move(part.entries, std::back_inserter(merged.entries));
    part.entries = {};
    merged.estimated_length += part.estimated_length;
  }
  if (!merged.entries.empty()) {
    merged.line = SL_TRY(write(merged), "merging manifests");
    merged.entries = {};
  }
  return merged;
}

}  // namespace

MergePolicy MergePolicyOf(const TableMetadata& metadata) {
  const MergePolicy standard;
  MergePolicy policy;
  policy.enabled = PropertyOr(metadata, "commit.manifest-merge.enabled", "true") != "false";
  policy.target_size_bytes = std::clamp<std::int64_t>(
      IntPropertyOr(metadata, "commit.manifest.target-size-bytes", standard.target_size_bytes), 1,
      kManifestTargetBytesMax);
  policy.min_count_to_merge = static_cast<std::size_t>(std::max<std::int64_t>(
      2, IntPropertyOr(metadata, "commit.manifest.min-count-to-merge",
                       static_cast<std::int64_t>(standard.min_count_to_merge))));
  return policy;
}

std::vector<MergeGroup> PlanMerges(std::span<const std::int64_t> lengths,
                                   const MergePolicy& policy) {
  std::vector<MergeGroup> groups;
  if (!policy.enabled) {
    return groups;
  }
  std::size_t last = lengths.size();
  while (last > 0) {
    std::size_t first = last - 1;
    std::int64_t size_bytes = lengths[first];
    while (first > 0 && size_bytes + lengths[first - 1] <= policy.target_size_bytes) {
      --first;
      size_bytes += lengths[first];
    }
    const std::size_t count = last - first;
    if (count > 1 && (first > 0 || count >= policy.min_count_to_merge)) {
      groups.push_back({first, last - 1});
    }
    last = first;
  }
  std::ranges::reverse(groups);
  return groups;
}

Result<std::vector<ManifestDraft>> MergeDrafts(io::FileIo& io, const TableMetadata& metadata,
                                               std::vector<ManifestDraft> drafts,
                                               const WriteDraft& write) {
  const MergePolicy policy = MergePolicyOf(metadata);
  std::map<std::pair<ManifestContent, SpecId>, std::vector<std::size_t>> kinds;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    kinds[{drafts[i].content, drafts[i].spec_id}].push_back(i);
  }
  std::vector<bool> is_merged_away(drafts.size(), false);
  std::size_t groups_left = kMergedGroupsMax;
  for (const auto& [kind, indexes] : kinds) {
    std::vector<std::int64_t> lengths;
    lengths.reserve(indexes.size());
    for (const std::size_t index : indexes) {
      lengths.push_back(drafts[index].estimated_length);
    }
    // From the oldest on, so that the next commits go on where this one stops.
    std::vector<MergeGroup> groups = PlanMerges(lengths, policy);
    for (; !groups.empty() && groups_left > 0; groups.pop_back(), --groups_left) {
      const MergeGroup& group = groups.back();
      std::vector<ManifestDraft> parts;
      for (std::size_t i = group.first; i <= group.last; ++i) {
        parts.push_back(std::move(drafts[indexes[i]]));
        is_merged_away[indexes[i]] = i != group.first;
      }
      drafts[indexes[group.first]] = SL_TRY(Merge(io, metadata, std::move(parts), write));
    }
  }
  std::vector<ManifestDraft> kept;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    // Lists without counts may name manifests that hold no live entry; merged, nothing is left.
    const bool is_empty = !drafts[i].line && drafts[i].entries.empty();
    if (!is_merged_away[i] && !is_empty) {
      kept.push_back(std::move(drafts[i]));
    }
  }
  return kept;
}

}  // namespace strandline::table::internal
