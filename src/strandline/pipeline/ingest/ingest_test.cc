#include "strandline/pipeline/ingest/ingest.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "strandline/table/deletes/position_deletes.h"
#include "tests/support/ingest_world.h"
#include "tests/support/matchers.h"

namespace strandline::pipeline {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::IngestWorld;
using ::strandline::testing::IsOk;
using ::strandline::testing::TimeOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr const char* kHour5 = "2026-11-30T05Z";
constexpr const char* kHour6 = "2026-11-30T06Z";

std::string Line(const std::string& id, const std::string& time, std::int64_t v) {
  return fmt::format("{{\"id\": \"{}\", \"ts\": \"{}\", \"v\": {}}}\n", id, time, v);
}

class IngestTest : public ::testing::Test {
 protected:
  IngestWorld world_;
};

TEST_F(IngestTest, PublishesWhatIsNewWithItsMarks) {
  world_.Land(kHour5, "a.jsonl",
              Line("x", "2026-11-30T05:00:01Z", 1) + Line("y", "2026-11-30T05:30Z", 2));

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour5));

  EXPECT_EQ(result.counts.rows_in, 2);
  EXPECT_EQ(result.counts.rows_published, 2);
  EXPECT_EQ(result.rows_in_reach, 2);
  EXPECT_THAT(result.quarantine_added, IsEmpty());
  EXPECT_THAT(world_.Rows(), ElementsAre("x 2026-11-30T05:00:01Z 1", "y 2026-11-30T05:30Z 2"));
  EXPECT_THAT(world_.RowsOf(world_.table(), {"_strand_unit", "_strand_stamp", "_strand_seq"}),
              ElementsAre("1796014800 42 1", "1796014800 42 1"));
}

TEST_F(IngestTest, InsideAUnitTheLowestFileAndPositionWins) {
  world_.Land(kHour5, "b.jsonl",
              Line("x", "2026-11-30T05:00Z", 3) + Line("y", "2026-11-30T05:00Z", 4));
  world_.Land(kHour5, "a.jsonl",
              Line("x", "2026-11-30T05:00Z", 1) + Line("x", "2026-11-30T05:00Z", 2));

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour5));

  EXPECT_EQ(result.counts.rows_duplicate, 2);
  EXPECT_THAT(world_.Rows(), ElementsAre("x 2026-11-30T05:00Z 1", "y 2026-11-30T05:00Z 4"));
}

TEST_F(IngestTest, KeepMaxTakesTheHighestThenTheLowestPosition) {
  world_.source().keep_max_of = "v";
  world_.Land(kHour5, "a.jsonl",
              Line("x", "2026-11-30T05:00Z", 1) + Line("x", "2026-11-30T05:01Z", 9) +
                  Line("x", "2026-11-30T05:02Z", 9) + Line("x", "2026-11-30T05:03Z", -5) +
                  "{\"id\": \"y\", \"ts\": \"2026-11-30T05:00Z\"}\n" +
                  Line("y", "2026-11-30T05:01Z", -7));

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour5));

  EXPECT_EQ(result.counts.rows_duplicate, 4);
  EXPECT_THAT(world_.Rows(), ElementsAre("x 2026-11-30T05:01Z 9", "y 2026-11-30T05:01Z -7"));
}

TEST_F(IngestTest, AcrossHoursAPublishedRowWins) {
  world_.Land(kHour5, "a.jsonl",
              Line("x", "2026-11-30T05:10Z", 1) + Line("y", "2026-11-30T05:20Z", 2));
  ASSERT_THAT(world_.Run(kHour5), IsOk());
  // Delivered again an hour later, beside a late row and a new one.
  world_.Land(kHour6, "a.jsonl",
              Line("x", "2026-11-30T05:10Z", 1) + Line("late", "2026-11-30T05:59Z", 3) +
                  Line("z", "2026-11-30T06:00Z", 4));

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour6));

  EXPECT_EQ(result.counts.rows_in, 3);
  EXPECT_EQ(result.counts.rows_published, 2);
  EXPECT_EQ(result.counts.rows_duplicate, 1);
  EXPECT_EQ(result.counts.rows_conflicting, 0);
  // Only hour 5 has live files to ask.
  EXPECT_EQ(result.counts.keys_asked, 2);
  EXPECT_EQ(result.counts.filter_hits - result.counts.false_positives, 1);
  EXPECT_THAT(world_.Rows(), ElementsAre("late 2026-11-30T05:59Z 3", "x 2026-11-30T05:10Z 1",
                                         "y 2026-11-30T05:20Z 2", "z 2026-11-30T06:00Z 4"));
  EXPECT_THAT(result.partitions, SizeIs(2));
}

TEST_F(IngestTest, OnePublishedCopyDecidesForAllCopiesInTheUnit) {
  world_.Land(kHour5, "a.jsonl", Line("x", "2026-11-30T05:10Z", 1));
  ASSERT_THAT(world_.Run(kHour5), IsOk());
  world_.Land(kHour6, "a.jsonl",
              Line("x", "2026-11-30T06:10Z", 1) + Line("x", "2026-11-30T05:10Z", 1));

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour6));

  EXPECT_EQ(result.counts.rows_duplicate, 2);
  EXPECT_THAT(world_.Rows(), ElementsAre("x 2026-11-30T05:10Z 1"));
}

TEST_F(IngestTest, ReadingAUnitAgainPublishesNothing) {
  world_.Land(kHour5, "a.jsonl",
              Line("x", "2026-11-30T05:10Z", 1) + Line("y", "2026-11-30T05:20Z", 2));
  ASSERT_THAT(world_.Run(kHour5), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult again, world_.Run(kHour5));

  EXPECT_EQ(again.counts.rows_duplicate, 2);
  EXPECT_EQ(again.rows_in_reach, 0);
  EXPECT_THAT(again.added, IsEmpty());
  EXPECT_THAT(again.partitions, SizeIs(1)) << "asked, though nothing went there";
}

// C091: same id, other payload.
TEST_F(IngestTest, ConflictingCopiesAreCountedAndTheSameOneWinsEachTime) {
  const std::string copies = Line("x", "2026-11-30T05:10Z", 1) + Line("x", "2026-11-30T05:10Z", 1) +
                             Line("x", "2026-11-30T05:10Z", 2);
  world_.Land(kHour5, "a.jsonl", copies);

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult first, world_.Run(kHour5));
  EXPECT_EQ(first.counts.rows_duplicate, 2);
  EXPECT_EQ(first.counts.rows_conflicting, 1);

  world_.Land(kHour6, "a.jsonl",
              Line("x", "2026-11-30T05:10Z", 3) + Line("x", "2026-11-30T05:10Z", 1));
  SL_ASSERT_OK_AND_ASSIGN(const IngestResult second, world_.Run(kHour6));
  EXPECT_EQ(second.counts.rows_duplicate, 2);
  EXPECT_EQ(second.counts.rows_conflicting, 1) << "only the 3 differs from the published 1";

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult again, world_.Run(kHour5));
  EXPECT_EQ(again.counts.rows_duplicate, 3);
  EXPECT_EQ(again.counts.rows_conflicting, 1);
  EXPECT_THAT(world_.Rows(), ElementsAre("x 2026-11-30T05:10Z 1"));
}

TEST_F(IngestTest, BadRowsGoToTheQuarantineWithTheirPlaceAndReason) {
  world_.source().max_line_bytes = 200;
  world_.Land(kHour5, "a.jsonl",
              Line("x", "2026-11-30T05:10Z", 1) + "garbage\n" +
                  "{\"id\": null, \"ts\": \"2026-11-30T05:10Z\", \"v\": 1}\n" +
                  "{\"id\": \"t\", \"ts\": null, \"v\": 1}\n" +
                  "{\"id\": \"w\", \"ts\": \"2026-11-30T05:10Z\", \"v\": \"one\"}\n" +
                  "{\"id\": \"\xff\", \"ts\": \"2026-11-30T05:10Z\", \"v\": 1}\n" +
                  std::string(300, 'x') + "\n" + Line("old", "2026-11-27T05:59:59.999999Z", 1) +
                  Line("just", "2026-11-27T06:00Z", 1));

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour5));

  EXPECT_EQ(result.counts.rows_in, 9);
  EXPECT_EQ(result.counts.rows_published, 2);
  EXPECT_EQ(result.counts.rows_quarantined, 7);
  EXPECT_EQ(result.rows_in_reach, 2);
  EXPECT_THAT(result.quarantine_reasons, SizeIs(7));
  EXPECT_THAT(
      world_.RowsOf(world_.quarantine(), {"source", "file", "position", "reason", "column"}),
      ElementsAre("events a.jsonl 103 null in a required column ts",
                  "events a.jsonl 135 not a long v", "events a.jsonl 186 not valid UTF-8 null",
                  "events a.jsonl 233 line too long: 300 bytes null",
                  "events a.jsonl 47 not valid JSON null", "events a.jsonl 534 beyond lateness ts",
                  "events a.jsonl 55 null key id"));
  EXPECT_THAT(world_.RowsOf(world_.quarantine(), {"raw"}),
              ::testing::Contains("{id: old, ts: 2026-11-27 05:59:59.999999Z}"));
}

TEST_F(IngestTest, LatenessMayBeAcceptedInstead) {
  world_.source().beyond_lateness = project::BeyondLateness::kAccept;
  world_.Land(kHour5, "a.jsonl", Line("old", "1969-12-31T23:59:59.999999Z", 1));

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour5));

  EXPECT_EQ(result.counts.rows_published, 1);
  EXPECT_EQ(result.rows_in_reach, 0) << "rule 15 will not find it: a record is needed";
  EXPECT_THAT(world_.RowsByPartition(), ElementsAre(Pair("ts_hour=1969-12-31-23", 1)));
}

TEST_F(IngestTest, ABadCopyDoesNotTakeAGoodOneWithIt) {
  // The first copy would win; only the second pass sees that its `v` is no number.
  world_.Land(kHour5, "a.jsonl",
              "{\"id\": \"x\", \"ts\": \"2026-11-30T05:10Z\", \"v\": \"one\"}\n" +
                  Line("x", "2026-11-30T05:10Z", 2) + Line("x", "2026-11-30T05:10Z", 3));

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour5));

  EXPECT_EQ(result.counts.rows_quarantined, 1);
  EXPECT_EQ(result.counts.rows_duplicate, 1);
  EXPECT_EQ(result.counts.rows_conflicting, 1);
  EXPECT_THAT(world_.Rows(), ElementsAre("x 2026-11-30T05:10Z 2"));
}

TEST_F(IngestTest, TooLargeAShareOfBadRowsFailsTheUnitAndLeavesNothing) {
  world_.source().quarantine_max_share = 0.5;
  world_.Land(kHour5, "a.jsonl", Line("x", "2026-11-30T05:10Z", 1) + "bad\n");
  ASSERT_THAT(world_.Ingest(world_.UnitOf(kHour5)), IsOk()) << "half is allowed";
  const std::size_t files_before = world_.StoredFileCount();
  world_.Land(kHour5, "b.jsonl", "worse\n{\"ts\": \"2026-11-30T05:10Z\"}\n");

  EXPECT_THAT(
      world_.Run(kHour5),
      Fails(ErrorKind::kInvalidArgument,
            AllOf(HasSubstr("3 of 4 rows"), HasSubstr("75.00%"), HasSubstr("2 not valid JSON"),
                  HasSubstr("1 null key"), HasSubstr("a.jsonl:47: not valid JSON"))));
  EXPECT_EQ(world_.StoredFileCount(), files_before);
}

TEST_F(IngestTest, TheQuarantineIsReplacedPerUnitAndFile) {
  world_.Land(kHour5, "a.jsonl", "bad a\n");
  world_.Land(kHour5, "b.jsonl", "bad b\n" + Line("x", "2026-11-30T05:10Z", 1));
  world_.Land(kHour6, "a.jsonl", "bad a of another hour\n");
  ASSERT_THAT(world_.Run(kHour5), IsOk());
  ASSERT_THAT(world_.Run(kHour6), IsOk());
  world_.Land(kHour5, "b.jsonl", "bad b\nand another\n");

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour5, {"b.jsonl"}));

  EXPECT_THAT(result.quarantine_removed, IsEmpty());
  EXPECT_THAT(result.quarantine_added, SizeIs(2)) << "new rows, and a delete of the old one";
  EXPECT_THAT(world_.RowsOf(world_.quarantine(), {"_strand_unit", "file", "raw"}),
              ElementsAre("1796014800 a.jsonl bad a", "1796014800 b.jsonl and another",
                          "1796014800 b.jsonl bad b", "1796018400 a.jsonl bad a of another hour"));
}

TEST_F(IngestTest, AQuarantineFileThatHoldsNothingElseIsRemovedWhole) {
  world_.Land(kHour5, "a.jsonl", "bad\n");
  ASSERT_THAT(world_.Run(kHour5), IsOk());
  world_.Land(kHour5, "a.jsonl", Line("x", "2026-11-30T05:10Z", 1));

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour5));

  EXPECT_THAT(result.quarantine_removed, SizeIs(1));
  EXPECT_THAT(result.quarantine_added, IsEmpty());
  EXPECT_THAT(world_.RowsOf(world_.quarantine(), {"raw"}), IsEmpty());
}

// C138: each row on a boundary is in exactly one partition.
TEST_F(IngestTest, BoundariesBelongToTheLaterHour) {
  world_.source().lateness = std::chrono::hours(24 * 400);
  const std::vector<std::string> times = {
      "2026-11-30T05:00:00.000000Z", "2026-11-30T05:59:59.999999Z", "2026-11-30T06:00:00Z",
      "2026-11-29T23:59:59.999999Z", "2026-11-30T00:00:00Z",        "2026-10-31T23:59:59.999999Z",
      "2026-11-01T00:00:00Z",        "2025-12-31T23:59:59.999999Z", "2026-01-01T00:00:00Z"};
  std::string lines;
  for (std::size_t i = 0; i < times.size(); ++i) {
    lines += Line(fmt::format("row {}", i), times[i], 0);
  }
  world_.Land(kHour5, "a.jsonl", lines);

  ASSERT_THAT(world_.Run(kHour5), IsOk());

  EXPECT_THAT(world_.RowsByPartition(),
              ElementsAre(Pair("ts_hour=2025-12-31-23", 1), Pair("ts_hour=2026-01-01-00", 1),
                          Pair("ts_hour=2026-10-31-23", 1), Pair("ts_hour=2026-11-01-00", 1),
                          Pair("ts_hour=2026-11-29-23", 1), Pair("ts_hour=2026-11-30-00", 1),
                          Pair("ts_hour=2026-11-30-05", 2), Pair("ts_hour=2026-11-30-06", 1)));
}

TEST_F(IngestTest, AKeyOfSeveralColumnsIsComparedAsAWhole) {
  world_.source().key = {"id", "v"};
  world_.Land(kHour5, "a.jsonl",
              Line("x", "2026-11-30T05:10Z", 1) + Line("x", "2026-11-30T05:10Z", 2) +
                  Line("x", "2026-11-30T05:11Z", 1));
  ASSERT_THAT(world_.Run(kHour5), IsOk());
  world_.Land(kHour6, "a.jsonl",
              Line("x", "2026-11-30T05:10Z", 2) + Line("y", "2026-11-30T05:10Z", 1));

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour6));

  EXPECT_EQ(result.counts.rows_duplicate, 1);
  EXPECT_THAT(world_.Rows(), ElementsAre("x 2026-11-30T05:10Z 1", "x 2026-11-30T05:10Z 2",
                                         "y 2026-11-30T05:10Z 1"));
}

TEST_F(IngestTest, DeletedRowsOfTheTableAreNotThere) {
  world_.Land(kHour5, "a.jsonl",
              Line("x", "2026-11-30T05:10Z", 1) + Line("y", "2026-11-30T05:10Z", 2));
  ASSERT_THAT(world_.Run(kHour5), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const table::ScanPlan plan, PlanScan(world_.table(), {}, world_.io()));
  const table::DataFile& file = plan.tasks.front().file;
  SL_ASSERT_OK_AND_ASSIGN(
      const table::DataFile deletes,
      WritePositionDeletes(world_.io(), world_.table(), DefaultSpec(world_.table()), file.partition,
                           {{file.file_path, {0}}}, "deletes"));
  table::SnapshotChange change;
  change.added = {{.spec_id = world_.table().default_spec_id, .file = deletes}};
  world_.Commit(world_.MutableTable(), change);
  ASSERT_THAT(world_.Rows(), SizeIs(1));

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour5));

  EXPECT_EQ(result.counts.rows_published, 1);
  EXPECT_EQ(result.counts.rows_duplicate, 1);
  EXPECT_EQ(result.counts.rows_conflicting, 0);
  EXPECT_THAT(world_.Rows(), ElementsAre("x 2026-11-30T05:10Z 1", "y 2026-11-30T05:10Z 2"));
}

TEST_F(IngestTest, AFileThatChangesWhileItIsReadIsAConflict) {
  world_.Land(kHour5, "a.jsonl", Line("x", "2026-11-30T05:10Z", 1));
  const LandingUnit listed = world_.UnitOf(kHour5);
  world_.Land(kHour5, "a.jsonl", Line("x", "2026-11-30T05:10Z", 2));

  EXPECT_THAT(world_.Ingest(listed),
              Fails(ErrorKind::kConflict, AllOf(HasSubstr("changed"), HasSubstr("a.jsonl"))));

  world_.Land(kHour5, "a.jsonl", "cut");
  EXPECT_THAT(world_.Ingest(listed), Fails(ErrorKind::kConflict, HasSubstr("changed")))
      << "also when it cannot be read";

  ASSERT_THAT(world_.io().Delete(world_.LocationOf(kHour5, "a.jsonl")), IsOk());
  EXPECT_THAT(world_.Ingest(listed), Fails(ErrorKind::kConflict, HasSubstr("removed")));
}

TEST_F(IngestTest, ABrokenFileFailsTheUnitByItsNameAndLeavesNothing) {
  world_.Land(kHour5, "a.jsonl", Line("x", "2026-11-30T05:10Z", 1));
  world_.Land(kHour5, "b.jsonl", std::string_view("\x1f\x8b\x08\x00\x00", 5));

  EXPECT_THAT(world_.Run(kHour5), Fails(ErrorKind::kCorrupt, HasSubstr("b.jsonl")));

  EXPECT_EQ(world_.StoredFileCount(), 0U);
}

TEST_F(IngestTest, StopsWhenAskedTo) {
  world_.Land(kHour5, "a.jsonl", Line("x", "2026-11-30T05:10Z", 1));
  world_.stop().request_stop();

  EXPECT_THAT(world_.Run(kHour5), Fails(ErrorKind::kCancelled, HasSubstr("a.jsonl")));

  EXPECT_EQ(world_.StoredFileCount(), 0U);
}

TEST_F(IngestTest, AUnitWithoutFilesIsEmpty) {
  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour5));

  EXPECT_EQ(result.counts.rows_in, 0);
  EXPECT_THAT(result.written_files, IsEmpty());
}

TEST_F(IngestTest, TellsItsProgress) {
  std::vector<IngestProgress> told;
  world_.options().on_progress = [&](const IngestProgress& progress) { told.push_back(progress); };
  world_.Land(kHour5, "a.jsonl", Line("x", "2026-11-30T05:10Z", 1));

  ASSERT_THAT(world_.Run(kHour5), IsOk());

  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told.back().rows, 1);
  EXPECT_EQ(told.back().bytes, told.back().bytes_total);
}

TEST_F(IngestTest, EachStorageCallMayFailAndLeavesNothingBehind) {
  world_.Land(kHour5, "a.jsonl", Line("x", "2026-11-30T05:10Z", 1) + "bad\n");
  ASSERT_THAT(world_.Run(kHour5), IsOk());
  world_.Land(kHour5, "a.jsonl",
              Line("x", "2026-11-30T05:10Z", 1) + "bad\n" + Line("y", "2026-11-30T05:10Z", 2) +
                  Line("late", "2026-11-30T04:10Z", 2));
  world_.options().threads = 1;
  const LandingUnit unit = world_.UnitOf(kHour5);
  const std::size_t files_before = world_.StoredFileCount();
  std::int64_t failed = 0;
  for (std::int64_t call = 1;; ++call) {
    world_.faults().FailCall(call);
    const Result<IngestResult> result = world_.Ingest(unit);
    const bool has_failed = world_.faults().has_failed();
    world_.faults().StopFailing();
    if (!has_failed) {
      ASSERT_THAT(result, IsOk());
      world_.Publish(*result);
      break;
    }
    ++failed;
    EXPECT_THAT(result, Fails(ErrorKind::kUnavailable, HasSubstr("")));
    EXPECT_EQ(world_.StoredFileCount(), files_before) << "after call " << call;
  }
  EXPECT_GT(failed, 20);
  EXPECT_THAT(world_.Rows(), ElementsAre("late 2026-11-30T04:10Z 2", "x 2026-11-30T05:10Z 1",
                                         "y 2026-11-30T05:10Z 2"));
}

TEST_F(IngestTest, RefusesSourcesThatDoNotFitTheirTable) {
  world_.Tables();
  world_.Land(kHour5, "a.jsonl", Line("x", "2026-11-30T05:10Z", 1));

  world_.AddColumn("w", "long");
  EXPECT_THAT(world_.Run(kHour5), Fails(ErrorKind::kInvalidArgument, HasSubstr("column w")));
  world_.source().columns.pop_back();

  world_.source().keep_max_of = "id";
  EXPECT_THAT(world_.Run(kHour5), Fails(ErrorKind::kInvalidArgument, HasSubstr("highest id")));
  world_.source().keep_max_of.reset();

  world_.source().time = "v";
  EXPECT_THAT(world_.Run(kHour5), Fails(ErrorKind::kInvalidArgument, HasSubstr("no time")));
}

}  // namespace
}  // namespace strandline::pipeline
