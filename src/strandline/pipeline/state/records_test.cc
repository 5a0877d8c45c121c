#include "strandline/pipeline/state/records.h"

#include "tests/support/matchers.h"

namespace strandline::pipeline {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::HasSubstr;

TEST(EmptyRecord, ComesBackAsItWasWritten) {
  const EmptyRecord full{.stamp = -1,
                         .logic = 5,
                         .kind = EmptyKind::kDuplicates,
                         .compared_with = table::SnapshotId(9'007'199'254'740'993),
                         .counts = {{"rows-in", 10}, {"rows-duplicate", 10}}};
  const EmptyRecord small{
      .stamp = 0, .logic = {}, .kind = EmptyKind::kNoRows, .compared_with = {}, .counts = {}};
  for (const EmptyRecord& record : {full, small}) {
    const Result<EmptyRecord> parsed = ParseEmptyRecord(EmptyRecordJson(record));
    ASSERT_THAT(parsed, IsOk());
    EXPECT_EQ(*parsed, record);
  }
}

TEST(EmptyRecord, RefusesWhatIsNone) {
  for (const std::string_view text :
       {"", "[]", "{}", R"({"stamp":"xyz","kind":"no-rows"})",
        R"({"stamp":"00","kind":"whatever"})", R"({"stamp":1,"kind":"no-rows"})"}) {
    EXPECT_THAT(ParseEmptyRecord(text), Fails(ErrorKind::kCorrupt, HasSubstr("empty record")));
  }
}

TEST(EmptyRecord, UnreadableOnesProveNothing) {
  table::TableMetadata metadata;
  const Timestamp unit{std::chrono::hours(500'000)};
  metadata.properties = {{EmptyRecordKey(unit), "broken"},
                         {"strandline.empty.yesterday", "{}"},
                         {"strandline.emptyish", "{}"}};
  EXPECT_TRUE(EmptyRecordsOf(metadata).empty());
}

TEST(Deployed, ComesBackAsItWasWritten) {
  const std::vector<DeployedLogic> entries = {
      {.logic = 1, .from = {}}, {.logic = -2, .from = Timestamp(std::chrono::hours(500'000))}};
  const Result<std::vector<DeployedLogic>> parsed = ParseDeployed(DeployedJson(entries));
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(*parsed, entries);
  EXPECT_THAT(ParseDeployed("{}"), Fails(ErrorKind::kCorrupt, HasSubstr("strandline.deployed")));
  EXPECT_THAT(ParseDeployed("[{}]"), Fails(ErrorKind::kCorrupt, HasSubstr("without a logic")));
}

TEST(LogicInForce, IsTheLastEntryThatHasBegun) {
  const Timestamp noon{std::chrono::hours(500'000)};
  const std::vector<DeployedLogic> entries = {{.logic = 1, .from = {}}, {.logic = 2, .from = noon}};
  EXPECT_EQ(LogicInForce(entries, noon - std::chrono::hours(1)), 1);
  EXPECT_EQ(LogicInForce(entries, noon), 2);
  EXPECT_EQ(LogicInForce({{.logic = 2, .from = noon}}, noon - std::chrono::hours(1)), std::nullopt);
  EXPECT_EQ(LogicInForce({}, noon), std::nullopt);
}

TEST(ReopenedUnits, ReadsOnlyWholeNumbers) {
  table::TableMetadata metadata;
  metadata.properties = {{"strandline.reopen.2026-11-30T05:00Z", "7"},
                         {"strandline.reopen.2026-11-30T06:00Z", "7x"},
                         {"strandline.reopen.later", "7"}};
  EXPECT_EQ(ReopenedUnitsOf(metadata).size(), 1U);
}

}  // namespace
}  // namespace strandline::pipeline
