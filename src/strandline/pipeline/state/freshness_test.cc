#include "strandline/pipeline/state/freshness.h"

#include "tests/support/matchers.h"

namespace strandline::pipeline {
namespace {

using ::testing::HasSubstr;

const Timestamp kStart{std::chrono::hours(500'000)};
const Interval kWindow{kStart, kStart + std::chrono::hours(1)};
constexpr std::int64_t kStamp = 11;
constexpr std::int64_t kLogic = 22;

// A table with one snapshot and no rows.
TableState EmptyState() {
  table::TableMetadata metadata;
  table::Snapshot snapshot;
  snapshot.id = table::SnapshotId(77);
  metadata.snapshots = {snapshot};
  metadata.current_snapshot_id = snapshot.id;
  metadata.refs["main"] = {.snapshot_id = snapshot.id};
  TableState state;
  state.table.name = {{"ads"}, "t"};
  state.table.metadata = std::make_shared<const table::TableMetadata>(metadata);
  state.ours = true;
  return state;
}

// The same with rows of the window that carry these marks.
TableState StateWith(std::vector<UnitMark> marks) {
  TableState state = EmptyState();
  PartitionState partition;
  partition.path = "hour=x";
  partition.interval = kWindow;
  partition.version = 5;
  partition.digest = "5";
  partition.marks = std::move(marks);
  state.partitions = {partition};
  return state;
}

UnitMark Mark(std::int64_t stamp = kStamp, std::int64_t logic = kLogic) {
  return {.unit = kStart, .stamp = stamp, .logic = logic, .seq_max = 5};
}

const ExpectedMarks kExpected{.stamp = kStamp, .logics = {kLogic}};

TEST(JudgeWindow, ComparesWhatRowsCarryWithWhatTheyShould) {
  struct Case {
    std::string_view name;
    std::vector<UnitMark> marks;
    UnitStatus status;
  };
  const UnitMark of_another_unit{
      .unit = kStart + std::chrono::hours(1), .stamp = kStamp, .logic = kLogic, .seq_max = 5};
  const std::vector<Case> cases = {
      {"rows with both marks are fresh", {Mark()}, UnitStatus::kFresh},
      {"no row at all is missing", {}, UnitStatus::kMissing},
      {"rows of other units do not count", {of_another_unit}, UnitStatus::kMissing},
      {"another stamp is stale by input", {Mark(12)}, UnitStatus::kStaleInput},
      {"another logic is stale by logic", {Mark(kStamp, 23)}, UnitStatus::kStaleLogic},
      {"some rows of another stamp make the window stale",
       {Mark(), Mark(12)},
       UnitStatus::kStaleInput},
      {"input comes before logic", {Mark(12, 23)}, UnitStatus::kStaleInput},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(JudgeWindow(StateWith(c.marks), kWindow, kExpected).status, c.status);
  }
}

TEST(JudgeWindow, AcceptsAnyLogicWhileNoneIsDeployed) {
  EXPECT_EQ(
      JudgeWindow(StateWith({Mark(kStamp, 99)}), kWindow, {.stamp = kStamp, .logics = {}}).status,
      UnitStatus::kFresh);
}

TEST(JudgeWindow, AcceptsTheLogicInForceAndTheNewestOne) {
  const ExpectedMarks both{.stamp = kStamp, .logics = {kLogic, 33}};
  EXPECT_EQ(JudgeWindow(StateWith({Mark(kStamp, 33)}), kWindow, both).status, UnitStatus::kFresh);
  EXPECT_EQ(JudgeWindow(StateWith({Mark(kStamp, 34)}), kWindow, both).status,
            UnitStatus::kStaleLogic);
}

TEST(JudgeWindow, AnEmptyRecordCountsOnlyWithoutRows) {
  TableState empty = EmptyState();
  empty.empty_records[kStart] = {.stamp = kStamp,
                                 .logic = kLogic,
                                 .kind = EmptyKind::kNoRows,
                                 .compared_with = {},
                                 .counts = {}};
  EXPECT_EQ(JudgeWindow(empty, kWindow, kExpected).status, UnitStatus::kFresh);

  empty.empty_records[kStart].stamp = 12;
  EXPECT_EQ(JudgeWindow(empty, kWindow, kExpected).status, UnitStatus::kStaleInput);

  TableState with_rows = StateWith({Mark(12)});
  with_rows.empty_records[kStart] = {.stamp = kStamp,
                                     .logic = kLogic,
                                     .kind = EmptyKind::kNoRows,
                                     .compared_with = {},
                                     .counts = {}};
  EXPECT_EQ(JudgeWindow(with_rows, kWindow, kExpected).status, UnitStatus::kStaleInput);
}

TEST(JudgeWindow, SeesForeignChangesAboveItsRows) {
  TableState state = StateWith({Mark()});
  state.partitions[0].foreign = ForeignChange{table::SnapshotId(8213), 6};
  const Judgement judgement = JudgeWindow(state, kWindow, kExpected);
  EXPECT_EQ(judgement.status, UnitStatus::kModifiedByOthers);
  EXPECT_THAT(judgement.reason, HasSubstr("8213"));

  state.partitions[0].foreign = ForeignChange{table::SnapshotId(8213), 4};
  EXPECT_EQ(JudgeWindow(state, kWindow, kExpected).status, UnitStatus::kFresh)
      << "it was published after that change";
}

TEST(JudgeLandingUnit, NeedsOneRowOfThisListing) {
  EXPECT_EQ(JudgeLandingUnit(StateWith({Mark()}), kWindow, kStamp).status, UnitStatus::kFresh);
  EXPECT_EQ(JudgeLandingUnit(StateWith({Mark(), Mark(9)}), kWindow, kStamp).status,
            UnitStatus::kFresh)
      << "rows of older readings stay as they are";
  EXPECT_EQ(JudgeLandingUnit(StateWith({Mark(9)}), kWindow, kStamp).status,
            UnitStatus::kStaleInput);
  EXPECT_EQ(JudgeLandingUnit(StateWith({}), kWindow, kStamp).status, UnitStatus::kMissing);
}

TEST(JudgeLandingUnit, AReopenedUnitCountsOnlyRowsAboveTheNumber) {
  TableState state = StateWith({Mark()});
  state.reopened[kStart] = 5;
  EXPECT_EQ(JudgeLandingUnit(state, kWindow, kStamp).status, UnitStatus::kStaleInput);
  state.reopened[kStart] = 4;
  EXPECT_EQ(JudgeLandingUnit(state, kWindow, kStamp).status, UnitStatus::kFresh);
}

TEST(JudgeLandingUnit, AllDuplicatesIsBelievedWhileTheSnapshotIsRetained) {
  TableState state = StateWith({Mark(9)});
  EmptyRecord record{.stamp = kStamp,
                     .logic = {},
                     .kind = EmptyKind::kDuplicates,
                     .compared_with = table::SnapshotId(77),
                     .counts = {}};
  state.empty_records[kStart] = record;
  EXPECT_EQ(JudgeLandingUnit(state, kWindow, kStamp).status, UnitStatus::kFresh);

  record.compared_with = table::SnapshotId(76);
  state.empty_records[kStart] = record;
  EXPECT_EQ(JudgeLandingUnit(state, kWindow, kStamp).status, UnitStatus::kMissing)
      << "compared again";

  record.kind = EmptyKind::kElsewhere;
  state.empty_records[kStart] = record;
  EXPECT_EQ(JudgeLandingUnit(state, kWindow, kStamp).status, UnitStatus::kFresh) << "always valid";
}

}  // namespace
}  // namespace strandline::pipeline
