#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "strandline/io/file_io.h"
#include "strandline/table/update/internal/manifest_draft.h"

namespace strandline::table::internal {

// However large a table asks its manifests to be, they must stay well below what readers take: the
// entries of the parts may pack worse together.
inline constexpr std::int64_t kManifestTargetBytesMax = io::kWholeFileBytesMax / 4;

// The table's `commit.manifest.*` and `commit.manifest-merge.enabled`.
struct MergePolicy {
  bool enabled = true;
  std::int64_t target_size_bytes = std::int64_t{8} << 20;
  std::size_t min_count_to_merge = 100;
};
MergePolicy MergePolicyOf(const TableMetadata& metadata);

// Which of the manifests with these lengths, newest first, become one: neighbours only, so that a
// manifest covers a span of time. Filled from the oldest on, so that what was merged once stays as
// it is; the newest group waits until `min_count_to_merge` have gathered. Groups of one are left
// alone. In order, each group a range [first, last].
struct MergeGroup {
  std::size_t first;
  std::size_t last;
  friend bool operator==(const MergeGroup&, const MergeGroup&) = default;
};
std::vector<MergeGroup> PlanMerges(std::span<const std::int64_t> lengths,
                                   const MergePolicy& policy);

// One commit merges at most so many groups, the oldest: a table that others left with very many
// small manifests is tidied up over several commits, none of which takes long.
inline constexpr std::size_t kMergedGroupsMax = 8;

// Writes the entries of a draft as a manifest and returns its line.
using WriteDraft = std::function<Result<ManifestFile>(const ManifestDraft& draft)>;

// Merges drafts of one content and spec as PlanMerges() says; reads those that have not been read
// and writes each merged one before the next is read, so that the entries of one group are in
// memory at a time. The order of the drafts stays: a merged one stands where its newest part stood.
Result<std::vector<ManifestDraft>> MergeDrafts(io::FileIo& io, const TableMetadata& metadata,
                                               std::vector<ManifestDraft> drafts,
                                               const WriteDraft& write);

}  // namespace strandline::table::internal
