#include "strandline/table/write/data_file_writer.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/base/clock.h"
#include "strandline/format/parquet/parquet_file.h"
#include "strandline/io/faulty_file_io.h"
#include "strandline/io/memory_file_io.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"

namespace strandline::table {
namespace {

using ::strandline::testing::ArrayOf;
using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::strandline::testing::ReadParquet;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr char kLocation[] = "memory://lake/t/data/a.parquet";

NestedField Column(std::int32_t id, std::string name, Type type, bool required = false) {
  return {
      .id = FieldId{id}, .name = std::move(name), .type = std::move(type), .required = required};
}

Schema SchemaOf(std::vector<NestedField> fields) {
  Schema schema;
  schema.fields = std::move(fields);
  return schema;
}

class DataFileWriterTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<DataFileWriter>> Writer(const Schema& schema) {
    return MakeDataFileWriter(*io_, metadata_, schema, PartitionSpec{}, {}, kLocation);
  }

  // Writes one file of the columns given as JSON.
  Result<DataFile> Write(const Schema& schema, const std::vector<std::string>& columns) {
    const std::unique_ptr<DataFileWriter> writer = SL_TRY(Writer(schema));
    SL_TRY(writer->Write(*Batch(schema, columns)));
    return writer->Close();
  }

  static std::shared_ptr<arrow::RecordBatch> Batch(const Schema& schema,
                                                   const std::vector<std::string>& columns) {
    const std::shared_ptr<arrow::Schema> arrow_schema = ArrowSchema(schema);
    arrow::ArrayVector arrays;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      arrays.push_back(ArrayOf(arrow_schema->field(static_cast<int>(i))->type(), columns[i]));
    }
    const std::int64_t rows = arrays[0]->length();
    return arrow::RecordBatch::Make(arrow_schema, rows, std::move(arrays));
  }

  // The bounds of a file with one column, "absent" where there is none.
  std::string BoundsOf(const Type& type, const std::string& values) {
    FixedClock clock{Timestamp{}};
    io_ = io::MakeMemoryFileIo(clock);
    const Result<DataFile> file = Write(SchemaOf({Column(1, "a", type)}), {values});
    EXPECT_THAT(file, IsOk());
    const auto text = [&](const ColumnBounds& bounds) -> std::string {
      const std::string* bound = FindBound(bounds, FieldId{1});
      return bound == nullptr ? "absent" : ValueText(type, DeserializeValue(type, *bound).value());
    };
    return text(file->lower_bounds) + " .. " + text(file->upper_bounds);
  }

  FixedClock clock_{Timestamp{}};
  std::unique_ptr<io::FileIo> io_ = io::MakeMemoryFileIo(clock_);
  TableMetadata metadata_;
};

TEST_F(DataFileWriterTest, DescribesTheFileForAManifest) {
  const Schema schema = SchemaOf({Column(3, "id", PrimitiveType(TypeId::kLong), true),
                                  Column(1, "price", PrimitiveType(TypeId::kDouble)),
                                  Column(2, "name", PrimitiveType(TypeId::kString))});
  metadata_.properties["write.parquet.row-group-limit"] = "2";

  SL_ASSERT_OK_AND_ASSIGN(const DataFile file,
                          Write(schema, {"[7, 5, 6]", "[1.5, NaN, null]", R"([null, "b", "a"])"}));

  EXPECT_EQ(file.content, FileContent::kData);
  EXPECT_EQ(file.file_path, kLocation);
  EXPECT_EQ(file.file_format, "PARQUET");
  EXPECT_EQ(file.record_count, 3);
  SL_ASSERT_OK_AND_ASSIGN(const io::FileInfo info, io_->Stat(kLocation));
  EXPECT_EQ(file.file_size_bytes, info.size_bytes);
  EXPECT_EQ(file.split_offsets.size(), 2U);
  EXPECT_THAT(file.column_sizes,
              ElementsAre(Pair(FieldId{1}, ::testing::Gt(0)), Pair(FieldId{2}, ::testing::Gt(0)),
                          Pair(FieldId{3}, ::testing::Gt(0))));
  EXPECT_THAT(file.value_counts,
              ElementsAre(Pair(FieldId{1}, 3), Pair(FieldId{2}, 3), Pair(FieldId{3}, 3)));
  EXPECT_THAT(file.null_value_counts,
              ElementsAre(Pair(FieldId{1}, 1), Pair(FieldId{2}, 1), Pair(FieldId{3}, 0)));
  EXPECT_THAT(file.nan_value_counts, ElementsAre(Pair(FieldId{1}, 1)));
  EXPECT_EQ(*FindBound(file.lower_bounds, FieldId{2}), "a");
  EXPECT_EQ(*FindBound(file.upper_bounds, FieldId{3}), std::string("\x07\0\0\0\0\0\0\0", 8));
}

TEST_F(DataFileWriterTest, GivesEveryTypeItsBounds) {
  struct Case {
    Type type;
    std::string values;
    std::string bounds;
  };
  const std::vector<Case> cases = {
      {PrimitiveType(TypeId::kBoolean), "[true, null]", "true .. true"},
      {PrimitiveType(TypeId::kBoolean), "[true, false]", "false .. true"},
      {PrimitiveType(TypeId::kInt), "[-2147483648, 5, null, 2147483647]",
       "-2147483648 .. 2147483647"},
      {PrimitiveType(TypeId::kLong), "[-9223372036854775808, 9223372036854775807]",
       "-9223372036854775808 .. 9223372036854775807"},
      {PrimitiveType(TypeId::kDate), "[-1, 0]", "1969-12-31 .. 1970-01-01"},
      {DecimalType(7, 2), R"(["-99999.99", "0.00", "12.34"])", "-99999.99 .. 12.34"},
      {DecimalType(18, 4), R"(["-0.0001", "99999999999999.9999"])",
       "-0.0001 .. 99999999999999.9999"},
      {DecimalType(38, 0),
       R"(["-99999999999999999999999999999999999999", "99999999999999999999999999999999999999"])",
       "-99999999999999999999999999999999999999 .. 99999999999999999999999999999999999999"},
      {DecimalType(38, 0), R"(["18446744073709551616", "18446744073709551615"])",
       "18446744073709551615 .. 18446744073709551616"},
      {PrimitiveType(TypeId::kString), R"(["b", "a", "ab", ""])", " .. b"},
      {PrimitiveType(TypeId::kString), R"(["abcdefghi", "abcdefgh", "abcdefg"])",
       "abcdefg .. abcdefghi"},
      {PrimitiveType(TypeId::kString), R"(["a\u0000", "a", "a\u0000\u0000"])",
       std::string("a .. a\0\0", 8)},
      {PrimitiveType(TypeId::kString), R"(["z", "é", "😀", "•"])", "z .. 😀"},
      {FixedType(20), R"(["aaaaaaaaaaaaaaaaaaaz", "aaaaaaaaaaaaaaaaaaab"])",
       "616161616161616161616161616161616161"
       "6162 .. 616161616161616161616161616161616161"
       "617a"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(ToString(c.type) + " " + c.values);
    EXPECT_EQ(BoundsOf(c.type, c.values), c.bounds);
  }
}

TEST_F(DataFileWriterTest, KeepsNanOutOfBoundsAndZerosOnTheirSide) {
  struct Case {
    std::string values;
    double lower;
    double upper;
  };
  for (const Case& c : std::vector<Case>{{"[NaN, 1, 2.5, null]", 1, 2.5},
                                         {"[1, NaN, -Inf]", -INFINITY, 1},
                                         {"[Inf, NaN]", INFINITY, INFINITY},
                                         {"[0.0]", -0.0, 0.0},
                                         {"[-0.0]", -0.0, 0.0},
                                         {"[-0.0, 5, 0.0]", -0.0, 5},
                                         {"[-5, 0.0]", -5, 0.0}}) {
    for (const Type& type : {PrimitiveType(TypeId::kDouble), PrimitiveType(TypeId::kFloat)}) {
      SCOPED_TRACE(ToString(type) + " " + c.values);
      FixedClock clock{Timestamp{}};
      io_ = io::MakeMemoryFileIo(clock);

      SL_ASSERT_OK_AND_ASSIGN(const DataFile file,
                              Write(SchemaOf({Column(1, "a", type)}), {c.values}));

      const auto as_value = [&](double number) {
        return type.id == TypeId::kFloat ? Value(static_cast<float>(number)) : Value(number);
      };
      EXPECT_EQ(*FindBound(file.lower_bounds, FieldId{1}), SerializeValue(type, as_value(c.lower)));
      EXPECT_EQ(*FindBound(file.upper_bounds, FieldId{1}), SerializeValue(type, as_value(c.upper)));
    }
  }
}

TEST_F(DataFileWriterTest, GivesNoBoundsWhereThereIsNoValue) {
  EXPECT_EQ(BoundsOf(PrimitiveType(TypeId::kInt), "[null, null]"), "absent .. absent");
  EXPECT_EQ(BoundsOf(PrimitiveType(TypeId::kString), "[null]"), "absent .. absent");
  EXPECT_EQ(BoundsOf(PrimitiveType(TypeId::kDouble), "[NaN, null, NaN]"), "absent .. absent");
  EXPECT_EQ(BoundsOf(PrimitiveType(TypeId::kBoolean), "[]"), "absent .. absent");
  EXPECT_EQ(BoundsOf(DecimalType(38, 0), "[null]"), "absent .. absent");
}

TEST_F(DataFileWriterTest, CutsLongBoundsOfStringsAndBinaries) {
  const std::string x = "xxxxxxxxxxxxxxxxxxxxxxxx";  // 24 of them.

  EXPECT_EQ(BoundsOf(PrimitiveType(TypeId::kString), "[\"" + x + "\"]"),
            "xxxxxxxxxxxxxxxx .. xxxxxxxxxxxxxxxy");
  const std::string last = R"(\udbff\udfff)";  // U+10FFFF
  std::string lasts;
  for (int i = 0; i < 20; ++i) {
    lasts += last;
  }
  EXPECT_THAT(BoundsOf(PrimitiveType(TypeId::kString), "[\"a\", \"" + lasts + "\"]"),
              "a .. absent");
  EXPECT_EQ(BoundsOf(PrimitiveType(TypeId::kBinary), "[\"" + x + "\"]"),
            "78787878787878787878787878787878 .. 78787878787878787878787878787879");
}

TEST_F(DataFileWriterTest, KeepsOnlyTheMetricsThatTheTableWants) {
  const Schema schema = SchemaOf({Column(1, "none", PrimitiveType(TypeId::kDouble)),
                                  Column(2, "counts", PrimitiveType(TypeId::kDouble)),
                                  Column(3, "full", PrimitiveType(TypeId::kString)),
                                  Column(4, "cut", PrimitiveType(TypeId::kString))});
  metadata_.properties = {{"write.metadata.metrics.default", "truncate(2)"},
                          {"write.metadata.metrics.column.none", "none"},
                          {"write.metadata.metrics.column.counts", "counts"},
                          {"write.metadata.metrics.column.full", "full"}};
  const std::string text = R"(["abcdefghijklmnopqrstuvwxyz"])";

  SL_ASSERT_OK_AND_ASSIGN(const DataFile file, Write(schema, {"[NaN]", "[NaN]", text, text}));

  EXPECT_THAT(file.value_counts,
              ElementsAre(Pair(FieldId{2}, 1), Pair(FieldId{3}, 1), Pair(FieldId{4}, 1)));
  EXPECT_THAT(file.nan_value_counts, ElementsAre(Pair(FieldId{2}, 1)));
  EXPECT_THAT(file.lower_bounds,
              ElementsAre(Pair(FieldId{3}, "abcdefghijklmnopqrstuvwxyz"), Pair(FieldId{4}, "ab")));
  EXPECT_THAT(file.upper_bounds,
              ElementsAre(Pair(FieldId{3}, "abcdefghijklmnopqrstuvwxyz"), Pair(FieldId{4}, "ac")));
}

TEST_F(DataFileWriterTest, CountsNestedLeavesUnderTheirOwnIds) {
  const Schema schema = SchemaOf({
      Column(1, "s",
             StructType({Column(3, "a", PrimitiveType(TypeId::kInt)),
                         Column(4, "b", PrimitiveType(TypeId::kDouble))})),
      Column(2, "plain", PrimitiveType(TypeId::kInt)),
      Column(5, "l",
             ListType(FieldId{6}, StructType({Column(7, "c", PrimitiveType(TypeId::kDouble))}),
                      false)),
      Column(8, "m",
             MapType(FieldId{9}, PrimitiveType(TypeId::kString), FieldId{10},
                     PrimitiveType(TypeId::kInt), false)),
  });

  SL_ASSERT_OK_AND_ASSIGN(
      const DataFile file,
      Write(schema, {R"([{"a": 1, "b": NaN}, null, {"a": null, "b": 2.5}])", "[30, 10, 20]",
                     R"([[{"c": 1}, {"c": NaN}, null], [], null])",
                     R"([[["k", 1], ["l", null]], [], null])"}));

  EXPECT_THAT(file.value_counts,
              ElementsAre(Pair(FieldId{2}, 3), Pair(FieldId{3}, 3), Pair(FieldId{4}, 3),
                          Pair(FieldId{7}, 5), Pair(FieldId{9}, 4), Pair(FieldId{10}, 4)));
  EXPECT_THAT(file.null_value_counts,
              ElementsAre(Pair(FieldId{2}, 0), Pair(FieldId{3}, 2), Pair(FieldId{4}, 1),
                          Pair(FieldId{7}, 3), Pair(FieldId{9}, 2), Pair(FieldId{10}, 3)));
  EXPECT_THAT(file.nan_value_counts, ElementsAre(Pair(FieldId{4}, 1), Pair(FieldId{7}, 1)));
  std::vector<FieldId> bounded;
  for (const auto& [id, bound] : file.lower_bounds) {
    bounded.push_back(id);
  }
  EXPECT_THAT(bounded, ElementsAre(FieldId{2}, FieldId{3}, FieldId{4}));
  EXPECT_EQ(*FindBound(file.lower_bounds, FieldId{2}), std::string("\x0a\0\0\0", 4));
}

TEST_F(DataFileWriterTest, RefusesNullsInRequiredColumnsAndGoesOn) {
  const Type deep = StructType({Column(2, "inner", PrimitiveType(TypeId::kInt), true)});
  const Schema schema =
      SchemaOf({Column(1, "outer", deep), Column(3, "key", PrimitiveType(TypeId::kLong), true),
                Column(4, "list", ListType(FieldId{5}, PrimitiveType(TypeId::kInt), true))});
  SL_ASSERT_OK_AND_ASSIGN(const auto writer, Writer(schema));

  EXPECT_THAT(writer->Write(*Batch(schema, {R"([{"inner": 1}])", "[null]", "[[1]]"})),
              Fails(ErrorKind::kInvalidArgument,
                    AllOf(HasSubstr("key"), HasSubstr(kLocation), HasSubstr("1 nulls"))));
  EXPECT_THAT(writer->Write(*Batch(schema, {R"([{"inner": null}])", "[1]", "[[1]]"})),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("outer.inner")));
  EXPECT_THAT(writer->Write(*Batch(schema, {R"([{"inner": 1}])", "[1]", "[[1, null]]"})),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("list.element")));
  // A null around it explains a null in a required field.
  EXPECT_THAT(writer->Write(*Batch(schema, {"[null]", "[7]", "[null]"})), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const DataFile file, writer->Close());
  EXPECT_EQ(file.record_count, 1);
  EXPECT_EQ(*FindCount(file.value_counts, FieldId{3}), 1);
  SL_ASSERT_OK_AND_ASSIGN(const auto table, ReadParquet(*io_, kLocation));
  EXPECT_EQ(table->num_rows(), 1);
}

TEST_F(DataFileWriterTest, RefusesBatchesOfOtherColumns) {
  const Schema schema = SchemaOf(
      {Column(1, "a", PrimitiveType(TypeId::kInt)), Column(2, "b", PrimitiveType(TypeId::kInt))});
  SL_ASSERT_OK_AND_ASSIGN(const auto writer, Writer(schema));
  const auto one = ArrayOf(arrow::int32(), "[1]");

  for (const auto& batch : {
           arrow::RecordBatch::Make(arrow::schema({arrow::field("b", arrow::int32()),
                                                   arrow::field("a", arrow::int32())}),
                                    1, {one, one}),
           arrow::RecordBatch::Make(arrow::schema({arrow::field("a", arrow::int32())}), 1, {one}),
           arrow::RecordBatch::Make(arrow::schema({arrow::field("a", arrow::int32()),
                                                   arrow::field("b", arrow::int64())}),
                                    1, {one, ArrayOf(arrow::int64(), "[1]")}),
       }) {
    EXPECT_THAT(writer->Write(*batch), Fails(ErrorKind::kInvalidArgument, HasSubstr(kLocation)));
  }
  EXPECT_THAT(writer->Write(*Batch(schema, {"[1]", "[2]"})), IsOk());
}

TEST_F(DataFileWriterTest, WritesTheBloomFiltersThatTheTableWants) {
  const Schema schema = SchemaOf({Column(1, "key", PrimitiveType(TypeId::kString))});
  metadata_.properties["write.parquet.bloom-filter-enabled.column.key"] = "true";

  SL_ASSERT_OK_AND_ASSIGN(const DataFile file, Write(schema, {R"(["a"])"}));

  SL_ASSERT_OK_AND_ASSIGN(const auto parquet,
                          format::OpenParquetFile(*io_, file.file_path, file.file_size_bytes));
  SL_ASSERT_OK_AND_ASSIGN(const auto filter, parquet->ReadBloomFilter(0, 0));
  EXPECT_NE(filter, nullptr);
}

TEST_F(DataFileWriterTest, PassesOnEveryFailureOfStorage) {
  const Schema schema = SchemaOf({Column(1, "a", PrimitiveType(TypeId::kInt))});
  io::FaultyFileIo faulty(*io_);
  int failures = 0;
  for (std::int64_t call = 1;; ++call) {
    faulty.FailCall(call);
    const std::string location = "memory://lake/" + std::to_string(call) + ".parquet";
    const auto write = [&]() -> Result<DataFile> {
      const std::unique_ptr<DataFileWriter> writer =
          SL_TRY(MakeDataFileWriter(faulty, metadata_, schema, PartitionSpec{}, {}, location));
      SL_TRY(writer->Write(*Batch(schema, {"[1, 2]"})));
      return writer->Close();
    };

    const Result<DataFile> file = write();

    if (!faulty.has_failed()) {
      EXPECT_THAT(file, IsOk());
      break;
    }
    ++failures;
    faulty.StopFailing();
    EXPECT_THAT(file, Fails(ErrorKind::kUnavailable, HasSubstr(location)));
  }
  EXPECT_GT(failures, 2);
}

}  // namespace
}  // namespace strandline::table
