// Tables and files of other writers, and the rows that PyIceberg and Iceberg's Java library find in
// them (tests/fixtures/scan/make_fixtures.py, make_java_fixture.py).

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/io/local_file_io.h"
#include "strandline/table/read/scan_reader.h"
#include "tests/support/manifest_tables.h"
#include "tests/support/matchers.h"
#include "tests/support/old_lists.h"
#include "tests/support/scan_files.h"

namespace strandline::table {
namespace {

using ::strandline::testing::AddLines;
using ::strandline::testing::Column;
using ::strandline::testing::MemoryFiles;
using ::strandline::testing::OldListFile;
using ::strandline::testing::OldListLayout;
using ::strandline::testing::ReadLines;
using ::strandline::testing::ReadParquet;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::StartsWith;

const std::string kFolder = std::string(SL_SOURCE_DIR) + "/tests/fixtures/scan";
// Where the tables were made, and what their metadata therefore says.
constexpr std::string_view kMadeAt = "file:///var/tmp/strandline-fixtures/scan";

// Files in memory, each where the fixture's metadata expects it.
Result<std::string> LoadFixture(io::FileIo& into, const std::string& name) {
  const std::unique_ptr<io::FileIo> local = io::MakeLocalFileIo();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder + "/" + name)) {
    if (!entry.is_regular_file()) {
      continue;
    }
    const std::string bytes = SL_TRY(io::ReadFile(*local, entry.path().string()));
    const std::string relative = std::filesystem::relative(entry.path(), kFolder).string();
    SL_TRY(io::WriteFile(into, fmt::format("{}/{}", kMadeAt, relative), bytes));
  }
  std::string location = SL_TRY(io::ReadFile(*local, kFolder + "/" + name + "/metadata.txt"));
  location.pop_back();  // The newline.
  return location;
}

Result<TableMetadata> LoadTable(io::FileIo& io, const std::string& name) {
  const std::string location = SL_TRY(LoadFixture(io, name));
  const std::string bytes = SL_TRY(io::ReadFile(io, location));
  return ParseTableMetadata(bytes, location);
}

Result<std::vector<std::string>> SortedRows(io::FileIo& io, const TableMetadata& metadata,
                                            const ScanRequest& request, ScanReadOptions options) {
  ScanPlan plan = SL_TRY(PlanScan(metadata, request, io));
  const Schema& schema = CurrentSchema(metadata);
  for (const NestedField& field : schema.fields) {
    options.columns.push_back(field.name);
  }
  std::unique_ptr<format::BatchSource> source =
      SL_TRY(OpenScan(io, metadata, schema, std::move(plan.tasks), options));
  std::vector<std::string> lines = SL_TRY(ReadLines(std::move(source)));
  std::sort(lines.begin(), lines.end());
  return lines;
}

Result<std::vector<std::string>> ExpectedRows(io::FileIo& io, const std::string& name) {
  const std::shared_ptr<arrow::Table> table =
      SL_TRY(ReadParquet(io, fmt::format("{}/{}/expected.parquet", kMadeAt, name)));
  const std::shared_ptr<arrow::RecordBatch> batch =
      SL_TRY(format::FromArrow(table->CombineChunksToBatch()));
  std::vector<std::string> lines;
  AddLines(*batch, lines);
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(ScanFixtures, GiveTheRowsOfPyIcebergAndJava) {
  for (const std::string name : {"evolved", "idless", "java/evolved"}) {
    SCOPED_TRACE(name);
    MemoryFiles files;
    SL_ASSERT_OK_AND_ASSIGN(const TableMetadata metadata, LoadTable(*files.io, name));
    SL_ASSERT_OK_AND_ASSIGN(const auto expected, ExpectedRows(*files.io, name));

    SL_ASSERT_OK_AND_ASSIGN(const auto rows, SortedRows(*files.io, metadata, {}, {}));

    EXPECT_EQ(rows, expected);
  }
}

TEST(ScanFixtures, AreFoundByFiltersOnRenamedAndPromotedColumns) {
  using enum ExpressionKind;
  struct Case {
    const char* name;
    Expression filter;
    std::vector<int> ids;  // Of rows that match, and are not deleted.
    std::size_t files;     // That may hold such rows, of five.
  };
  const std::vector<Case> cases = {
      {"an int column that is a long now",
       Predicate(kGreater, "clicks", {Value(std::int64_t{1} << 40)}),
       {101, 104, 105, 106, 107},
       2},
      {"a float column that is a double with another name now",
       Predicate(kLessOrEqual, "cost", {Value(0.25)}),
       {1, 100},
       3},
      {"a decimal of higher precision", Predicate(kEqual, "amount", {Value(Int128{250})}), {10}, 3},
      {"a column added under an old name",
       Predicate(kNotNull, "v"),
       {100, 101, 104, 105, 106, 107},
       5},
      {"a renamed field of a struct",
       Predicate(kEqual, "device.system", {Value(std::string("os5"))}),
       {5, 105},
       5},
      {"a partition of both specs",
       Predicate(kEqual, "country", {Value(std::string("DE"))}),
       {3, 9, 21, 100, 107},
       3},
      {"a null partition", Predicate(kIsNull, "country"), {2, 5, 23}, 1},
      {"a partition of the new spec only",
       Predicate(kEqual, "batch", {Value(std::int32_t{1})}),
       {1, 3, 5, 101, 107},
       4},
  };
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata metadata, LoadTable(*files.io, "evolved"));

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const ScanRequest request{.filter = c.filter};
    ScanReadOptions options;
    options.filter = c.filter;
    SL_ASSERT_OK_AND_ASSIGN(const ScanPlan plan, PlanScan(metadata, request, *files.io));
    SL_ASSERT_OK_AND_ASSIGN(const auto rows, SortedRows(*files.io, metadata, request, options));

    EXPECT_EQ(plan.tasks.size(), c.files);
    for (const int id : c.ids) {
      EXPECT_THAT(rows, Contains(StartsWith(fmt::format("{} ", id))));
    }
  }
}

// C094.
TEST(ScanFixtures, ListsAreReadWhateverTheirElementsAreCalled) {
  MemoryFiles files;
  const std::unique_ptr<io::FileIo> local = io::MakeLocalFileIo();
  SL_ASSERT_OK_AND_ASSIGN(const std::string bytes,
                          io::ReadFile(*local, kFolder + "/lists/item.parquet"));
  ASSERT_THAT(io::WriteFile(*files.io, "mem://item.parquet", bytes), testing::IsOk());
  Schema schema;
  schema.fields = {Column(1, "id", PrimitiveType(TypeId::kLong)),
                   Column(2, "tags", ListType(FieldId(3), PrimitiveType(TypeId::kString), false))};
  TableMetadata metadata;
  metadata.location = "mem://lake";
  metadata.partition_specs = {PartitionSpec{}};
  ScanTask task;
  task.file.file_path = "mem://item.parquet";
  task.file.file_size_bytes = static_cast<std::int64_t>(bytes.size());
  task.file.record_count = 3;

  for (const bool has_mapping : {false, true}) {
    SCOPED_TRACE(has_mapping);
    if (has_mapping) {
      metadata.properties["schema.name-mapping.default"] =
          NameMappingJson(DefaultNameMapping(schema));
    }
    SL_ASSERT_OK_AND_ASSIGN(
        auto source, OpenScan(*files.io, metadata, schema, {task}, {.columns = {"id", "tags"}}));
    EXPECT_THAT(*ReadLines(std::move(source)), ElementsAre("1 [x, null]", "2 null", "3 []"));
  }
}

TEST(ScanFixtures, OldLayoutsOfListsAreRead) {
  for (const auto layout : {OldListLayout::kHive, OldListLayout::kTwoLevel}) {
    SCOPED_TRACE(static_cast<int>(layout));
    MemoryFiles files;
    const std::string bytes = OldListFile(layout);
    ASSERT_THAT(io::WriteFile(*files.io, "mem://old.parquet", bytes), testing::IsOk());
    Schema schema;
    schema.fields = {Column(1, "tags", ListType(FieldId(2), PrimitiveType(TypeId::kLong), false))};
    TableMetadata metadata;
    metadata.location = "mem://lake";
    metadata.partition_specs = {PartitionSpec{}};
    metadata.properties["schema.name-mapping.default"] =
        NameMappingJson(DefaultNameMapping(schema));
    ScanTask task;
    task.file.file_path = "mem://old.parquet";
    task.file.file_size_bytes = static_cast<std::int64_t>(bytes.size());
    task.file.record_count = 3;

    SL_ASSERT_OK_AND_ASSIGN(auto source,
                            OpenScan(*files.io, metadata, schema, {task}, {.columns = {"tags"}}));
    EXPECT_THAT(*ReadLines(std::move(source)), ElementsAre("[1, 2]", "null", "[]"));
  }
}

}  // namespace
}  // namespace strandline::table
