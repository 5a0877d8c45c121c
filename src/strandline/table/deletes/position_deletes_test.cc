#include "strandline/table/deletes/position_deletes.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/io/memory_file_io.h"
#include "strandline/table/deletes/path_bounds.h"
#include "tests/support/manifest_tables.h"
#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"

namespace strandline::table {
namespace {

using ::strandline::testing::ArrayOf;
using ::strandline::testing::BatchOf;
using ::strandline::testing::Column;
using ::strandline::testing::Fails;
using ::strandline::testing::MemoryFiles;
using ::strandline::testing::PartitionBy;
using ::strandline::testing::WriteParquet;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

TEST(PositionSet, CountsAndListsPositions) {
  PositionSet set;
  for (const std::int64_t position : {7, 0, 7, 100, 99}) {
    set.Add(position);
  }
  set.Add(std::int64_t{1} << 40);

  EXPECT_EQ(set.size(), 5);
  EXPECT_FALSE(set.empty());
  EXPECT_TRUE(set.Contains(99));
  EXPECT_FALSE(set.Contains(98));
  EXPECT_FALSE(set.Contains(-1));
  EXPECT_THAT(set.Positions(), ElementsAre(0, 7, 99, 100, std::int64_t{1} << 40));
  struct Case {
    const char* name;
    std::int64_t first;
    std::int64_t count;
    std::vector<std::int64_t> positions;
  };
  const std::vector<Case> cases = {
      {"from the start", 0, 8, {0, 7}},
      {"the end does not belong", 0, 7, {0}},
      {"nothing there", 8, 91, {}},
      {"between", 99, 1, {99}},
      {"no rows", 99, 0, {}},
      {"beyond 32 bits", std::int64_t{1} << 40, 1, {std::int64_t{1} << 40}},
      {"behind all", (std::int64_t{1} << 40) + 1, 10, {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(set.PositionsIn(c.first, c.count), c.positions);
    EXPECT_EQ(set.CountIn(c.first, c.count), static_cast<std::int64_t>(c.positions.size()));
  }
}

TEST(PositionSet, AnEmptySetHasNothing) {
  const PositionSet set;

  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.CountIn(0, 100), 0);
  EXPECT_THAT(set.PositionsIn(0, 100), IsEmpty());
  EXPECT_THAT(set.Positions(), IsEmpty());
}

TEST(PathBounds, ProveOnlyWhatIsSpelledAlike) {
  struct Case {
    const char* name;
    const char* path;
    const char* lower;
    const char* upper;
    bool may;
  };
  const std::vector<Case> cases = {
      {"inside", "s3://b/m", "s3://b/a", "s3://b/z", true},
      {"below", "s3://b/0", "s3://b/a", "s3://b/z", false},
      {"above", "s3://b/zz", "s3://b/a", "s3://b/z", false},
      {"no lower bound", "s3://b/0", nullptr, "s3://b/z", true},
      {"no bounds", "s3://b/0", nullptr, nullptr, true},
      {"another spelling", "file:///b/0", "/b/a", "/b/z", true},
      {"one slash more", "file:///b/0", "file:/b/a", "file:/b/z", true},
      {"a cut bound", "file:///lake/t/x", "file:///lake/t/a", "file:///lake/u", true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string lower = c.lower == nullptr ? "" : c.lower;
    const std::string upper = c.upper == nullptr ? "" : c.upper;
    EXPECT_EQ(PathMayLieWithin(c.path, c.lower == nullptr ? nullptr : &lower,
                               c.upper == nullptr ? nullptr : &upper),
              c.may);
  }
}

TableMetadata CountryTable() {
  TableMetadata metadata;
  metadata.location = "mem://lake/t";
  Schema schema;
  schema.fields = {Column(1, "id", PrimitiveType(TypeId::kLong)),
                   Column(2, "country", PrimitiveType(TypeId::kString))};
  metadata.schemas = {schema};
  metadata.partition_specs = {{.id = SpecId(1), .fields = {PartitionBy(2, 1000, "country")}}};
  metadata.default_spec_id = SpecId(1);
  // Settings of data columns must not reach the columns of deletes.
  metadata.properties["write.parquet.bloom-filter-enabled.column.id"] = "true";
  return metadata;
}

Result<DataFile> Write(io::FileIo& io, const DeletedPositions& positions) {
  const TableMetadata metadata = CountryTable();
  return WritePositionDeletes(io, metadata, metadata.partition_specs.front(),
                              {Value(std::string("DE"))}, positions, "0193-00000");
}

TEST(PositionDeletes, AreReadAsTheyWereWritten) {
  MemoryFiles files;

  SL_ASSERT_OK_AND_ASSIGN(
      const DataFile file,
      Write(*files.io, {{"mem://a", {5, 3, 5, 1}}, {"mem://b", {0}}, {"mem://none", {}}}));

  EXPECT_EQ(file.content, FileContent::kPositionDeletes);
  EXPECT_THAT(file.file_path, AllOf(StartsWith("mem://lake/t/data/country=DE/"),
                                    EndsWith("/0193-00000-deletes.parquet")));
  EXPECT_EQ(file.record_count, 4);
  EXPECT_EQ(file.referenced_data_file, std::nullopt);
  EXPECT_THAT(file.lower_bounds, ElementsAre(Pair(kDeletePositionId, std::string(8, '\0')),
                                             Pair(kDeleteFilePathId, "mem://a")));
  EXPECT_THAT(file.upper_bounds,
              ElementsAre(Pair(kDeletePositionId, std::string("\x05\0\0\0\0\0\0\0", 8)),
                          Pair(kDeleteFilePathId, "mem://b")));
  EXPECT_EQ(file.column_sizes.size(), 2U);
  SL_ASSERT_OK_AND_ASSIGN(const io::FileInfo info, files.io->Stat(file.file_path));
  EXPECT_EQ(file.file_size_bytes, info.size_bytes);

  SL_ASSERT_OK_AND_ASSIGN(const PositionSet of_a,
                          ReadPositionDeletes(*files.io, {file}, "mem://a"));
  SL_ASSERT_OK_AND_ASSIGN(const PositionSet of_c,
                          ReadPositionDeletes(*files.io, {file}, "mem://c"));
  EXPECT_THAT(of_a.Positions(), ElementsAre(1, 3, 5));
  EXPECT_TRUE(of_c.empty());
}

TEST(PositionDeletes, NameTheirDataFileWhenThereIsOne) {
  MemoryFiles files;

  SL_ASSERT_OK_AND_ASSIGN(const DataFile file, Write(*files.io, {{"mem://a", {2}}}));

  EXPECT_EQ(file.referenced_data_file, "mem://a");
}

TEST(PositionDeletes, OfSeveralFilesAddUp) {
  MemoryFiles files;
  const TableMetadata metadata = CountryTable();
  std::vector<DataFile> deletes;
  for (const std::int64_t position : {4, 2, 4}) {
    SL_ASSERT_OK_AND_ASSIGN(
        DataFile file, WritePositionDeletes(*files.io, metadata, metadata.partition_specs.front(),
                                            {Value(std::string("DE"))}, {{"mem://a", {position}}},
                                            fmt::format("stem-{}", deletes.size())));
    deletes.push_back(std::move(file));
  }

  SL_ASSERT_OK_AND_ASSIGN(const PositionSet positions,
                          ReadPositionDeletes(*files.io, deletes, "mem://a"));

  EXPECT_THAT(positions.Positions(), ElementsAre(2, 4));
}

TEST(PositionDeletes, ManyRowsKeepTheirOrder) {
  MemoryFiles files;
  DeletedPositions positions;
  for (std::int64_t i = 0; i < 200'000; ++i) {
    positions[i % 2 == 0 ? "mem://even" : "mem://odd"].push_back(200'000 - i);
  }

  SL_ASSERT_OK_AND_ASSIGN(const DataFile file, Write(*files.io, positions));
  SL_ASSERT_OK_AND_ASSIGN(const auto found,
                          ReadPositionDeleteFile(*files.io, file, {"mem://even", "mem://odd"}));

  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.at("mem://even").size(), 100'000);
  EXPECT_EQ(found.at("mem://odd").size(), 100'000);
  EXPECT_EQ(found.at("mem://even").PositionsIn(0, 6), (std::vector<std::int64_t>{2, 4}));
}

TEST(PositionDeletes, RefuseToDeleteNothingOrBeforeTheFirstRow) {
  MemoryFiles files;

  EXPECT_THAT(Write(*files.io, {}), Fails(ErrorKind::kInvalidArgument, HasSubstr("no positions")));
  EXPECT_THAT(Write(*files.io, {{"mem://a", {}}}),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("no positions")));
  EXPECT_THAT(Write(*files.io, {{"mem://a", {1, -1}}}),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("-1 of mem://a")));
}

// A delete file as another writer made it.
Result<DataFile> WriteForeign(io::FileIo& io, const std::shared_ptr<arrow::RecordBatch>& batch) {
  const format::WrittenParquet written = SL_TRY(WriteParquet(io, "mem://foreign", {batch}));
  DataFile file;
  file.content = FileContent::kPositionDeletes;
  file.file_path = "mem://foreign";
  file.file_size_bytes = written.size_bytes;
  file.record_count = written.row_count;
  return file;
}

TEST(PositionDeletes, AreFoundWithoutFieldIdsAndInAnotherSpelling) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(
      const DataFile file,
      WriteForeign(*files.io,
                   BatchOf({{"pos", ArrayOf(arrow::int64(), "[7, 8, 9]")},
                            {"file_path", ArrayOf(arrow::utf8(), R"(["file:/lake/a", "/lake/a",
                                                                     "/lake/b"])")}})));

  SL_ASSERT_OK_AND_ASSIGN(const PositionSet positions,
                          ReadPositionDeletes(*files.io, {file}, "file:///lake/a"));

  EXPECT_THAT(positions.Positions(), ElementsAre(7, 8));
}

TEST(PositionDeletes, BreakingTheSpecificationAreCorrupt) {
  struct Case {
    const char* name;
    std::shared_ptr<arrow::RecordBatch> batch;
    const char* error;
  };
  const auto paths = ArrayOf(arrow::utf8(), R"(["mem://a", "mem://a"])");
  const std::vector<Case> cases = {
      {"no positions", BatchOf({{"file_path", paths}}), "lacks a column: pos"},
      {"no paths", BatchOf({{"pos", ArrayOf(arrow::int64(), "[1, 2]")}}),
       "lacks a column: file_path"},
      {"a null position",
       BatchOf({{"file_path", paths}, {"pos", ArrayOf(arrow::int64(), "[1, null]")}}),
       "holds a null"},
      {"a null path",
       BatchOf({{"file_path", ArrayOf(arrow::utf8(), R"(["mem://a", null])")},
                {"pos", ArrayOf(arrow::int64(), "[1, 2]")}}),
       "holds a null"},
      {"a negative position",
       BatchOf({{"file_path", paths}, {"pos", ArrayOf(arrow::int64(), "[1, -2]")}}),
       "negative position: -2"},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    MemoryFiles files;
    SL_ASSERT_OK_AND_ASSIGN(const DataFile file, WriteForeign(*files.io, c.batch));
    EXPECT_THAT(ReadPositionDeletes(*files.io, {file}, "mem://a"),
                Fails(ErrorKind::kCorrupt, AllOf(HasSubstr(c.error), HasSubstr("mem://foreign"))));
  }
}

TEST(PositionDeletes, OfOtherKindsAreRefusedByName) {
  MemoryFiles files;
  DataFile vector;
  vector.content = FileContent::kPositionDeletes;
  vector.file_path = "mem://v.puffin";
  vector.file_format = "PUFFIN";
  DataFile equality;
  equality.content = FileContent::kEqualityDeletes;
  equality.file_path = "mem://e.parquet";

  EXPECT_THAT(ReadPositionDeletes(*files.io, {vector}, "mem://a"),
              Fails(ErrorKind::kUnsupported, HasSubstr("mem://v.puffin is PUFFIN")));
  EXPECT_THAT(ReadPositionDeletes(*files.io, {equality}, "mem://a"),
              Fails(ErrorKind::kUnsupported, HasSubstr("mem://e.parquet")));
}

}  // namespace
}  // namespace strandline::table
