#include "strandline/pipeline/state/freshness.h"

#include "tests/support/matchers.h"

namespace strandline::pipeline {
namespace {

using ::testing::HasSubstr;

const Timestamp kStart{std::chrono::hours(500'000)};
const Interval kWindow{kStart, kStart + std::chrono::hours(1)};
constexpr table::FieldId kTime{1};
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
  state.time = kTime;
  state.ours = true;
  return state;
}

// The same with rows of the window that carry these marks.
TableState StateWith(std::vector<UnitMark> marks) {
  TableState state = EmptyState();
  PartitionState partition;
  partition.path = "hour=x";
  partition.times = {{kTime, kWindow}};
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
                                 .counts = {},
                                 .seq = 0};
  EXPECT_EQ(JudgeWindow(empty, kWindow, kExpected).status, UnitStatus::kFresh);

  empty.empty_records[kStart].stamp = 12;
  EXPECT_EQ(JudgeWindow(empty, kWindow, kExpected).status, UnitStatus::kStaleInput);

  TableState with_rows = StateWith({Mark(12)});
  with_rows.empty_records[kStart] = {.stamp = kStamp,
                                     .logic = kLogic,
                                     .kind = EmptyKind::kNoRows,
                                     .compared_with = {},
                                     .counts = {},
                                     .seq = 0};
  EXPECT_EQ(JudgeWindow(with_rows, kWindow, kExpected).status, UnitStatus::kStaleInput);
}

TEST(JudgeWindow, SeesForeignChangesAboveItsRows) {
  TableState state = StateWith({Mark()});
  state.foreign_changes = {{table::SnapshotId(8213), 6, kWindow}};
  const Judgement judgement = JudgeWindow(state, kWindow, kExpected);
  EXPECT_EQ(judgement.status, UnitStatus::kModifiedByOthers);
  EXPECT_THAT(judgement.reason, HasSubstr("8213"));

  state.foreign_changes = {{table::SnapshotId(8213), 4, kWindow}};
  EXPECT_EQ(JudgeWindow(state, kWindow, kExpected).status, UnitStatus::kFresh)
      << "it was published after that change";

  const Interval later{kWindow.end, kWindow.end + std::chrono::hours(1)};
  state.foreign_changes = {{table::SnapshotId(8213), 6, later}};
  EXPECT_EQ(JudgeWindow(state, kWindow, kExpected).status, UnitStatus::kFresh)
      << "it touched other times";
}

TEST(JudgeWindow, AForeignChangeBesideItsRowsCountsOnce) {
  // A partition of the window's time in which it has no rows, such as another bucket.
  TableState state = StateWith({Mark()});
  PartitionState beside = state.partitions[0];
  beside.path = "hour=x/bucket=1";
  beside.marks = {};
  beside.has_unmarked_rows = true;
  state.partitions.push_back(beside);
  state.foreign_changes = {{table::SnapshotId(8213), 6, kWindow}};
  EXPECT_EQ(JudgeWindow(state, kWindow, kExpected).status, UnitStatus::kModifiedByOthers);
  state.partitions[0].marks[0].seq_max = 7;
  EXPECT_EQ(JudgeWindow(state, kWindow, kExpected).status, UnitStatus::kFresh)
      << "it has been computed again since";
}

TEST(JudgeWindow, ARowWrittenAgainDoesNotMakeTheOthersNewer) {
  TableState state = StateWith({Mark()});
  PartitionState other = state.partitions[0];
  other.path = "hour=x/bucket=1";
  other.marks[0].seq_max = 9;
  state.partitions.push_back(other);
  state.foreign_changes = {{table::SnapshotId(8213), 6, kWindow}};
  EXPECT_EQ(JudgeWindow(state, kWindow, kExpected).status, UnitStatus::kModifiedByOthers);
}

TEST(JudgeWindow, AnEmptyWindowSeesForeignChangesAboveItsRecord) {
  TableState state = EmptyState();
  state.foreign_changes = {{table::SnapshotId(8213), 6, kWindow}};
  EXPECT_EQ(JudgeWindow(state, kWindow, kExpected).status, UnitStatus::kMissing)
      << "it was never published";
  state.empty_records[kStart] = {.stamp = kStamp,
                                 .logic = kLogic,
                                 .kind = EmptyKind::kNoRows,
                                 .compared_with = {},
                                 .counts = {},
                                 .seq = 5};
  EXPECT_EQ(JudgeWindow(state, kWindow, kExpected).status, UnitStatus::kModifiedByOthers);
  state.empty_records[kStart].seq = 7;
  EXPECT_EQ(JudgeWindow(state, kWindow, kExpected).status, UnitStatus::kFresh);
}

TEST(DigestOfInput, WatchesAllPartitionsWhereTheColumnDividesNone) {
  TableState state = StateWith({Mark()});
  const Interval elsewhere{kStart - std::chrono::hours(2), kStart - std::chrono::hours(1)};
  EXPECT_THAT(DigestOfInput(state, kTime, kWindow).partitions, ::testing::SizeIs(1));
  EXPECT_THAT(DigestOfInput(state, kTime, elsewhere).partitions, ::testing::IsEmpty());
  EXPECT_THAT(DigestOfInput(state, table::FieldId(2), elsewhere).partitions, ::testing::SizeIs(1));
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
                     .counts = {},
                     .seq = 0};
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
