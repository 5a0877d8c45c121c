#include "strandline/maintenance/fsck/fsck.h"

#include <functional>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/maintenance/fsck/internal/path_check.h"
#include "strandline/table/deletes/position_deletes.h"
#include "tests/support/matchers.h"
#include "tests/support/table_world.h"

namespace strandline::maintenance {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::FakeFile;
using ::strandline::testing::Finding;
using ::strandline::testing::IsOk;
using ::strandline::testing::IsSound;
using ::strandline::testing::RowsOf;
using ::strandline::testing::World;
using ::strandline::testing::WriteRows;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kTable = "ads.orders";
constexpr table::FieldId kIdColumn{1};
constexpr table::FieldId kCountryColumn{2};
constexpr table::FieldId kPriceColumn{3};

// A table whose last append was tampered with before it was committed.
class FsckTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(world.Create({.columns = "id long, country string, price double",
                              .partitioned_by = "bucket[4](id), truncate[1](country)"}),
                IsOk());
  }

  // Three rows of one partition as a file, not committed.
  table::NewFile WriteFile(const std::string& json = R"([
      {"id": 7, "country": "DE", "price": 1.5},
      {"id": 7, "country": "DK", "price": null},
      {"id": 7, "country": "DZ", "price": NaN}])") {
    const catalog::LoadedTable table = world.Load(kTable).value();
    const auto rows = RowsOf(CurrentSchema(*table.metadata), json);
    std::vector<table::NewFile> files =
        WriteRows(world.io(), *table.metadata, *rows, world.rng).value();
    SL_CHECK(files.size() == 1);
    return files.front();
  }

  catalog::LoadedTable Commit(std::vector<table::NewFile> files) {
    return world.Change(kTable, {.added = std::move(files)}).value();
  }

  // The table with metadata that was tampered with; nothing is committed.
  catalog::LoadedTable With(const catalog::LoadedTable& table,
                            const std::function<void(table::TableMetadata&)>& tamper) {
    table::TableMetadata metadata = *table.metadata;
    tamper(metadata);
    catalog::LoadedTable changed = table;
    changed.metadata = std::make_shared<const table::TableMetadata>(std::move(metadata));
    return changed;
  }

  std::vector<FsckFinding> Find(const FsckOptions& options = {}) {
    return Fsck(world.io(), world.Load(kTable).value(), options).value().findings;
  }

  World world;
};

TEST_F(FsckTest, FindsNothingInASoundTable) {
  EXPECT_THAT(world.Fsck(kTable), IsSound()) << "an empty table";
  for (int i = 0; i < 3; ++i) {
    Commit({WriteFile(), WriteFile(R"([{"id": 8, "country": null, "price": -0.0}])")});
  }

  const Result<FsckReport> report = world.Fsck(kTable);

  EXPECT_THAT(report, IsSound());
  EXPECT_EQ(report->snapshots_checked, 3);
  EXPECT_EQ(report->manifests_checked, 3);
  EXPECT_EQ(report->data_files_checked, 6);
  EXPECT_EQ(report->rows_read, 12);
  EXPECT_EQ(report->files_not_read, 0);
}

// Each case tampers with what an entry says of a good file.
TEST_F(FsckTest, ComparesEntriesWithTheirFiles) {
  const table::Type text = table::PrimitiveType(table::TypeId::kString);
  const table::Type number = table::PrimitiveType(table::TypeId::kLong);
  struct Case {
    const char* name;
    std::function<void(table::DataFile&)> tamper;
    FsckKind kind;
    const char* message;
  };
  const Case cases[] = {
      {"size", [](table::DataFile& file) { ++file.file_size_bytes; }, FsckKind::kWrongSize,
       "expected"},
      {"record count", [](table::DataFile& file) { file.record_count = 5; }, FsckKind::kRecordCount,
       "expected 5 rows, found 3"},
      {"null count",
       [](table::DataFile& file) {
         for (auto& [id, count] : file.null_value_counts) {
           count += id == kPriceColumn ? 1 : 0;
         }
       },
       FsckKind::kNullCount, "price: expected 2 nulls, found 1"},
      {"NaN count",
       [](table::DataFile& file) {
         for (auto& [id, count] : file.nan_value_counts) {
           count += id == kPriceColumn ? 1 : 0;
         }
       },
       FsckKind::kNanCount, "price: expected 2 NaNs, found 1"},
      {"lower bound",
       [&](table::DataFile& file) {
         for (auto& [id, bound] : file.lower_bounds) {
           if (id == kCountryColumn) {
             bound = SerializeValue(text, std::string("DF"));
           }
         }
       },
       FsckKind::kBoundTooNarrow, "country: lower bound"},
      {"upper bound",
       [&](table::DataFile& file) {
         for (auto& [id, bound] : file.upper_bounds) {
           if (id == kIdColumn) {
             bound = SerializeValue(number, std::int64_t{6});
           }
         }
       },
       FsckKind::kBoundTooNarrow, "id: upper bound 6, found 7"},
      {"a bound that is none",
       [](table::DataFile& file) { file.upper_bounds = {{kIdColumn, "abc"}}; },
       FsckKind::kUnreadable, "id: bound cannot be decoded"},
      {"bucket",
       [](table::DataFile& file) {
         auto& bucket = std::get<std::int32_t>(file.partition[0]);
         bucket = (bucket + 1) % 4;
       },
       FsckKind::kPartitionValue, "id_bucket: expected"},
      {"truncated value", [](table::DataFile& file) { file.partition[1] = std::string("F"); },
       FsckKind::kPartitionValue, "country_truncate: expected F, found D"},
      {"null as a value", [](table::DataFile& file) { file.partition[1] = table::Value(); },
       FsckKind::kPartitionValue, "country_truncate: expected null, found D"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    World fresh(2);
    ASSERT_THAT(fresh.Create({.columns = "id long, country string, price double",
                              .partitioned_by = "bucket[4](id), truncate[1](country)"}),
                IsOk());
    const catalog::LoadedTable table = fresh.Load(kTable).value();
    const auto rows = RowsOf(CurrentSchema(*table.metadata), R"([
        {"id": 7, "country": "DE", "price": 1.5},
        {"id": 7, "country": "DK", "price": null},
        {"id": 7, "country": "DZ", "price": NaN}])");
    std::vector<table::NewFile> files =
        WriteRows(fresh.io(), *table.metadata, *rows, fresh.rng).value();
    ASSERT_THAT(files, SizeIs(1));
    c.tamper(files[0].file);
    ASSERT_THAT(fresh.Change(kTable, {.added = files}), IsOk());

    SL_ASSERT_OK_AND_ASSIGN(const FsckReport report, fresh.Fsck(kTable));

    EXPECT_THAT(report.findings,
                ElementsAre(Finding(c.kind, files[0].file.file_path, HasSubstr(c.message))));
  }
}

// Other writers let such values wrap around, or keep them in some partition.
TEST(Fsck, FindsValuesThatHaveNoPartition) {
  struct Case {
    const char* columns;
    const char* partitioned_by;
    const char* json;
    const char* message;
  };
  const Case cases[] = {
      {"id int", "truncate[10](id)", R"([{"id": -2147483648}])", "truncate[10]"},
      {"id long", "truncate[10](id)", R"([{"id": -9223372036854775808}])", "truncate[10]"},
      {"at timestamp", "hour(at)", R"([{"at": 9223372036854775807}])", "hour"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.columns);
    World world;
    const catalog::LoadedTable table =
        world.Create({.columns = c.columns, .partitioned_by = c.partitioned_by}).value();
    const table::Schema& schema = CurrentSchema(*table.metadata);
    table::TableMetadata unpartitioned = *table.metadata;
    unpartitioned.partition_specs.front().fields.clear();
    std::vector<table::NewFile> files =
        WriteRows(world.io(), unpartitioned, *RowsOf(schema, c.json), world.rng).value();
    const table::Value any_partition = schema.fields.front().type.id == table::TypeId::kLong
                                           ? table::Value(std::int64_t{0})
                                           : table::Value(std::int32_t{0});
    files.front().file.partition = {any_partition};
    ASSERT_THAT(world.Change(kTable, {.added = files}), IsOk());

    EXPECT_THAT(world.Fsck(kTable).value().findings,
                ElementsAre(Finding(FsckKind::kPartitionValue, ::testing::_,
                                    AllOf(HasSubstr("leaves its type"), HasSubstr(c.message)))));
  }
}

TEST_F(FsckTest, FindsFilesThatAreMissing) {
  const table::NewFile file = WriteFile();
  const catalog::LoadedTable table = Commit({file});
  const std::string list = CurrentSnapshot(*table.metadata)->manifest_list;
  const std::string manifest =
      ReadManifestList(world.io(), *CurrentSnapshot(*table.metadata)).value()[0].manifest_path;

  ASSERT_THAT(world.io().Delete(file.file.file_path), IsOk());
  EXPECT_THAT(Find(), ElementsAre(Finding(FsckKind::kMissingFile, file.file.file_path,
                                          HasSubstr("not there"))));
  ASSERT_THAT(world.io().Delete(manifest), IsOk());
  EXPECT_THAT(Find(), Contains(Finding(FsckKind::kMissingFile, manifest, HasSubstr(""))));
  ASSERT_THAT(world.io().Delete(list), IsOk());
  EXPECT_THAT(Find(), ElementsAre(Finding(FsckKind::kMissingFile, list, HasSubstr(""))));
}

TEST_F(FsckTest, FindsFilesThatOnlyAnOlderSnapshotNeeds) {
  const table::NewFile file = WriteFile();
  Commit({file});
  ASSERT_THAT(world.Change(kTable, {.removed = {file.file.file_path}}), IsOk());
  ASSERT_THAT(world.io().Delete(file.file.file_path), IsOk());

  EXPECT_THAT(Find(), ElementsAre(Finding(FsckKind::kMissingFile, file.file.file_path,
                                          HasSubstr("not there"))));
  EXPECT_THAT(Find({.history = false}), IsEmpty());
}

TEST_F(FsckTest, FindsFilesThatCannotBeRead) {
  const table::NewFile file = WriteFile();
  const catalog::LoadedTable table = Commit({file});
  const std::string list = CurrentSnapshot(*table.metadata)->manifest_list;
  for (const std::string& location : {file.file.file_path, list}) {
    SCOPED_TRACE(location);
    SL_ASSERT_OK_AND_ASSIGN(const std::string bytes, io::ReadFile(world.io(), location));
    ASSERT_THAT(world.io().Delete(location), IsOk());
    ASSERT_THAT(io::WriteFile(world.io(), location, std::string(bytes.size(), 'x')), IsOk());

    EXPECT_THAT(Find(), Contains(Finding(FsckKind::kUnreadable, location, HasSubstr(""))));
  }
}

TEST_F(FsckTest, ComparesManifestsWithTheirLines) {
  const catalog::LoadedTable table = Commit({WriteFile()});
  const table::Snapshot& snapshot = *CurrentSnapshot(*table.metadata);
  struct Case {
    const char* name;
    std::function<void(table::ManifestFile&)> tamper;
    FsckKind kind;
    const char* message;
  };
  const Case cases[] = {
      {"files", [](table::ManifestFile& line) { line.added_files_count = 2; },
       FsckKind::kManifestCounts, "added files: the manifest list says 2, the manifest has 1"},
      {"rows", [](table::ManifestFile& line) { line.added_rows_count = 2; },
       FsckKind::kManifestCounts, "added rows"},
      {"existing files", [](table::ManifestFile& line) { line.existing_files_count = 1; },
       FsckKind::kManifestCounts, "existing files"},
      {"deleted rows", [](table::ManifestFile& line) { line.deleted_rows_count = 1; },
       FsckKind::kManifestCounts, "deleted rows"},
      {"length", [](table::ManifestFile& line) { ++line.manifest_length; }, FsckKind::kWrongSize,
       "bytes"},
  };
  int number = 0;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    std::vector<table::ManifestFile> lines = ReadManifestList(world.io(), snapshot).value();
    c.tamper(lines[0]);
    const std::string list = fmt::format("mem://lake/ads/orders/metadata/bad-{}.avro", number++);
    ASSERT_THAT(WriteManifestList(world.io(), list, snapshot.id, snapshot.parent_id,
                                  snapshot.sequence_number, lines),
                IsOk());
    const catalog::LoadedTable bad = With(table, [&](table::TableMetadata& metadata) {
      metadata.snapshots.back().manifest_list = list;
    });

    SL_ASSERT_OK_AND_ASSIGN(const FsckReport report, Fsck(world.io(), bad, {}));

    EXPECT_THAT(report.findings,
                ElementsAre(Finding(c.kind, lines[0].manifest_path, HasSubstr(c.message))));
  }
}

TEST_F(FsckTest, ComparesSummaryTotalsWithTheManifests) {
  const catalog::LoadedTable table = Commit({WriteFile()});
  for (const char* key : {"total-data-files", "total-records", "total-files-size",
                          "total-delete-files", "total-position-deletes"}) {
    SCOPED_TRACE(key);
    const catalog::LoadedTable bad = With(table, [&](table::TableMetadata& metadata) {
      metadata.snapshots.back().summary[key] = "77";
    });
    const catalog::LoadedTable silent = With(table, [&](table::TableMetadata& metadata) {
      metadata.snapshots.back().summary.erase(key);
    });

    SL_ASSERT_OK_AND_ASSIGN(const FsckReport report, Fsck(world.io(), bad, {}));

    EXPECT_THAT(report.findings, ElementsAre(Finding(FsckKind::kSummaryTotals, HasSubstr("snap-"),
                                                     AllOf(HasSubstr(key), HasSubstr("77")))));
    EXPECT_THAT(Fsck(world.io(), silent, {}), IsSound());
  }
}

TEST_F(FsckTest, FindsSequenceNumbersAboveTheLast) {
  Commit({WriteFile()});
  const catalog::LoadedTable table = Commit({WriteFile()});
  const catalog::LoadedTable bad = With(table, [](table::TableMetadata& metadata) {
    metadata.last_sequence_number = table::SequenceNumber(1);
  });

  SL_ASSERT_OK_AND_ASSIGN(const FsckReport report, Fsck(world.io(), bad, {}));

  EXPECT_THAT(report.findings, ElementsAre(Finding(FsckKind::kSequenceNumber, HasSubstr("snap-"),
                                                   HasSubstr("is 2, the table's last is 1")),
                                           Finding(FsckKind::kSequenceNumber, EndsWith("-m0.avro"),
                                                   HasSubstr("manifest's sequence numbers")),
                                           Finding(FsckKind::kSequenceNumber, EndsWith("-m0.avro"),
                                                   HasSubstr(".parquet is 2"))));
}

TEST_F(FsckTest, FindsDeletesThatPointNowhere) {
  const table::NewFile data = WriteFile();
  const catalog::LoadedTable table = Commit({data});
  const std::string& path = data.file.file_path;
  struct Case {
    const char* name;
    table::DeletedPositions positions;
    std::optional<FsckKind> kind;  // Absent: sound.
    const char* message;
  };
  const Case cases[] = {
      {"the last row", {{path, {2}}}, std::nullopt, ""},
      {"beyond the last row", {{path, {0, 3}}}, FsckKind::kDeleteBeyondRows, "row 3 of"},
      {"a file that is not there",
       {{"mem://lake/ads/orders/data/gone.parquet", {0}}},
       FsckKind::kDanglingDelete,
       "gone.parquet"},
      {"a file that is there and one that is not",
       {{"mem://lake/ads/orders/data/gone.parquet", {0}}, {path, {0}}},
       std::nullopt,
       ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    SL_ASSERT_OK_AND_ASSIGN(
        table::DataFile deletes,
        table::WritePositionDeletes(world.io(), *table.metadata, DefaultSpec(*table.metadata),
                                    data.file.partition, c.positions, c.name));
    const std::string deletes_path = deletes.file_path;
    SL_ASSERT_OK_AND_ASSIGN(
        table::PreparedSnapshot prepared,
        table::PrepareSnapshot(*table.metadata, {.added = {{data.spec_id, std::move(deletes)}}},
                               world.io(), world.clock, world.rng));
    const catalog::LoadedTable changed = With(table, [&](table::TableMetadata& metadata) {
      metadata = ApplyUpdates(&metadata, prepared.request.updates, 0).value();
    });

    SL_ASSERT_OK_AND_ASSIGN(const FsckReport report, Fsck(world.io(), changed, {}));

    if (c.kind) {
      EXPECT_THAT(report.findings,
                  ElementsAre(Finding(*c.kind, deletes_path, HasSubstr(c.message))));
    } else {
      EXPECT_THAT(report.findings, IsEmpty());
    }
  }
}

TEST_F(FsckTest, FindsTwoLiveEntriesOfOnePath) {
  const table::NewFile file = WriteFile();
  Commit({file});
  table::NewFile again = file;
  again.file.file_path.replace(0, 11, "mem://lake//");  // Another spelling of the same place.
  const catalog::LoadedTable table = Commit({again});

  EXPECT_THAT(Find(), Contains(Finding(FsckKind::kDuplicatePath, HasSubstr(".parquet"),
                                       HasSubstr("more than one live entry"))));
}

TEST_F(FsckTest, FindsDuplicatesInAsManyPassesAsItTakes) {
  std::vector<table::NewFile> files;
  for (int i = 0; i < 50; ++i) {
    files.push_back(FakeFile({.path = fmt::format("mem://lake/ads/orders/data/{}.parquet", i),
                              .partition = {std::int32_t{0}, std::string("D")}}));
  }
  Commit(files);
  const catalog::LoadedTable table = Commit({files[3], files[30]});
  const std::vector<table::ManifestFile> lines =
      ReadManifestList(world.io(), *CurrentSnapshot(*table.metadata)).value();
  const FsckOptions options;
  for (const std::int64_t paths_per_pass : {1, 7, 1000}) {
    SCOPED_TRACE(paths_per_pass);
    FsckReport report;
    internal::Context context{world.io(), *table.metadata, options, report};

    ASSERT_THAT(internal::CheckDuplicatePaths(context, lines, paths_per_pass), IsOk());

    EXPECT_THAT(report.findings,
                ::testing::UnorderedElementsAre(
                    Finding(FsckKind::kDuplicatePath, HasSubstr("/3.parquet"), HasSubstr("")),
                    Finding(FsckKind::kDuplicatePath, HasSubstr("/30.parquet"), HasSubstr(""))));
  }
}

TEST(Fsck, FindsNullBookkeepingOnlyInFilesOfOurs) {
  World world;
  ASSERT_THAT(world.Create({.columns = "id long, _strand_unit long, _strand_stamp long"}), IsOk());
  const auto append = [&](std::map<std::string, std::string> summary) {
    const catalog::LoadedTable table = world.Load(kTable).value();
    const auto rows = RowsOf(CurrentSchema(*table.metadata),
                             R"([{"id": 1, "_strand_unit": 5, "_strand_stamp": null}])");
    table::SnapshotChange change{.summary = std::move(summary)};
    change.added = WriteRows(world.io(), *table.metadata, *rows, world.rng).value();
    return world.Change(kTable, change);
  };

  ASSERT_THAT(append({}), IsOk());
  EXPECT_THAT(world.Fsck(kTable), IsSound()) << "somebody else's rows need not know";

  ASSERT_THAT(append({{"strandline.run-id", "0193"}}), IsOk());
  EXPECT_THAT(world.Fsck(kTable)->findings,
              ElementsAre(Finding(FsckKind::kBookkeepingNull, HasSubstr(".parquet"),
                                  HasSubstr("_strand_stamp: 1 nulls"))));
}

TEST_F(FsckTest, ShowsOnlySoManyFindings) {
  const table::NewFile file = WriteFile();
  for (int i = 0; i < 5; ++i) {
    Commit({FakeFile({.path = fmt::format("mem://lake/ads/orders/data/{}.parquet", i),
                      .partition = file.file.partition})});
  }

  SL_ASSERT_OK_AND_ASSIGN(const FsckReport report,
                          Fsck(world.io(), world.Load(kTable).value(), {.findings_max = 2}));

  EXPECT_THAT(report.findings, SizeIs(2));
  EXPECT_GE(report.findings_left_out, 3);
  EXPECT_FALSE(report.is_sound());
}

TEST_F(FsckTest, IsAnErrorOnlyWhenStorageDoesNotAnswer) {
  const catalog::LoadedTable table = Commit({WriteFile()});

  int failures = 0;
  for (int call = 1;; ++call) {
    world.io().FailCall(call);
    const Result<FsckReport> report = Fsck(world.io(), table, {});
    world.io().StopFailing();
    if (report) {
      EXPECT_THAT(report, IsSound());
      break;
    }
    ++failures;
    EXPECT_THAT(report, Fails(ErrorKind::kUnavailable, HasSubstr("ads.orders")));
  }
  EXPECT_GT(failures, 5);
}

// Storage call 1, 2, 3, ... fails during an append and its commit; afterwards the table is sound,
// has the old or the new rows, and the next try works.
TEST(Fsck, FindsTablesSoundWhicheverStorageCallOfAnAppendFailed) {
  World world;
  ASSERT_THAT(world.Create({.partitioned_by = "country"}), IsOk());
  ASSERT_THAT(world.Append(kTable, R"([{"id": 1, "country": "DE"}])"), IsOk());
  std::int64_t rows_before = 1;

  for (int call = 1;; ++call) {
    SCOPED_TRACE(call);
    world.io().FailCall(call);
    const Result<catalog::LoadedTable> appended =
        world.Append(kTable, R"([{"id": 2, "country": "DE"}, {"id": 3, "country": "FR"}])");
    world.io().StopFailing();

    EXPECT_THAT(world.Fsck(kTable), IsSound());
    EXPECT_EQ(world.CountRows(kTable).value(), rows_before + (appended ? 2 : 0));
    if (appended) {
      break;
    }
    EXPECT_THAT(appended, Fails(ErrorKind::kUnavailable, HasSubstr("")));
    EXPECT_LT(call, 500);
  }
}

}  // namespace
}  // namespace strandline::maintenance
