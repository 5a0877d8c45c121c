#include "strandline/table/update/snapshot_change.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/table/update/internal/manifest_merge.h"
#include "tests/support/matchers.h"
#include "tests/support/recording_file_io.h"
#include "tests/support/table_world.h"

namespace strandline::table {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::FakeFile;
using ::strandline::testing::IsOk;
using ::strandline::testing::RecordingFileIo;
using ::strandline::testing::World;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr const char* kTable = "ads.orders";

std::string PathOf(std::string_view name) {
  return fmt::format("mem://lake/ads/orders/data/{}.parquet", name);
}

NewFile Data(std::string_view name, std::int64_t rows = 1, PartitionTuple partition = {}) {
  return FakeFile({.path = PathOf(name), .rows = rows, .partition = std::move(partition)});
}

std::vector<ManifestFile> ListOf(World& world, const TableMetadata& table) {
  return ReadManifestList(world.io(), *CurrentSnapshot(table)).value();
}

// Every entry of the current snapshot as `added a`, in the order of the manifests.
std::vector<std::string> EntriesOf(World& world, const TableMetadata& table) {
  std::vector<std::string> lines;
  for (const ManifestFile& manifest : ListOf(world, table)) {
    const Status read =
        ReadManifest(world.io(), table, manifest, {}, [&](ManifestEntry&& entry) -> Result<bool> {
          const char* status[] = {"existing", "added", "deleted"};
          const std::string& path = entry.file.file_path;
          const std::size_t slash = path.rfind('/') + 1;
          lines.push_back(fmt::format("{} {}", status[static_cast<std::size_t>(entry.status)],
                                      path.substr(slash, path.rfind('.') - slash)));
          return true;
        });
    EXPECT_THAT(read, IsOk());
  }
  return lines;
}

const std::map<std::string, std::string>& SummaryOf(const catalog::LoadedTable& table) {
  return CurrentSnapshot(*table.metadata)->summary;
}

TEST(PrepareSnapshot, AppendsToAnEmptyTable) {
  World world;
  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable created, world.Create({}));

  SL_ASSERT_OK_AND_ASSIGN(
      const catalog::LoadedTable table,
      world.Change(kTable, {.added = {Data("a", 3), Data("b", 4)}, .summary = {{"run", "7"}}}));

  EXPECT_THAT(EntriesOf(world, *table.metadata), ElementsAre("added a", "added b"));
  const Snapshot& snapshot = *CurrentSnapshot(*table.metadata);
  EXPECT_EQ(snapshot.parent_id, std::nullopt);
  EXPECT_EQ(snapshot.sequence_number, SequenceNumber(1));
  EXPECT_EQ(snapshot.timestamp_ms, created.metadata->last_updated_ms + 1);
  EXPECT_THAT(snapshot.summary,
              UnorderedElementsAre(
                  Pair("operation", "append"), Pair("run", "7"), Pair("added-data-files", "2"),
                  Pair("added-records", "7"), Pair("added-files-size", "200"),
                  Pair("changed-partition-count", "1"), Pair("total-data-files", "2"),
                  Pair("total-records", "7"), Pair("total-files-size", "200"),
                  Pair("total-delete-files", "0"), Pair("total-position-deletes", "0"),
                  Pair("total-equality-deletes", "0")));
  EXPECT_THAT(snapshot.manifest_list, AllOf(HasSubstr("/metadata/snap-"), EndsWith(".avro")));
}

TEST(PrepareSnapshot, AppendReadsTheManifestListAndNothingElse) {
  World world;
  ASSERT_THAT(world.Create({}), IsOk());
  for (int i = 0; i < 20; ++i) {
    ASSERT_THAT(world.Change(kTable, {.added = {Data(fmt::format("f{}", i))}}), IsOk());
  }
  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable table, world.Load(kTable));
  RecordingFileIo io(world.io());

  ASSERT_THAT(
      PrepareSnapshot(*table.metadata, {.added = {Data("new")}}, io, world.clock, world.rng),
      IsOk());

  EXPECT_THAT(io.opened(), ElementsAre(CurrentSnapshot(*table.metadata)->manifest_list));
  EXPECT_THAT(io.created(), SizeIs(2)) << "one manifest and the list";
}

TEST(PrepareSnapshot, RemovesWholeFilesAndKeepsTheirNeighbours) {
  World world;
  ASSERT_THAT(world.Create({}), IsOk());
  ASSERT_THAT(world.Change(kTable, {.added = {Data("a", 3), Data("b", 4)}}), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable before,
                          world.Change(kTable, {.added = {Data("c", 5)}}));

  SL_ASSERT_OK_AND_ASSIGN(
      const catalog::LoadedTable table,
      world.Change(kTable, {.added = {Data("d", 6)}, .removed = {PathOf("a")}}));

  EXPECT_THAT(EntriesOf(world, *table.metadata),
              UnorderedElementsAre("added d", "added c", "deleted a", "existing b"));
  EXPECT_THAT(
      SummaryOf(table),
      AllOf(Contains(Pair("operation", "overwrite")), Contains(Pair("deleted-data-files", "1")),
            Contains(Pair("deleted-records", "3")), Contains(Pair("removed-files-size", "100")),
            Contains(Pair("total-data-files", "3")), Contains(Pair("total-records", "15")),
            Contains(Pair("total-files-size", "300"))));
  EXPECT_THAT(EntriesOf(world, *before.metadata),
              UnorderedElementsAre("added a", "added b", "added c"))
      << "the old snapshot still reads as it did";
}

// Case C100.
TEST(PrepareSnapshot, RemovesAFileInAnySpellingAndTakesItAgain) {
  World world;
  ASSERT_THAT(world.Create({}), IsOk());
  ASSERT_THAT(world.Change(kTable, {.added = {FakeFile({.path = "file:///lake/a.parquet"})}}),
              IsOk());

  for (const char* spelling :
       {"/lake/a.parquet", "file:/lake/a.parquet", "file:///lake//a.parquet"}) {
    SCOPED_TRACE(spelling);
    SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable removed,
                            world.Change(kTable, {.removed = {spelling}}));
    EXPECT_THAT(EntriesOf(world, *removed.metadata), ElementsAre("deleted a"));
    SL_ASSERT_OK_AND_ASSIGN(
        const catalog::LoadedTable again,
        world.Change(kTable, {.added = {FakeFile({.path = "file:///lake/a.parquet"})}}));
    EXPECT_THAT(EntriesOf(world, *again.metadata), ElementsAre("added a"));
  }
}

TEST(PrepareSnapshot, KeepsIdsAndSequenceNumbersOfRewrittenEntries) {
  World world;
  ASSERT_THAT(world.Create({}), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable first,
                          world.Change(kTable, {.added = {Data("a"), Data("b")}}));

  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable second,
                          world.Change(kTable, {.removed = {PathOf("a")}}));

  for (const ManifestFile& manifest : ListOf(world, *second.metadata)) {
    EXPECT_EQ(manifest.sequence_number, SequenceNumber(2));
    EXPECT_EQ(manifest.min_sequence_number, SequenceNumber(1));
    ASSERT_THAT(ReadManifest(world.io(), *second.metadata, manifest, {},
                             [&](ManifestEntry&& entry) -> Result<bool> {
                               const bool is_deleted = entry.status == EntryStatus::kDeleted;
                               EXPECT_EQ(entry.sequence_number, SequenceNumber(1));
                               EXPECT_EQ(entry.file_sequence_number, SequenceNumber(1));
                               EXPECT_EQ(entry.snapshot_id,
                                         is_deleted ? second.metadata->current_snapshot_id
                                                    : first.metadata->current_snapshot_id);
                               return true;
                             }),
                IsOk());
  }
}

TEST(PrepareSnapshot, DropsManifestsThatHoldNothingLive) {
  World world;
  ASSERT_THAT(world.Create({}), IsOk());
  ASSERT_THAT(world.Change(kTable, {.added = {Data("a")}}), IsOk());
  ASSERT_THAT(world.Change(kTable, {.removed = {PathOf("a")}}), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable table,
                          world.Change(kTable, {.added = {Data("b")}}));

  EXPECT_THAT(EntriesOf(world, *table.metadata), ElementsAre("added b"));
}

TEST(PrepareSnapshot, ChoosesTheWordForWhatItDid) {
  const NewFile deletes = FakeFile({.path = PathOf("x-deletes"),
                                    .content = FileContent::kPositionDeletes,
                                    .points_at = PathOf("a")});
  struct Case {
    const char* name;
    SnapshotChange change;
    const char* operation;
  };
  const Case cases[] = {
      {"only data", {.added = {Data("b")}}, "append"},
      {"nothing", {}, "append"},
      {"only removal", {.removed = {PathOf("a")}}, "delete"},
      {"only deletes", {.added = {deletes}}, "delete"},
      {"data and deletes", {.added = {Data("b"), deletes}}, "overwrite"},
      {"data and removal", {.added = {Data("b")}, .removed = {PathOf("a")}}, "overwrite"},
      {"a word that is forced",
       {.added = {Data("b")}, .removed = {PathOf("a")}, .operation = Operation::kReplace},
       "replace"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    World world;
    ASSERT_THAT(world.Create({}), IsOk());
    ASSERT_THAT(world.Change(kTable, {.added = {Data("a")}}), IsOk());
    SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable table, world.Change(kTable, c.change));
    EXPECT_THAT(SummaryOf(table), Contains(Pair("operation", c.operation)));
  }
}

TEST(PrepareSnapshot, CountsPositionDeletes) {
  World world;
  ASSERT_THAT(world.Create({}), IsOk());
  ASSERT_THAT(world.Change(kTable, {.added = {Data("a", 1000)}}), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(
      const catalog::LoadedTable table,
      world.Change(kTable, {.added = {FakeFile({.path = PathOf("a-deletes"),
                                                .rows = 100,
                                                .content = FileContent::kPositionDeletes,
                                                .points_at = PathOf("a")})}}));

  EXPECT_THAT(SummaryOf(table), AllOf(Contains(Pair("added-delete-files", "1")),
                                      Contains(Pair("added-position-delete-files", "1")),
                                      Contains(Pair("added-position-deletes", "100")),
                                      Contains(Pair("total-records", "1000")),
                                      Contains(Pair("total-delete-files", "1")),
                                      Contains(Pair("total-position-deletes", "100"))));
}

TEST(PrepareSnapshot, DropsDeletesThatLostAllTheirFiles) {
  struct Case {
    const char* name;
    testing::FakeFileOptions deletes;
    std::vector<std::string> removed;
    bool is_dropped;
  };
  const Case cases[] = {
      {"of one file, which goes", {.points_at = PathOf("b")}, {PathOf("b")}, true},
      {"of one file, named by its bounds",
       {.points_at_first = PathOf("b"), .points_at_last = PathOf("b")},
       {PathOf("b")},
       true},
      {"of one file in another spelling",
       {.points_at = "mem://lake//ads/orders/data/b.parquet"},
       {PathOf("b")},
       true},
      {"of one file, which stays", {.points_at = PathOf("a")}, {PathOf("b")}, false},
      {"of two files, one of which stays",
       {.points_at_first = PathOf("a"), .points_at_last = PathOf("b")},
       {PathOf("b")},
       false},
      {"of two files, both of which go",
       {.points_at_first = PathOf("a"), .points_at_last = PathOf("b")},
       {PathOf("a"), PathOf("b")},
       true},
      {"of who knows which files", {}, {PathOf("a"), PathOf("b")}, false},
      {"of who knows which files, all of which go",
       {},
       {PathOf("a"), PathOf("b"), PathOf("c")},
       true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    World world;
    ASSERT_THAT(world.Create({}), IsOk());
    ASSERT_THAT(world.Change(kTable, {.added = {Data("a"), Data("b"), Data("c")}}), IsOk());
    testing::FakeFileOptions deletes = c.deletes;
    deletes.path = PathOf("deletes");
    deletes.content = FileContent::kPositionDeletes;
    ASSERT_THAT(world.Change(kTable, {.added = {FakeFile(deletes)}}), IsOk());

    SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable table,
                            world.Change(kTable, {.added = {Data("newer")}, .removed = c.removed}));

    EXPECT_THAT(EntriesOf(world, *table.metadata),
                Contains(c.is_dropped ? "deleted deletes" : "added deletes"));
    EXPECT_THAT(SummaryOf(table), Contains(Pair("total-delete-files", c.is_dropped ? "0" : "1")));
  }
}

TEST(PrepareSnapshot, KeepsDeletesOfAnotherPartition) {
  World world;
  ASSERT_THAT(world.Create({.partitioned_by = "country"}), IsOk());
  const PartitionTuple de = {Value(std::string("DE"))};
  const PartitionTuple fr = {Value(std::string("FR"))};
  ASSERT_THAT(world.Change(kTable, {.added = {Data("a", 1, de), Data("b", 1, fr)}}), IsOk());
  ASSERT_THAT(
      world.Change(kTable, {.added = {FakeFile({.path = PathOf("deletes"),
                                                .partition = fr,
                                                .content = FileContent::kPositionDeletes})}}),
      IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable table,
                          world.Change(kTable, {.removed = {PathOf("a")}}));

  EXPECT_THAT(EntriesOf(world, *table.metadata), Contains("added deletes"));
}

TEST(PrepareSnapshot, ReadsOnlyManifestsThatMayHoldWhatIsRemoved) {
  World world;
  ASSERT_THAT(world.Create({.partitioned_by = "country"}), IsOk());
  const std::string countries[] = {"AT", "BE", "CH", "DE", "ES", "FR"};
  for (const std::string& country : countries) {
    ASSERT_THAT(world.Change(kTable, {.added = {Data(country, 1, {Value(country)})}}), IsOk());
  }
  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable table, world.Load(kTable));
  RecordingFileIo io(world.io());
  const SnapshotChange known{.removed = {PathOf("CH")},
                             .removed_from = {{SpecId(0), {Value(std::string("CH"))}}}};
  const SnapshotChange unknown{.removed = {PathOf("DE")}};

  ASSERT_THAT(PrepareSnapshot(*table.metadata, known, io, world.clock, world.rng), IsOk());
  EXPECT_THAT(io.opened(), SizeIs(2)) << "the list and one manifest";

  io.Forget();
  ASSERT_THAT(PrepareSnapshot(*table.metadata, unknown, io, world.clock, world.rng), IsOk());
  EXPECT_THAT(io.opened(), SizeIs(4)) << "the list, and manifests from the newest to the one";
}

TEST(PrepareSnapshot, MergesSmallManifestsInTheOrderOfTheirAge) {
  World world;
  ASSERT_THAT(world.Create({.properties = {{"commit.manifest.min-count-to-merge", "4"}}}), IsOk());
  catalog::LoadedTable table;
  for (int i = 0; i < 4; ++i) {
    SL_ASSERT_OK_AND_ASSIGN(table, world.Change(kTable, {.added = {Data(fmt::format("f{}", i))}}));
  }

  EXPECT_THAT(EntriesOf(world, *table.metadata),
              ElementsAre("added f3", "existing f2", "existing f1", "existing f0"));
  const std::vector<ManifestFile> list = ListOf(world, *table.metadata);
  ASSERT_THAT(list, SizeIs(1));
  EXPECT_EQ(list.front().min_sequence_number, SequenceNumber(1));
  EXPECT_EQ(list.front().added_files_count, 1);
  EXPECT_EQ(list.front().existing_files_count, 3);
  EXPECT_THAT(SummaryOf(table), Contains(Pair("total-data-files", "4")));
}

TEST(PrepareSnapshot, KeepsManifestCountBoundedOverManyCommits) {
  World world;
  ASSERT_THAT(world.Create({.properties = {{"commit.manifest.min-count-to-merge", "5"}}}), IsOk());
  std::size_t manifests_max = 0;
  for (int i = 0; i < 40; ++i) {
    SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable table,
                            world.Change(kTable, {.added = {Data(fmt::format("f{}", i))}}));
    manifests_max = std::max(manifests_max, ListOf(world, *table.metadata).size());
    EXPECT_THAT(EntriesOf(world, *table.metadata), SizeIs(i + 1));
  }
  EXPECT_LE(manifests_max, 5U);
}

TEST(PrepareSnapshot, TidiesUpOverSeveralCommits) {
  World world;
  ASSERT_THAT(world.Create({.properties = {{"commit.manifest-merge.enabled", "false"}}}), IsOk());
  constexpr std::size_t kManifests = 40;
  for (std::size_t i = 0; i < kManifests; ++i) {
    ASSERT_THAT(world.Change(kTable, {.added = {Data(fmt::format("f{}", i))}}), IsOk());
  }
  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable foreign, world.Load(kTable));
  const std::int64_t length = ListOf(world, *foreign.metadata).front().manifest_length;
  SL_ASSERT_OK_AND_ASSIGN(
      const catalog::LoadedTable table,
      world.Update(kTable, {SetProperties{{{"commit.manifest-merge.enabled", "true"},
                                           {"commit.manifest.target-size-bytes",
                                            fmt::format("{}", length * 5 / 2)}}}}));
  RecordingFileIo io(world.io());

  ASSERT_THAT(
      PrepareSnapshot(*table.metadata, {.added = {Data("new")}}, io, world.clock, world.rng),
      IsOk());

  // Pairs of the oldest were read and written; besides the manifest of the new file, and the lists.
  EXPECT_THAT(io.opened(), SizeIs(2 * internal::kMergedGroupsMax + 1));
  EXPECT_THAT(io.created(), SizeIs(internal::kMergedGroupsMax + 2));
  std::vector<std::string> entries;
  for (int i = 0; i < 4; ++i) {
    SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable changed,
                            world.Change(kTable, {.added = {Data(fmt::format("g{}", i))}}));
    entries = EntriesOf(world, *changed.metadata);
    EXPECT_THAT(SummaryOf(changed),
                Contains(Pair("total-data-files", fmt::format("{}", kManifests + 1 + i))));
  }
  EXPECT_THAT(entries, SizeIs(kManifests + 4));
  EXPECT_EQ(entries.back(), "existing f0");
}

TEST(PrepareSnapshot, SplitsTheManifestOfVeryManyFiles) {
  World world;
  ASSERT_THAT(world.Create({.properties = {{"commit.manifest.target-size-bytes", "5120"}}}),
              IsOk());
  SnapshotChange change;
  for (int i = 0; i < 25; ++i) {
    change.added.push_back(Data(fmt::format("f{}", i)));
  }

  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable table, world.Change(kTable, change));

  EXPECT_THAT(ListOf(world, *table.metadata), SizeIs(3));
  EXPECT_THAT(EntriesOf(world, *table.metadata), SizeIs(25));
}

TEST(PrepareSnapshot, CountsTotalsAnewWhereTheParentLies) {
  World world;
  ASSERT_THAT(world.Create({}), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable good,
                          world.Change(kTable, {.added = {Data("a", 3)}}));
  TableMetadata metadata = *good.metadata;
  metadata.snapshots.back().summary["total-records"] = "99";
  metadata.snapshots.back().summary["total-files-size"] = "much";
  metadata.snapshots.back().summary.erase("total-position-deletes");

  SL_ASSERT_OK_AND_ASSIGN(
      const PreparedSnapshot prepared,
      PrepareSnapshot(metadata, {.added = {Data("b", 4)}}, world.io(), world.clock, world.rng));

  const auto& added = std::get<AddSnapshot>(prepared.request.updates.front());
  EXPECT_THAT(added.snapshot.summary, Contains(Pair("total-records", "7")));
  EXPECT_THAT(added.snapshot.summary, Not(Contains(Pair("total-files-size", ::testing::_))));
  EXPECT_THAT(added.snapshot.summary, Not(Contains(Pair("total-position-deletes", ::testing::_))));
}

TEST(PrepareSnapshot, WritesToABranchAndLeavesMainAlone) {
  World world;
  ASSERT_THAT(world.Create({}), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable before,
                          world.Change(kTable, {.added = {Data("a")}}));

  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable table,
                          world.Change(kTable, {.branch = "audit", .added = {Data("b")}}));

  EXPECT_EQ(table.metadata->current_snapshot_id, before.metadata->current_snapshot_id);
  const std::optional<SnapshotId> audit = RefSnapshotId(*table.metadata, "audit");
  ASSERT_TRUE(audit.has_value());
  EXPECT_EQ(FindSnapshot(*table.metadata, *audit)->parent_id, before.metadata->current_snapshot_id);
}

TEST(PrepareSnapshot, RefusesWhatCannotBe) {
  World world;
  ASSERT_THAT(world.Create({}), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable table,
                          world.Change(kTable, {.added = {Data("a"), Data("b")}}));
  struct Case {
    const char* name;
    SnapshotChange change;
    ErrorKind kind;
    const char* message;
  };
  const Case cases[] = {
      {"a removed file that is not there",
       {.removed = {PathOf("a"), PathOf("z")}},
       ErrorKind::kNotFound,
       "z.parquet"},
      {"a file added twice in two spellings",
       {.added = {FakeFile({.path = "file:///lake/x.parquet"}),
                  FakeFile({.path = "file:/lake//x.parquet"})}},
       ErrorKind::kInvalidArgument,
       "added twice: file:/lake//x.parquet"},
      {"a file added twice, once without a scheme",
       {.added = {FakeFile({.path = "/lake/x.parquet"}),
                  FakeFile({.path = "file:///lake/x.parquet"})}},
       ErrorKind::kInvalidArgument,
       "added twice"},
      {"a file that is live in another spelling",
       {.added = {FakeFile({.path = "mem://lake/ads/orders//data/b.parquet"})},
        .removed = {PathOf("a")}},
       ErrorKind::kInvalidArgument,
       "in the table already"},
      {"a file added twice",
       {.added = {Data("c"), Data("c")}},
       ErrorKind::kInvalidArgument,
       "twice"},
      {"an added file that is seen to be live",
       {.added = {Data("b")}, .removed = {PathOf("a")}},
       ErrorKind::kInvalidArgument,
       "b.parquet"},
      {"an unknown spec",
       {.added = {FakeFile({.path = PathOf("c")}, SpecId(5))}},
       ErrorKind::kInvalidArgument,
       "5"},
      {"a partition of another shape",
       {.added = {Data("c", 1, {Value(std::int32_t{1})})}},
       ErrorKind::kInvalidArgument,
       "1 partition values"},
      {"equality deletes",
       {.added = {FakeFile({.path = PathOf("c"), .content = FileContent::kEqualityDeletes})}},
       ErrorKind::kUnsupported,
       "equality"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    RecordingFileIo io(world.io());
    EXPECT_THAT(PrepareSnapshot(*table.metadata, c.change, io, world.clock, world.rng),
                Fails(c.kind, HasSubstr(c.message)));
    EXPECT_THAT(io.created(), IsEmpty());
  }
}

// Storage call 1, 2, 3, ... fails until none is left: nothing may stay behind, and the next try
// works.
TEST(PrepareSnapshot, LeavesNothingBehindWhicheverStorageCallFails) {
  World world;
  ASSERT_THAT(world.Create({}), IsOk());
  ASSERT_THAT(world.Change(kTable, {.added = {Data("a"), Data("b")}}), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const catalog::LoadedTable table, world.Load(kTable));
  const SnapshotChange change{.added = {Data("c")}, .removed = {PathOf("a")}};

  int failures = 0;
  for (int call = 1;; ++call) {
    SCOPED_TRACE(call);
    RecordingFileIo io(world.io());
    world.io().FailCall(call);
    const Result<PreparedSnapshot> prepared =
        PrepareSnapshot(*table.metadata, change, io, world.clock, world.rng);
    world.io().StopFailing();
    if (prepared) {
      break;
    }
    ++failures;
    EXPECT_THAT(prepared, Fails(ErrorKind::kUnavailable, HasSubstr("")));
    for (const std::string& location : io.created()) {
      EXPECT_THAT(world.io().Stat(location), Fails(ErrorKind::kNotFound, HasSubstr("")));
    }
  }
  EXPECT_GT(failures, 8);
}

}  // namespace
}  // namespace strandline::table
