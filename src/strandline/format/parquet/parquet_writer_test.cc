#include "strandline/format/parquet/parquet_writer.h"

#include <memory>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include "strandline/base/clock.h"
#include "strandline/format/parquet/internal/arrow_files.h"
#include "strandline/format/parquet/parquet_file.h"
#include "strandline/io/faulty_file_io.h"
#include "strandline/io/memory_file_io.h"
#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"

namespace strandline::format {
namespace {

using ::strandline::testing::ArrayOf;
using ::strandline::testing::BatchOf;
using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::strandline::testing::ReadParquet;
using ::strandline::testing::WriteParquet;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kLocation[] = "memory://t/a.parquet";

std::shared_ptr<arrow::Field> FieldWithId(const std::string& name,
                                          const std::shared_ptr<arrow::DataType>& type, int id,
                                          bool nullable = true) {
  return arrow::field(name, type, nullable,
                      arrow::key_value_metadata({"PARQUET:field_id"}, {std::to_string(id)}));
}

class ParquetWriterTest : public ::testing::Test {
 protected:
  // What the Parquet library itself says of a file.
  std::shared_ptr<parquet::FileMetaData> Footer(const std::string& location = kLocation) {
    auto file = io_->Open(location);
    EXPECT_THAT(file, IsOk());
    return parquet::ReadMetaData(std::make_shared<ArrowInputFile>(std::move(file).value()));
  }

  FixedClock clock_{Timestamp{}};
  std::unique_ptr<io::FileIo> io_ = io::MakeMemoryFileIo(clock_);
};

TEST_F(ParquetWriterTest, GivesBackTheRowsOfEveryTypeAcrossRowGroups) {
  const auto batch = BatchOf({
      {"boolean", ArrayOf(arrow::boolean(), "[true, null, false, true, false]")},
      {"int", ArrayOf(arrow::int32(), "[1, null, -3, 4, 5]")},
      {"long", ArrayOf(arrow::int64(), "[1, null, -3, 4, 5]")},
      {"float", ArrayOf(arrow::float32(), "[1.5, null, -0.0, Inf, 5]")},
      {"double", ArrayOf(arrow::float64(), "[1.5, null, -0.0, -Inf, 5]")},
      {"decimal4", ArrayOf(arrow::decimal128(4, 2), R"(["1.50", null, "-99.99", "0.00", "5.00"])")},
      {"decimal18",
       ArrayOf(arrow::decimal128(18, 4), R"(["1.5000", null, "-1.0000", "0.0001", "5.0000"])")},
      {"decimal38", ArrayOf(arrow::decimal128(38, 0),
                            R"(["1", null, "-99999999999999999999999999999999999999", "0", "5"])")},
      {"date", ArrayOf(arrow::date32(), "[0, null, -1, 20000, 5]")},
      {"time", ArrayOf(arrow::time64(arrow::TimeUnit::MICRO), "[0, null, 86399999999, 4, 5]")},
      {"timestamp", ArrayOf(arrow::timestamp(arrow::TimeUnit::MICRO), "[0, null, -1, 4, 5]")},
      {"timestamptz",
       ArrayOf(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[0, null, -1, 4, 5]")},
      {"string", ArrayOf(arrow::utf8(), R"(["", null, "é•😀", "d", "e"])")},
      {"fixed", ArrayOf(arrow::fixed_size_binary(3), R"(["abc", null, "xyz", "ddd", "eee"])")},
      {"binary", ArrayOf(arrow::binary(), R"(["", null, "\u0000", "d", "e"])")},
      {"struct", ArrayOf(arrow::struct_({arrow::field("a", arrow::int32())}),
                         R"([{"a": 1}, null, {"a": null}, {"a": 4}, {"a": 5}])")},
      {"list", ArrayOf(arrow::list(arrow::field("element", arrow::int32())),
                       "[[1, null], null, [], [4], [5]]")},
      {"map", ArrayOf(arrow::map(arrow::utf8(), arrow::int32()),
                      R"([[["k", 1]], null, [], [["k", null]], [["l", 5]]])")},
  });

  SL_ASSERT_OK_AND_ASSIGN(const WrittenParquet written,
                          WriteParquet(*io_, kLocation, {batch, batch}, {.row_group_rows = 3}));

  EXPECT_EQ(written.row_count, 10);
  EXPECT_EQ(written.row_group_offsets.size(), 4U);  // 3, 3, 3 and 1 rows.
  SL_ASSERT_OK_AND_ASSIGN(const io::FileInfo info, io_->Stat(kLocation));
  EXPECT_EQ(written.size_bytes, info.size_bytes);
  SL_ASSERT_OK_AND_ASSIGN(const auto table, ReadParquet(*io_, kLocation));
  const auto expected = arrow::Table::FromRecordBatches({batch, batch}).ValueOrDie();
  EXPECT_TRUE(table->Equals(*expected)) << table->ToString();
}

TEST_F(ParquetWriterTest, StoresTypesAsIcebergWantsThem) {
  const auto uuid = arrow::field("uuid", arrow::fixed_size_binary(16), true,
                                 arrow::key_value_metadata({kUuidFieldKey}, {kUuidFieldValue}));
  const auto schema = arrow::schema({
      arrow::field("decimal9", arrow::decimal128(9, 2)),
      arrow::field("decimal18", arrow::decimal128(18, 2)),
      arrow::field("decimal19", arrow::decimal128(19, 2)),
      arrow::field("decimal38", arrow::decimal128(38, 2)),
      arrow::field("timestamp", arrow::timestamp(arrow::TimeUnit::MICRO)),
      arrow::field("timestamptz", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
      arrow::field("time", arrow::time64(arrow::TimeUnit::MICRO)),
      uuid,
      arrow::field("uuids", arrow::list(uuid->WithName("element"))),
  });
  SL_ASSERT_OK_AND_ASSIGN(const auto writer, MakeParquetWriter(*io_, kLocation, schema, {}));
  const std::string id = "0123456789abcdef";
  const auto batch = arrow::RecordBatch::Make(
      schema, 1,
      {ArrayOf(schema->field(0)->type(), R"(["1.00"])"),
       ArrayOf(schema->field(1)->type(), R"(["1.00"])"),
       ArrayOf(schema->field(2)->type(), R"(["1.00"])"),
       ArrayOf(schema->field(3)->type(), R"(["1.00"])"), ArrayOf(schema->field(4)->type(), "[1]"),
       ArrayOf(schema->field(5)->type(), "[1]"), ArrayOf(schema->field(6)->type(), "[1]"),
       ArrayOf(schema->field(7)->type(), "[\"" + id + "\"]"),
       ArrayOf(schema->field(8)->type(), "[[\"" + id + "\", null]]")});

  ASSERT_THAT(writer->Write(*batch), IsOk());
  ASSERT_THAT(writer->Close(), IsOk());

  const auto footer = Footer();
  std::vector<std::string> leaves;
  for (int i = 0; i < footer->num_columns(); ++i) {
    const parquet::ColumnDescriptor* leaf = footer->schema()->Column(i);
    const std::string length =
        leaf->type_length() > 0 ? "(" + std::to_string(leaf->type_length()) + ")" : "";
    leaves.push_back(parquet::TypeToString(leaf->physical_type()) + length + " " +
                     leaf->logical_type()->ToString());
  }
  EXPECT_THAT(
      leaves,
      ElementsAre("INT32 Decimal(precision=9, scale=2)", "INT64 Decimal(precision=18, scale=2)",
                  "FIXED_LEN_BYTE_ARRAY(9) Decimal(precision=19, scale=2)",
                  "FIXED_LEN_BYTE_ARRAY(16) Decimal(precision=38, scale=2)",
                  AllOf(HasSubstr("isAdjustedToUTC=false"), HasSubstr("microseconds")),
                  AllOf(HasSubstr("isAdjustedToUTC=true"), HasSubstr("microseconds")),
                  AllOf(HasSubstr("Time(isAdjustedToUTC=false"), HasSubstr("microseconds")),
                  "FIXED_LEN_BYTE_ARRAY(16) UUID", "FIXED_LEN_BYTE_ARRAY(16) UUID"));
  EXPECT_EQ(footer->key_value_metadata(), nullptr) << "the Arrow schema must not be stored";
  SL_ASSERT_OK_AND_ASSIGN(const auto table, ReadParquet(*io_, kLocation));
  EXPECT_TRUE(table->field(7)->type()->Equals(arrow::fixed_size_binary(16)));
  EXPECT_TRUE(table->column(8)->chunk(0)->Equals(*batch->column(8)));
}

TEST_F(ParquetWriterTest, ReportsLeavesByFieldId) {
  const auto schema = arrow::schema(
      {FieldWithId("a", arrow::int64(), 7),
       FieldWithId(
           "s",
           arrow::struct_(
               {FieldWithId("x", arrow::utf8(), 9),
                FieldWithId("y", arrow::list(FieldWithId("element", arrow::int32(), 11)), 10)}),
           8),
       arrow::field("nameless", arrow::int32())});
  SL_ASSERT_OK_AND_ASSIGN(const auto writer, MakeParquetWriter(*io_, kLocation, schema, {}));
  ASSERT_THAT(writer->Write(*arrow::RecordBatch::Make(
                  schema, 1,
                  {ArrayOf(schema->field(0)->type(), "[1]"),
                   ArrayOf(schema->field(1)->type(), R"([{"x": "x", "y": [1, 2]}])"),
                   ArrayOf(schema->field(2)->type(), "[3]")})),
              IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const WrittenParquet written, writer->Close());

  EXPECT_THAT(written.leaf_field_ids, ElementsAre(7, 9, 11, -1));
  EXPECT_THAT(written.leaf_sizes, ::testing::Each(::testing::Gt(0)));
  EXPECT_THAT(written.row_group_offsets, ElementsAre(4));  // Right behind the magic.
  SL_ASSERT_OK_AND_ASSIGN(const auto file, OpenParquetFile(*io_, kLocation, written.size_bytes));
  EXPECT_EQ(file->schema()->field(0)->metadata()->Get("PARQUET:field_id").ValueOrDie(), "7");
}

TEST_F(ParquetWriterTest, EndsARowGroupAtItsRowsOrItsBytes) {
  const auto batch = BatchOf({{"a", ArrayOf(arrow::int64(), "[1, 2, 3, 4]")}});

  SL_ASSERT_OK_AND_ASSIGN(
      const WrittenParquet by_rows,
      WriteParquet(*io_, "memory://t/rows.parquet", {batch, batch, batch}, {.row_group_rows = 6}));
  SL_ASSERT_OK_AND_ASSIGN(const WrittenParquet by_bytes,
                          WriteParquet(*io_, "memory://t/bytes.parquet", {batch, batch, batch},
                                       {.row_group_bytes = 40}));

  EXPECT_EQ(by_rows.row_group_offsets.size(), 2U);
  EXPECT_EQ(by_bytes.row_group_offsets.size(), 2U);
  const auto footer = Footer("memory://t/bytes.parquet");
  EXPECT_EQ(footer->RowGroup(0)->num_rows(), 8);
  EXPECT_EQ(footer->RowGroup(1)->num_rows(), 4);
}

TEST_F(ParquetWriterTest, WritesAFileWithoutRows) {
  const auto empty = BatchOf({{"a", ArrayOf(arrow::int64(), "[]")}});

  SL_ASSERT_OK_AND_ASSIGN(const WrittenParquet written, WriteParquet(*io_, kLocation, {empty}));

  EXPECT_EQ(written.row_count, 0);
  EXPECT_THAT(written.row_group_offsets, ElementsAre());
  SL_ASSERT_OK_AND_ASSIGN(const auto table, ReadParquet(*io_, kLocation));
  EXPECT_EQ(table->num_rows(), 0);
}

TEST_F(ParquetWriterTest, EstimatesItsSize) {
  const auto batch = BatchOf({{"a", ArrayOf(arrow::int64(), "[1, 2, 3, 4]")}});
  SL_ASSERT_OK_AND_ASSIGN(const auto writer, MakeParquetWriter(*io_, kLocation, batch->schema(),
                                                               {.row_group_rows = 8}));
  std::int64_t before = writer->estimated_bytes();

  for (int i = 0; i < 10; ++i) {
    ASSERT_THAT(writer->Write(*batch), IsOk());
    EXPECT_GT(writer->estimated_bytes(), before);
    before = writer->estimated_bytes();
  }

  EXPECT_EQ(writer->rows(), 40);
}

TEST_F(ParquetWriterTest, RefusesWhatItCannotWrite) {
  const auto schema = arrow::schema(
      {arrow::field("a", arrow::int64(), /*nullable=*/false), arrow::field("b", arrow::boolean())});
  struct Case {
    std::string name;
    ParquetWriteOptions options;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"a filter on no column", {.bloom_filter_columns = {"nowhere"}}, "nowhere"},
      {"a filter on a boolean", {.bloom_filter_columns = {"b"}}, "column b"},
      {"a plain column that is none", {.plain_columns = {"nowhere"}}, "nowhere"},
      {"a rate of 1", {.bloom_filter_false_positive_rate = 1.0}, "false positive rate"},
      {"row groups without rows", {.row_group_rows = 0}, "row group of 0 rows"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(
        MakeParquetWriter(*io_, kLocation, schema, c.options),
        Fails(ErrorKind::kInvalidArgument, AllOf(HasSubstr(kLocation), HasSubstr(c.message))));
    EXPECT_THAT(io_->Stat(kLocation), Fails(ErrorKind::kNotFound, HasSubstr(kLocation)));
  }
}

TEST_F(ParquetWriterTest, RefusesBatchesOfOtherColumnsAndNullsInRequiredOnes) {
  const auto schema = arrow::schema({arrow::field("a", arrow::int64(), /*nullable=*/false)});
  SL_ASSERT_OK_AND_ASSIGN(const auto writer, MakeParquetWriter(*io_, kLocation, schema, {}));

  EXPECT_THAT(writer->Write(*BatchOf({{"b", ArrayOf(arrow::int64(), "[1]")}})),
              Fails(ErrorKind::kInvalidArgument, HasSubstr(kLocation)));
  EXPECT_THAT(
      writer->Write(*arrow::RecordBatch::Make(schema, 2, {ArrayOf(arrow::int64(), "[1, null]")})),
      Fails(ErrorKind::kInvalidArgument, HasSubstr("non-nullable")));

  // Half of the second batch may be in the file by now.
  EXPECT_THAT(writer->Close(), Fails(ErrorKind::kInvalidArgument, HasSubstr("failed before")));
}

TEST_F(ParquetWriterTest, RefusesATakenName) {
  const auto batch = BatchOf({{"a", ArrayOf(arrow::int64(), "[1]")}});
  ASSERT_THAT(WriteParquet(*io_, kLocation, {batch}), IsOk());

  EXPECT_THAT(WriteParquet(*io_, kLocation, {batch}),
              Fails(ErrorKind::kAlreadyExists, HasSubstr(kLocation)));
}

TEST_F(ParquetWriterTest, LeavesNothingThatLooksWholeWhenItIsDropped) {
  const auto batch = BatchOf({{"a", ArrayOf(arrow::int64(), "[1]")}});
  {
    SL_ASSERT_OK_AND_ASSIGN(const auto writer,
                            MakeParquetWriter(*io_, kLocation, batch->schema(), {}));
    ASSERT_THAT(writer->Write(*batch), IsOk());
  }

  EXPECT_FALSE(OpenParquetFile(*io_, kLocation, std::nullopt).has_value());
}

TEST_F(ParquetWriterTest, PassesOnEveryFailureOfStorage) {
  const auto batch = BatchOf({{"a", ArrayOf(arrow::int64(), "[1, 2, 3, 4]")},
                              {"b", ArrayOf(arrow::utf8(), R"(["a", "b", "c", "d"])")}});
  io::FaultyFileIo faulty(*io_);
  int failures = 0;
  for (std::int64_t call = 1;; ++call) {
    faulty.FailCall(call);
    const std::string location = "memory://t/" + std::to_string(call) + ".parquet";

    const Result<WrittenParquet> written = WriteParquet(
        faulty, location, {batch, batch}, {.row_group_rows = 4, .bloom_filter_columns = {"a"}});

    if (!faulty.has_failed()) {
      EXPECT_THAT(written, IsOk());
      break;
    }
    ++failures;
    faulty.StopFailing();
    EXPECT_THAT(written, Fails(ErrorKind::kUnavailable, HasSubstr(location))) << "call " << call;
  }
  EXPECT_GT(failures, 5);  // Creation, row groups, filters, footer, close.
}

}  // namespace
}  // namespace strandline::format
