#include "strandline/table/update/internal/manifest_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strandline::table::internal {
namespace {

using ::testing::ContainerEq;

TEST(PlanMerges, GroupsNeighboursFromTheOldestOn) {
  struct Case {
    const char* name;
    std::vector<std::int64_t> lengths;  // Newest first.
    MergePolicy policy;
    std::vector<MergeGroup> groups;
  };
  const Case cases[] = {
      {"nothing there", {}, {.min_count_to_merge = 2}, {}},
      {"one manifest", {5}, {.min_count_to_merge = 2}, {}},
      {"few new ones wait", {1, 1, 1}, {.target_size_bytes = 10, .min_count_to_merge = 4}, {}},
      {"enough have gathered",
       {1, 1, 1, 1},
       {.target_size_bytes = 10, .min_count_to_merge = 4},
       {{0, 3}}},
      {"merged ones are full and stay",
       {1, 1, 10, 10},
       {.target_size_bytes = 10, .min_count_to_merge = 3},
       {}},
      {"a full group of old ones need not wait",
       {1, 5, 5, 9},
       {.target_size_bytes = 10, .min_count_to_merge = 100},
       {{1, 2}}},
      {"one that is larger than the target stays alone",
       {1, 30, 1},
       {.target_size_bytes = 10, .min_count_to_merge = 2},
       {}},
      {"switched off",
       {1, 1, 1, 1},
       {.enabled = false, .target_size_bytes = 10, .min_count_to_merge = 2},
       {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(PlanMerges(c.lengths, c.policy), ContainerEq(c.groups));
  }
}

// A manifest that readers refuse would make the table unreadable.
TEST(MergePolicyOf, KeepsTheTargetWithinWhatReadersTake) {
  struct Case {
    const char* asked;
    std::int64_t target;
  };
  const Case cases[] = {{"1000", 1000},
                        {"0", 1},
                        {"-1", 1},
                        {"9223372036854775807", kManifestTargetBytesMax},
                        {"1073741824", kManifestTargetBytesMax},
                        {"much", std::int64_t{8} << 20}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.asked);
    TableMetadata metadata;
    metadata.properties["commit.manifest.target-size-bytes"] = c.asked;

    EXPECT_EQ(MergePolicyOf(metadata).target_size_bytes, c.target);
  }
  EXPECT_LT(kManifestTargetBytesMax, io::kWholeFileBytesMax);
}

}  // namespace
}  // namespace strandline::table::internal
