#include "strandline/table/scan/scan.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/io/faulty_file_io.h"
#include "strandline/table/deletes/position_deletes.h"
#include "tests/support/manifest_tables.h"
#include "tests/support/matchers.h"
#include "tests/support/scan_table.h"

namespace strandline::table {
namespace {

using ::strandline::testing::Column;
using ::strandline::testing::Fails;
using ::strandline::testing::PartitionBy;
using ::strandline::testing::ScanTable;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr SpecId kUnpartitioned{0};
constexpr SpecId kByCountry{1};

Value Text(std::string text) { return Value(std::move(text)); }
Value Long(std::int64_t number) { return Value(number); }

// Columns `id` and `country`; spec 0 is unpartitioned, spec 1 by country.
ScanTable CountryTable() {
  Schema schema;
  schema.fields = {Column(1, "id", PrimitiveType(TypeId::kLong)),
                   Column(2, "country", PrimitiveType(TypeId::kString))};
  PartitionSpec by_country{.id = kByCountry, .fields = {PartitionBy(2, 1000, "country")}};
  return ScanTable(schema, {PartitionSpec{}, by_country});
}

// A data file of 10 rows that were written with `sequence_number`; ids from `first` on.
ManifestEntry DataEntry(std::string path, std::int64_t sequence_number, PartitionTuple partition,
                        std::int64_t first = 0) {
  ManifestEntry entry;
  entry.status = EntryStatus::kExisting;
  entry.snapshot_id = SnapshotId(101);
  entry.sequence_number = SequenceNumber(sequence_number);
  entry.file_sequence_number = SequenceNumber(sequence_number);
  entry.file.file_path = std::move(path);
  entry.file.partition = std::move(partition);
  entry.file.record_count = 10;
  entry.file.file_size_bytes = 1000;
  entry.file.value_counts = {{FieldId(1), 10}};
  entry.file.null_value_counts = {{FieldId(1), 0}};
  const Type id = PrimitiveType(TypeId::kLong);
  entry.file.lower_bounds = {{FieldId(1), SerializeValue(id, Long(first))}};
  entry.file.upper_bounds = {{FieldId(1), SerializeValue(id, Long(first + 9))}};
  return entry;
}

ManifestEntry DeleteEntry(std::string path, std::int64_t sequence_number,
                          PartitionTuple partition) {
  ManifestEntry entry = DataEntry(std::move(path), sequence_number, std::move(partition));
  entry.file.content = FileContent::kPositionDeletes;
  entry.file.lower_bounds.clear();
  entry.file.upper_bounds.clear();
  entry.file.value_counts.clear();
  entry.file.null_value_counts.clear();
  return entry;
}

void SetPathBounds(DataFile& file, const std::string& lower, const std::string& upper) {
  file.lower_bounds = {{kDeleteFilePathId, lower}};
  file.upper_bounds = {{kDeleteFilePathId, upper}};
}

std::vector<std::string> Paths(const std::vector<DataFile>& files) {
  std::vector<std::string> paths;
  for (const DataFile& file : files) {
    paths.push_back(file.file_path);
  }
  return paths;
}

std::vector<std::string> Paths(const ScanPlan& plan) {
  std::vector<std::string> paths;
  for (const ScanTask& task : plan.tasks) {
    paths.push_back(task.file.file_path);
  }
  return paths;
}

Expression CountryIs(const std::string& country) {
  return Predicate(ExpressionKind::kEqual, "country", {Text(country)});
}

TEST(PlanScan, ATableWithoutSnapshotsHasNoTasks) {
  ScanTable table = CountryTable();

  SL_ASSERT_OK_AND_ASSIGN(const ScanPlan plan, PlanScan(table.metadata(), {}, table.io()));

  EXPECT_EQ(plan.snapshot, std::nullopt);
  EXPECT_THAT(plan.tasks, IsEmpty());
}

TEST(PlanScan, SkipsManifestsAndFilesThatCannotMatch) {
  ScanTable table = CountryTable();
  table.AddManifest({DataEntry("de-0", 1, {Text("DE")}, 0), DataEntry("de-1", 1, {Text("DE")}, 10),
                     DataEntry("fr-0", 1, {Text("FR")}, 0)},
                    kByCountry);
  table.AddManifest({DataEntry("us-0", 1, {Text("US")}, 0)}, kByCountry);
  table.AddManifest({DataEntry("any-0", 1, {}, 0)});
  const SnapshotId snapshot = table.Commit();
  const Expression filter =
      And({CountryIs("DE"), Predicate(ExpressionKind::kLess, "id", {Long(5)})});

  SL_ASSERT_OK_AND_ASSIGN(const ScanPlan pruned,
                          PlanScan(table.metadata(), {.filter = filter}, table.io()));
  SL_ASSERT_OK_AND_ASSIGN(
      const ScanPlan all,
      PlanScan(table.metadata(), {.filter = filter, .prune = false}, table.io()));

  EXPECT_EQ(pruned.snapshot, snapshot);
  EXPECT_THAT(Paths(pruned), ElementsAre("de-0", "any-0"));
  EXPECT_EQ(pruned.manifests_read, 2);
  EXPECT_EQ(pruned.manifests_skipped, 1);
  EXPECT_EQ(pruned.files_skipped, 2);
  EXPECT_THAT(Paths(all), ElementsAre("de-0", "de-1", "fr-0", "us-0", "any-0"));
  EXPECT_EQ(all.manifests_skipped, 0);
}

TEST(PlanScan, SaysWhichFilesMatchAsAWhole) {
  ScanTable table = CountryTable();
  table.AddManifest({DataEntry("whole", 1, {Text("DE")}, 0), DataEntry("part", 1, {Text("DE")}, 5)},
                    kByCountry);
  table.Commit();
  const Expression filter =
      And({CountryIs("DE"), Predicate(ExpressionKind::kLess, "id", {Long(10)})});

  SL_ASSERT_OK_AND_ASSIGN(const ScanPlan plan,
                          PlanScan(table.metadata(), {.filter = filter}, table.io()));

  // Country has no counts, but its partition value is every row's.
  ASSERT_THAT(Paths(plan), ElementsAre("whole", "part"));
  EXPECT_TRUE(plan.tasks[0].all_rows_match);
  EXPECT_FALSE(plan.tasks[1].all_rows_match);
}

TEST(PlanScan, LeavesOutRemovedFilesAndManifestsWithoutLiveOnes) {
  ScanTable table = CountryTable();
  ManifestEntry removed = DataEntry("removed", 1, {});
  removed.status = EntryStatus::kDeleted;
  table.AddManifest({removed, DataEntry("kept", 1, {})});
  table.AddManifest({removed});
  table.Commit();

  SL_ASSERT_OK_AND_ASSIGN(const ScanPlan plan, PlanScan(table.metadata(), {}, table.io()));

  EXPECT_THAT(Paths(plan), ElementsAre("kept"));
  EXPECT_EQ(plan.manifests_read, 1);
  EXPECT_EQ(plan.manifests_skipped, 1);
}

TEST(PlanScan, ReadsTheSnapshotAskedFor) {
  ScanTable table = CountryTable();
  table.AddManifest({DataEntry("first", 1, {})});
  const SnapshotId first = table.Commit();
  table.AddManifest({DataEntry("second", 2, {})});
  table.Commit();

  SL_ASSERT_OK_AND_ASSIGN(const ScanPlan plan,
                          PlanScan(table.metadata(), {.snapshot = first}, table.io()));

  EXPECT_THAT(Paths(plan), ElementsAre("first"));
  EXPECT_EQ(plan.tasks[0].sequence_number, SequenceNumber(1));
  EXPECT_THAT(PlanScan(table.metadata(), {.snapshot = SnapshotId(8213)}, table.io()),
              Fails(ErrorKind::kNotFound, HasSubstr("snapshot 8213 of mem://lake/t")));
}

TEST(PlanScan, TheFilterUsesTheNamesOfTheSchemaAskedFor) {
  ScanTable table = CountryTable();
  table.AddManifest({DataEntry("de", 1, {Text("DE")}), DataEntry("fr", 1, {Text("FR")})},
                    kByCountry);
  table.Commit();
  Schema renamed = table.schema();
  renamed.id = SchemaId(1);
  renamed.fields[1].name = "land";
  table.metadata().schemas.push_back(renamed);
  table.metadata().current_schema_id = renamed.id;

  EXPECT_THAT(PlanScan(table.metadata(), {.filter = CountryIs("DE")}, table.io()),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("country")));
  SL_ASSERT_OK_AND_ASSIGN(
      const ScanPlan plan,
      PlanScan(table.metadata(), {.filter = CountryIs("DE"), .schema = SchemaId(0)}, table.io()));
  EXPECT_THAT(Paths(plan), ElementsAre("de"));
}

TEST(PlanScan, CarriesTheMetricsAskedForOnly) {
  ScanTable table = CountryTable();
  ManifestEntry entry = DataEntry("f", 1, {});
  entry.file.lower_bounds.emplace_back(FieldId(2), "A");
  entry.file.upper_bounds.emplace_back(FieldId(2), "B");
  table.AddManifest({entry});
  table.Commit();
  const Expression filter = Predicate(ExpressionKind::kLess, "id", {Long(5)});
  const auto columns_of = [&](const ScanRequest& request) {
    std::vector<std::int32_t> columns;
    const Result<ScanPlan> plan = PlanScan(table.metadata(), request, table.io());
    EXPECT_THAT(plan, testing::IsOk());
    for (const auto& [column, bound] : plan->tasks.at(0).file.lower_bounds) {
      columns.push_back(column.value());
    }
    return columns;
  };

  EXPECT_THAT(columns_of({}), ElementsAre(1, 2));
  EXPECT_THAT(columns_of({.metric_columns = {FieldId(2)}}), ElementsAre(2));
  EXPECT_THAT(columns_of({.filter = filter, .metric_columns = {FieldId(2)}}), ElementsAre(1, 2));
  EXPECT_THAT(columns_of({.metrics = false}), IsEmpty());
  EXPECT_THAT(columns_of({.filter = filter, .metrics = false}), IsEmpty());
}

// Data files d5 (sequence number 5) in DE and FR and in the unpartitioned spec; which of them a
// delete file applies to.
TEST(PlanScan, MatchesPositionDeletes) {
  struct Case {
    const char* name;
    ManifestEntry deletes;
    SpecId spec;
    std::vector<std::string> applies_to;
  };
  const auto in_de = [](std::int64_t sequence_number) {
    return DeleteEntry("mem://d", sequence_number, {Text("DE")});
  };
  ManifestEntry referencing = in_de(5);
  referencing.file.referenced_data_file = "mem://lake/de";
  ManifestEntry referencing_other = in_de(5);
  referencing_other.file.referenced_data_file = "mem://lake/other";
  ManifestEntry referencing_later = in_de(4);
  referencing_later.file.referenced_data_file = "mem://lake/de";
  ManifestEntry around = in_de(5);
  SetPathBounds(around.file, "mem://lake/a", "mem://lake/z");
  ManifestEntry below = in_de(5);
  SetPathBounds(below.file, "mem://lake/a", "mem://lake/b");
  ManifestEntry above = in_de(5);
  SetPathBounds(above.file, "mem://lake/x", "mem://lake/z");
  ManifestEntry exactly = in_de(5);
  SetPathBounds(exactly.file, "mem://lake/de", "mem://lake/de");
  ManifestEntry spelled_otherwise = in_de(5);
  SetPathBounds(spelled_otherwise.file, "/lake/a", "/lake/b");
  ManifestEntry removed = in_de(5);
  removed.status = EntryStatus::kDeleted;
  const std::vector<Case> cases = {
      {"of the same partition, later", in_de(6), kByCountry, {"mem://lake/de"}},
      {"of the same commit", in_de(5), kByCountry, {"mem://lake/de"}},
      {"older than the data", in_de(4), kByCountry, {}},
      {"removed since", removed, kByCountry, {}},
      {"of another partition", DeleteEntry("mem://d", 6, {Text("US")}), kByCountry, {}},
      {"of the unpartitioned spec",
       DeleteEntry("mem://d", 6, {}),
       kUnpartitioned,
       {"mem://lake/any"}},
      {"naming its file", referencing, kByCountry, {"mem://lake/de"}},
      {"naming another file", referencing_other, kByCountry, {}},
      {"naming a file written later", referencing_later, kByCountry, {}},
      {"with bounds around the path", around, kByCountry, {"mem://lake/de"}},
      {"with bounds below the path", below, kByCountry, {}},
      {"with bounds above the path", above, kByCountry, {}},
      {"with bounds of just the path", exactly, kByCountry, {"mem://lake/de"}},
      {"with bounds in another spelling", spelled_otherwise, kByCountry, {"mem://lake/de"}},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ScanTable table = CountryTable();
    table.AddManifest(
        {DataEntry("mem://lake/de", 5, {Text("DE")}), DataEntry("mem://lake/fr", 5, {Text("FR")})},
        kByCountry);
    table.AddManifest({DataEntry("mem://lake/any", 5, {})});
    table.AddManifest({c.deletes}, c.spec);
    table.Commit();

    SL_ASSERT_OK_AND_ASSIGN(const ScanPlan plan, PlanScan(table.metadata(), {}, table.io()));

    std::vector<std::string> applies_to;
    for (const ScanTask& task : plan.tasks) {
      if (!task.deletes.empty()) {
        EXPECT_THAT(Paths(task.deletes), ElementsAre("mem://d"));
        applies_to.push_back(task.file.file_path);
      }
    }
    EXPECT_EQ(applies_to, c.applies_to);
  }
}

TEST(PlanScan, FindsDeletesThatNameTheirFileInAnotherSpelling) {
  ScanTable table = CountryTable();
  table.AddManifest({DataEntry("file:///lake/de", 5, {})});
  ManifestEntry deletes = DeleteEntry("file:///lake/d", 6, {});
  deletes.file.referenced_data_file = "file:/lake/de";
  table.AddManifest({deletes});
  table.Commit();

  SL_ASSERT_OK_AND_ASSIGN(const ScanPlan plan, PlanScan(table.metadata(), {}, table.io()));

  ASSERT_EQ(plan.tasks.size(), 1U);
  EXPECT_THAT(Paths(plan.tasks[0].deletes), ElementsAre("file:///lake/d"));
}

TEST(PlanScan, DeletesOfPartitionsThatCannotMatchAreNotKept) {
  ScanTable table = CountryTable();
  table.AddManifest({DataEntry("de", 1, {Text("DE")}), DataEntry("fr", 1, {Text("FR")})},
                    kByCountry);
  ManifestEntry equality = DeleteEntry("equality", 2, {Text("FR")});
  equality.file.content = FileContent::kEqualityDeletes;
  table.AddManifest({DeleteEntry("d-de", 2, {Text("DE")}), equality}, kByCountry);
  table.Commit();

  // The equality delete would be refused if it could apply.
  SL_ASSERT_OK_AND_ASSIGN(const ScanPlan plan,
                          PlanScan(table.metadata(), {.filter = CountryIs("DE")}, table.io()));

  ASSERT_THAT(Paths(plan), ElementsAre("de"));
  EXPECT_THAT(Paths(plan.tasks[0].deletes), ElementsAre("d-de"));
}

TEST(PlanScan, RefusesDeletesThatItCannotApply) {
  struct Case {
    const char* name;
    FileContent content;
    const char* format;
    std::int64_t sequence_number;
    PartitionTuple partition;
    SpecId spec;
    const char* error;  // Null: it does not apply to anything.
  };
  const std::vector<Case> cases = {
      {"equality deletes of the partition",
       FileContent::kEqualityDeletes,
       "PARQUET",
       6,
       {Text("DE")},
       kByCountry,
       "equality deletes are not read: x applies to data file de"},
      {"equality deletes of the same commit",
       FileContent::kEqualityDeletes,
       "PARQUET",
       5,
       {Text("DE")},
       kByCountry,
       nullptr},
      {"equality deletes of another partition",
       FileContent::kEqualityDeletes,
       "PARQUET",
       6,
       {Text("FR")},
       kByCountry,
       nullptr},
      {"global equality deletes",
       FileContent::kEqualityDeletes,
       "PARQUET",
       6,
       {},
       kUnpartitioned,
       "equality deletes are not read: x applies to data file de"},
      {"global equality deletes, older",
       FileContent::kEqualityDeletes,
       "PARQUET",
       5,
       {},
       kUnpartitioned,
       nullptr},
      {"a deletion vector",
       FileContent::kPositionDeletes,
       "PUFFIN",
       6,
       {Text("DE")},
       kByCountry,
       "deletion vectors are not read: x applies to data file de"},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ScanTable table = CountryTable();
    table.AddManifest({DataEntry("de", 5, {Text("DE")})}, kByCountry);
    ManifestEntry deletes = DeleteEntry("x", c.sequence_number, c.partition);
    deletes.file.content = c.content;
    deletes.file.file_format = c.format;
    if (c.content == FileContent::kEqualityDeletes) {
      deletes.file.equality_ids = {FieldId(1)};
    }
    table.AddManifest({deletes}, c.spec);
    table.Commit();

    const Result<ScanPlan> plan = PlanScan(table.metadata(), {}, table.io());

    if (c.error == nullptr) {
      EXPECT_THAT(plan, testing::IsOk());
    } else {
      EXPECT_THAT(plan, Fails(ErrorKind::kUnsupported, HasSubstr(c.error)));
    }
  }
}

TEST(PlanScan, NamesAManifestWhoseSpecIsUnknown) {
  ScanTable table = CountryTable();
  table.AddManifest({DataEntry("f", 1, {})}).partition_spec_id = SpecId(77);
  table.Commit();

  EXPECT_THAT(PlanScan(table.metadata(), {}, table.io()),
              Fails(ErrorKind::kCorrupt,
                    AllOf(HasSubstr("spec 77"), HasSubstr("mem://lake/t/metadata/m0.avro"))));
}

TEST(PlanScan, FailsAsStorageDoesWhicheverCallItIs) {
  ScanTable table = CountryTable();
  table.AddManifest({DataEntry("de", 1, {Text("DE")})}, kByCountry);
  table.AddManifest({DeleteEntry("d", 2, {Text("DE")})}, kByCountry);
  table.Commit();
  io::FaultyFileIo io(table.io());

  std::int64_t failed_calls = 0;
  for (std::int64_t call = 1;; ++call) {
    io.FailCall(call);
    const Result<ScanPlan> plan = PlanScan(table.metadata(), {}, io);
    if (plan) {
      break;
    }
    EXPECT_THAT(plan, Fails(ErrorKind::kUnavailable, ::testing::_));
    ++failed_calls;
  }

  EXPECT_GE(failed_calls, 6);  // List and two manifests: each opened and read.
}

}  // namespace
}  // namespace strandline::table
