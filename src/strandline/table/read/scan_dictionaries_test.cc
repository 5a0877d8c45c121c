// Strings that a scan gives as dictionaries: when it does, and that its rows are the same.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/table/deletes/position_deletes.h"
#include "strandline/table/read/scan_reader.h"
#include "tests/support/manifest_tables.h"
#include "tests/support/matchers.h"
#include "tests/support/scan_files.h"

namespace strandline::table {
namespace {

using ::strandline::testing::BatchWith;
using ::strandline::testing::Column;
using ::strandline::testing::IsOk;
using ::strandline::testing::MemoryFiles;
using ::strandline::testing::PartitionBy;
using ::strandline::testing::ReadLines;
using ::strandline::testing::WithId;
using ::strandline::testing::WriteParquet;
using ::testing::ElementsAre;

constexpr FieldId kName{2};
constexpr std::int64_t kPlenty = 1 << 30;
const Type kString = PrimitiveType(TypeId::kString);
const std::shared_ptr<arrow::DataType> kDictionaryType =
    arrow::dictionary(arrow::int32(), arrow::utf8());

Schema IdAndName() {
  Schema schema;
  schema.fields = {Column(1, "id", PrimitiveType(TypeId::kInt)), Column(2, "name", kString)};
  return schema;
}

TableMetadata UnpartitionedTable() {
  TableMetadata metadata;
  metadata.location = "mem://lake/t";
  metadata.schemas = {IdAndName()};
  metadata.partition_specs = {PartitionSpec{}};
  return metadata;
}

// How a test's file stores the column `name`.
enum class NameColumn { kDictionary, kPlain, kLongDictionary, kBytes, kAbsent };

std::string NamesJson(NameColumn column) {
  // Values that no compression makes small.
  std::string names = R"(["x", null, "y", "x", "z", "z")";
  std::uint64_t state = 1;
  for (int i = 0; column == NameColumn::kLongDictionary && i < 6000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    names += fmt::format(",\"{:016x}\"", state);
  }
  return names + "]";
}

// Rows with ids from 0 on, in row groups of two (all in one for the long dictionary).
Result<ScanTask> WriteNames(io::FileIo& io, const std::string& location, NameColumn column) {
  const std::shared_ptr<arrow::Array> names = testing::ArrayOf(
      column == NameColumn::kBytes ? arrow::binary() : arrow::utf8(), NamesJson(column));
  arrow::Int32Builder ids;
  for (std::int32_t i = 0; i < names->length(); ++i) {
    SL_TRY(format::FromArrow(ids.Append(i)));
  }
  arrow::FieldVector fields = {WithId(1, "id", arrow::int32())};
  arrow::ArrayVector arrays = {ids.Finish().ValueOrDie()};
  if (column != NameColumn::kAbsent) {
    fields.push_back(WithId(2, "name", names->type()));
    arrays.push_back(names);
  }
  format::ParquetWriteOptions options;
  options.row_group_rows = column == NameColumn::kLongDictionary ? names->length() : 2;
  if (column == NameColumn::kPlain) {
    options.plain_columns = {"name"};
  }
  const auto batch = arrow::RecordBatch::Make(arrow::schema(fields), names->length(), arrays);
  const format::WrittenParquet written = SL_TRY(WriteParquet(io, location, {batch}, options));
  ScanTask task;
  task.file.file_path = location;
  task.file.record_count = written.row_count;
  task.file.file_size_bytes = written.size_bytes;
  return task;
}

struct Answer {
  std::shared_ptr<arrow::DataType> name_type;
  std::vector<std::string> rows;
};

Result<Answer> Read(io::FileIo& io, std::vector<ScanTask> tasks, ScanReadOptions options,
                    const TableMetadata& metadata = UnpartitionedTable()) {
  options.columns = {"name", "id"};
  std::unique_ptr<format::BatchSource> source =
      SL_TRY(OpenScan(io, metadata, IdAndName(), std::move(tasks), options));
  Answer answer;
  answer.name_type = source->schema()->field(0)->type();
  SL_CHECK(source->schema()->field(1)->type()->Equals(arrow::int32()));
  answer.rows = SL_TRY(ReadLines(std::move(source)));
  return answer;
}

TEST(ScanDictionaries, AreGivenWhereEveryFileHasThem) {
  using enum NameColumn;
  struct Case {
    const char* name;
    std::vector<NameColumn> files;
    bool is_dictionary;
  };
  const std::vector<Case> cases = {
      {"row groups with different dictionaries", {kDictionary}, true},
      {"two files", {kDictionary, kDictionary}, true},
      {"a file without the column", {kDictionary, kAbsent}, true},
      {"no dictionary", {kPlain}, false},
      {"one of two files without a dictionary", {kDictionary, kPlain}, false},
      {"a dictionary that is too large", {kLongDictionary, kDictionary}, false},
      {"strings that are stored as bytes", {kBytes}, false},
      {"no files", {}, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    MemoryFiles files;
    std::vector<ScanTask> tasks;
    for (const NameColumn column : c.files) {
      SL_ASSERT_OK_AND_ASSIGN(
          tasks.emplace_back(),
          WriteNames(*files.io, fmt::format("mem://f{}", tasks.size()), column));
    }

    SL_ASSERT_OK_AND_ASSIGN(const Answer plain, Read(*files.io, tasks, {}));
    SL_ASSERT_OK_AND_ASSIGN(const Answer answer, Read(*files.io, tasks, {.dictionaries = true}));

    EXPECT_TRUE(plain.name_type->Equals(arrow::utf8()));
    EXPECT_TRUE(answer.name_type->Equals(c.is_dictionary ? kDictionaryType : arrow::utf8()))
        << answer.name_type->ToString();
    EXPECT_EQ(answer.rows, plain.rows);
  }
}

TEST(ScanDictionaries, HoldTheValuesOfTheirRowGroup) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task,
                          WriteNames(*files.io, "mem://a", NameColumn::kDictionary));

  SL_ASSERT_OK_AND_ASSIGN(const Answer answer, Read(*files.io, {task}, {.dictionaries = true}));

  EXPECT_THAT(answer.rows, ElementsAre("x 0", "null 1", "y 2", "x 3", "z 4", "z 5"));
}

TEST(ScanDictionaries, LeaveOutDeletedRows) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(ScanTask task, WriteNames(*files.io, "mem://a", NameColumn::kDictionary));
  const TableMetadata metadata = UnpartitionedTable();
  SL_ASSERT_OK_AND_ASSIGN(
      const DataFile deletes,
      WritePositionDeletes(*files.io, metadata, metadata.partition_specs.front(), {},
                           {{"mem://a", {0, 2, 4}}}, "deletes"));
  task.deletes.push_back(deletes);

  SL_ASSERT_OK_AND_ASSIGN(const Answer answer, Read(*files.io, {task}, {.dictionaries = true}));

  EXPECT_TRUE(answer.name_type->Equals(kDictionaryType));
  EXPECT_THAT(answer.rows, ElementsAre("null 1", "x 3", "z 5"));
}

TEST(ScanDictionaries, HoldAPartitionsValueWhereAFileLacksTheColumn) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(ScanTask stored,
                          WriteNames(*files.io, "mem://a", NameColumn::kDictionary));
  SL_ASSERT_OK_AND_ASSIGN(ScanTask absent, WriteNames(*files.io, "mem://b", NameColumn::kAbsent));
  TableMetadata metadata = UnpartitionedTable();
  metadata.partition_specs = {
      {.id = SpecId(0), .fields = {PartitionBy(2, 1000, "name", TransformKind::kIdentity)}}};
  stored.file.partition = {Value(std::string("x"))};
  absent.file.partition = {Value(std::string("w"))};

  SL_ASSERT_OK_AND_ASSIGN(const Answer answer,
                          Read(*files.io, {absent, stored}, {.dictionaries = true}, metadata));

  EXPECT_TRUE(answer.name_type->Equals(kDictionaryType));
  EXPECT_THAT(answer.rows, ElementsAre("w 0", "w 1", "w 2", "w 3", "w 4", "w 5", "x 0", "null 1",
                                       "y 2", "x 3", "z 4", "z 5"));
}

TEST(ScanDictionaries, AreSharedInBatchesOfAnySize) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task,
                          WriteNames(*files.io, "mem://a", NameColumn::kDictionary));
  for (const std::int64_t first_batch_rows : {1, 2}) {
    ColumnCache cache(kPlenty);
    cache.Announce({kName});
    cache.Announce({kName});
    for (const std::int64_t batch_rows : {first_batch_rows, std::int64_t{2}, std::int64_t{1}}) {
      SCOPED_TRACE(batch_rows);
      SL_ASSERT_OK_AND_ASSIGN(
          const Answer answer,
          Read(*files.io, {task},
               {.cache = &cache, .dictionaries = true, .batch_rows = batch_rows}));
      EXPECT_THAT(answer.rows, ElementsAre("x 0", "null 1", "y 2", "x 3", "z 4", "z 5"));
    }
    EXPECT_EQ(cache.chunks_decoded(), 3);
    EXPECT_EQ(cache.chunks_reused(), 6);
  }
}

// With a lookback a model reads files that another does not, and one of them may have no
// dictionary.
TEST(ScanDictionaries, AreKeptBesideThePlainColumn) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask a,
                          WriteNames(*files.io, "mem://a", NameColumn::kDictionary));
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask b, WriteNames(*files.io, "mem://b", NameColumn::kPlain));
  ColumnCache cache(kPlenty);
  for (int scan = 0; scan < 4; ++scan) {
    cache.Announce({kName});
  }
  const ScanReadOptions options{.cache = &cache, .dictionaries = true};

  for (int round = 0; round < 2; ++round) {
    SL_ASSERT_OK_AND_ASSIGN(const Answer of_one, Read(*files.io, {a}, options));
    SL_ASSERT_OK_AND_ASSIGN(const Answer of_both, Read(*files.io, {a, b}, options));

    EXPECT_TRUE(of_one.name_type->Equals(kDictionaryType));
    EXPECT_TRUE(of_both.name_type->Equals(arrow::utf8()));
    EXPECT_THAT(of_one.rows, ElementsAre("x 0", "null 1", "y 2", "x 3", "z 4", "z 5"));
    EXPECT_EQ(of_both.rows.size(), 12U);
  }
  EXPECT_EQ(cache.chunks_decoded(), 9);  // Three row groups as both, three of `b`.
  EXPECT_EQ(cache.chunks_reused(), 9);
}

}  // namespace
}  // namespace strandline::table
