#include "strandline/table/write/internal/metrics_mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using ::strandline::testing::Fails;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(MetricsMode, IsReadAsIcebergSpellsIt) {
  SL_ASSERT_OK_AND_ASSIGN(const MetricsMode none, ParseMetricsMode("none"));
  SL_ASSERT_OK_AND_ASSIGN(const MetricsMode counts, ParseMetricsMode("Counts"));
  SL_ASSERT_OK_AND_ASSIGN(const MetricsMode full, ParseMetricsMode("FULL"));
  SL_ASSERT_OK_AND_ASSIGN(const MetricsMode cut, ParseMetricsMode("truncate(8)"));

  EXPECT_EQ(none.kind, MetricsKind::kNone);
  EXPECT_EQ(counts.kind, MetricsKind::kCounts);
  EXPECT_EQ(full, (MetricsMode{.kind = MetricsKind::kBounds, .width = kNoWidth}));
  EXPECT_EQ(cut, (MetricsMode{.kind = MetricsKind::kBounds, .width = 8}));
  for (const char* text : {"", "some", "truncate", "truncate()", "truncate(0)", "truncate(-1)",
                           "truncate(8", "truncate(8x)"}) {
    EXPECT_THAT(ParseMetricsMode(text), Fails(ErrorKind::kInvalidArgument, HasSubstr(text)));
  }
}

TEST(MetricsMode, OfAColumnWinsOverTheDefault) {
  TableMetadata metadata;
  SL_ASSERT_OK_AND_ASSIGN(const MetricsMode unset, MetricsModeOf(metadata, "a.b"));
  metadata.properties = {{"write.metadata.metrics.default", "none"},
                         {"write.metadata.metrics.column.a.b", "full"},
                         {"write.metadata.metrics.column.c", "wrong"}};

  SL_ASSERT_OK_AND_ASSIGN(const MetricsMode of_column, MetricsModeOf(metadata, "a.b"));
  SL_ASSERT_OK_AND_ASSIGN(const MetricsMode of_others, MetricsModeOf(metadata, "a"));

  EXPECT_EQ(unset, (MetricsMode{.kind = MetricsKind::kBounds, .width = 16}));
  EXPECT_EQ(of_column.width, kNoWidth);
  EXPECT_EQ(of_others.kind, MetricsKind::kNone);
  EXPECT_THAT(MetricsModeOf(metadata, "c"),
              Fails(ErrorKind::kInvalidArgument,
                    AllOf(HasSubstr("write.metadata.metrics.column.c"), HasSubstr("wrong"))));
}

}  // namespace
}  // namespace strandline::table
