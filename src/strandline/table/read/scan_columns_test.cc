// Which column of a file is which of the table, and what its values become.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/read/scan_reader.h"
#include "tests/support/manifest_tables.h"
#include "tests/support/matchers.h"
#include "tests/support/scan_files.h"

namespace strandline::table {
namespace {

using ::strandline::testing::BatchWith;
using ::strandline::testing::Column;
using ::strandline::testing::Fails;
using ::strandline::testing::MemoryFiles;
using ::strandline::testing::PartitionBy;
using ::strandline::testing::ReadLines;
using ::strandline::testing::WithId;
using ::strandline::testing::WriteTask;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Type kInt = PrimitiveType(TypeId::kInt);
const Type kLong = PrimitiveType(TypeId::kLong);
const Type kDouble = PrimitiveType(TypeId::kDouble);
const Type kString = PrimitiveType(TypeId::kString);

Schema SchemaWith(std::vector<NestedField> fields) {
  Schema schema;
  schema.fields = std::move(fields);
  return schema;
}

TableMetadata UnpartitionedTable() {
  TableMetadata metadata;
  metadata.location = "mem://lake/t";
  metadata.partition_specs = {PartitionSpec{}};
  return metadata;
}

// Reads all columns of `schema` from one file of `fields` and JSON `columns`.
Result<std::vector<std::string>> ReadFrom(const Schema& schema, const arrow::FieldVector& fields,
                                          const std::vector<std::string>& columns,
                                          TableMetadata metadata = UnpartitionedTable(),
                                          PartitionTuple partition = {}) {
  MemoryFiles files;
  ScanTask task = SL_TRY(WriteTask(*files.io, "mem://lake/f", BatchWith(fields, columns)));
  task.spec_id = metadata.partition_specs.front().id;
  task.file.partition = std::move(partition);
  ScanReadOptions options;
  for (const NestedField& field : schema.fields) {
    options.columns.push_back(field.name);
  }
  std::unique_ptr<format::BatchSource> source =
      SL_TRY(OpenScan(*files.io, metadata, schema, {task}, options));
  SL_CHECK(source->schema()->Equals(ArrowSchema(schema)));
  return ReadLines(std::move(source));
}

// C092.
TEST(ScanColumns, AreFoundByIdWhateverTheirNames) {
  const Schema schema = SchemaWith({
      Column(3, "v", kLong),        // Added again after it was dropped as id 2.
      Column(1, "renamed", kLong),  // Was `a`.
      Column(5, "x", kString),      // The names of x and y were swapped.
      Column(4, "y", kString),
  });

  EXPECT_THAT(*ReadFrom(schema,
                        {WithId(1, "a", arrow::int64()), WithId(2, "v", arrow::int64()),
                         WithId(4, "x", arrow::utf8()), WithId(5, "y", arrow::utf8())},
                        {"[1, 2]", "[10, 20]", R"(["x1", "x2"])", R"(["y1", "y2"])"}),
              ElementsAre("null 1 y1 x1", "null 2 y2 x2"));
}

TEST(ScanColumns, WithoutAnyIdAreFoundByTheNameMapping) {
  const Schema schema =
      SchemaWith({Column(1, "id", kLong), Column(2, "cost", kLong), Column(3, "v", kLong)});
  TableMetadata metadata = UnpartitionedTable();
  metadata.properties["schema.name-mapping.default"] =
      R"([{"field-id": 1, "names": ["id", "ID"]}, {"field-id": 2, "names": ["cost", "price"]}])";

  // `v` is not in the mapping: the file's `v` is some other column.
  EXPECT_THAT(*ReadFrom(schema,
                        {arrow::field("price", arrow::int64()), arrow::field("ID", arrow::int64()),
                         arrow::field("v", arrow::int64())},
                        {"[7]", "[1]", "[9]"}, metadata),
              ElementsAre("1 7 null"));
}

TEST(ScanColumns, WithoutIdsAndMappingAreFoundByName) {
  const Schema schema = SchemaWith({Column(1, "id", kLong), Column(2, "price", kLong)});

  EXPECT_THAT(
      *ReadFrom(schema, {arrow::field("price", arrow::int64()), arrow::field("id", arrow::int64())},
                {"[7]", "[1]"}),
      ElementsAre("1 7"));
}

TEST(ScanColumns, AMappingDoesNotMatterToAFileWithIds) {
  const Schema schema = SchemaWith({Column(1, "id", kLong)});
  TableMetadata metadata = UnpartitionedTable();
  metadata.properties["schema.name-mapping.default"] = R"([{"field-id": 1, "names": ["other"]}])";

  EXPECT_THAT(
      *ReadFrom(schema, {WithId(1, "id", arrow::int64()), WithId(2, "other", arrow::int64())},
                {"[1]", "[2]"}, metadata),
      ElementsAre("1"));
}

TEST(ScanColumns, NameABrokenMapping) {
  TableMetadata metadata = UnpartitionedTable();
  metadata.properties["schema.name-mapping.default"] = "{";

  EXPECT_THAT(ReadFrom(SchemaWith({Column(1, "id", kLong)}), {WithId(1, "id", arrow::int64())},
                       {"[1]"}, metadata),
              Fails(ErrorKind::kCorrupt,
                    AllOf(HasSubstr("schema.name-mapping.default"), HasSubstr("mem://lake/t"))));
}

TEST(ScanColumns, OfNestedTypesAreFoundByNameMapping) {
  const Schema schema = SchemaWith(
      {Column(1, "s", StructType({Column(2, "renamed", kLong)})),
       Column(3, "l", ListType(FieldId(4), StructType({Column(5, "renamed", kLong)}), false)),
       Column(6, "m",
              MapType(FieldId(7), kString, FieldId(8), StructType({Column(9, "renamed", kLong)}),
                      false))});
  TableMetadata metadata = UnpartitionedTable();
  metadata.properties["schema.name-mapping.default"] = R"([
      {"field-id": 1, "names": ["s"], "fields": [{"field-id": 2, "names": ["a"]}]},
      {"field-id": 3, "names": ["l"], "fields": [{"field-id": 4, "names": ["element"],
          "fields": [{"field-id": 5, "names": ["a"]}]}]},
      {"field-id": 6, "names": ["m"], "fields": [{"field-id": 7, "names": ["key"]},
          {"field-id": 8, "names": ["value"], "fields": [{"field-id": 9, "names": ["a"]}]}]}])";
  const auto inner = arrow::struct_({arrow::field("a", arrow::int64())});

  EXPECT_THAT(*ReadFrom(schema,
                        {arrow::field("s", inner), arrow::field("l", arrow::list(inner)),
                         arrow::field("m", arrow::map(arrow::utf8(), inner))},
                        {R"([{"a": 1}])", R"([[{"a": 2}]])", R"([[["k", {"a": 3}]]])"}, metadata),
              ElementsAre("{1} [{2}] {k: {3}}"));
}

TEST(ScanColumns, ArePromoted) {
  struct Case {
    const char* name;
    Type type;
    std::shared_ptr<arrow::DataType> stored;
    const char* json;
    const char* lines;
  };
  const Type time = PrimitiveType(TypeId::kTimestamptz);
  const std::vector<Case> cases = {
      {"int to long", kLong, arrow::int32(), "[-1, null, 2147483647]", "-1 null 2147483647"},
      {"short to int", kInt, arrow::int16(), "[-1, null]", "-1 null"},
      {"unsigned int to long", kLong, arrow::uint32(), "[4294967295]", "4294967295"},
      {"float to double", kDouble, arrow::float32(), "[1.5, null]", "1.5 null"},
      {"decimal to a higher precision", DecimalType(30, 2), arrow::decimal128(9, 2),
       R"(["-1.25", null])", "-1.25 null"},
      {"milliseconds to microseconds", time, arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"),
       "[1500]", "1970-01-01 00:00:01.500000Z"},
      {"another zone, the same instant", time,
       arrow::timestamp(arrow::TimeUnit::MICRO, "Europe/Berlin"), "[0]",
       "1970-01-01 00:00:00.000000Z"},
      {"no zone, as INT96 has none", time, arrow::timestamp(arrow::TimeUnit::MICRO), "[0]",
       "1970-01-01 00:00:00.000000Z"},
      {"milliseconds of the day", PrimitiveType(TypeId::kTime),
       arrow::time32(arrow::TimeUnit::MILLI), "[1]", "00:00:00.001000"},
      {"bytes that are text", kString, arrow::binary(), R"(["abc"])", "abc"},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    SL_ASSERT_OK_AND_ASSIGN(
        const std::vector<std::string> lines,
        ReadFrom(SchemaWith({Column(1, "c", c.type)}), {WithId(1, "c", c.stored)}, {c.json}));
    std::string joined;
    for (const std::string& line : lines) {
      joined += (joined.empty() ? "" : " ") + line;
    }
    EXPECT_EQ(joined, c.lines);
  }
}

TEST(ScanColumns, OfATypeThatTheColumnNeverHadAreCorrupt) {
  struct Case {
    const char* name;
    Type type;
    std::shared_ptr<arrow::DataType> stored;
    const char* json;
  };
  const std::vector<Case> cases = {
      {"text for a number", kLong, arrow::utf8(), R"(["1"])"},
      {"long for an int", kInt, arrow::int64(), "[1]"},
      {"double for a float", PrimitiveType(TypeId::kFloat), arrow::float64(), "[1]"},
      {"another scale", DecimalType(9, 3), arrow::decimal128(9, 2), R"(["1.25"])"},
      {"a lower precision", DecimalType(5, 2), arrow::decimal128(9, 2), R"(["1.25"])"},
      {"a zone for local times", PrimitiveType(TypeId::kTimestamp),
       arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[0]"},
      {"another length", FixedType(3), arrow::fixed_size_binary(2), R"(["ab"])"},
      {"a list for a struct", StructType({Column(2, "a", kLong)}), arrow::list(arrow::int64()),
       "[[1]]"},
      {"a number for a list", ListType(FieldId(2), kLong, false), arrow::int64(), "[1]"},
      {"a list of other elements", ListType(FieldId(2), kLong, false), arrow::list(arrow::utf8()),
       R"([["a"]])"},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(
        ReadFrom(SchemaWith({Column(1, "cost", c.type)}), {WithId(1, "c", c.stored)}, {c.json}),
        Fails(ErrorKind::kCorrupt,
              AllOf(HasSubstr("mem://lake/f"), HasSubstr("another type"), HasSubstr("cost"))));
  }
}

TEST(ScanColumns, NameTheFileWhoseValueDoesNotFit) {
  EXPECT_THAT(ReadFrom(SchemaWith({Column(1, "c", kString)}), {WithId(1, "c", arrow::binary())},
                       {R"(["\u0080"])"}),
              testing::IsOk());
  MemoryFiles files;
  arrow::BinaryBuilder builder;
  ASSERT_TRUE(builder.Append("\xFF\xFE").ok());
  const auto batch = arrow::RecordBatch::Make(arrow::schema({WithId(1, "c", arrow::binary())}), 1,
                                              {builder.Finish().ValueOrDie()});
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteTask(*files.io, "mem://lake/f", batch));
  SL_ASSERT_OK_AND_ASSIGN(
      auto source, OpenScan(*files.io, UnpartitionedTable(), SchemaWith({Column(1, "c", kString)}),
                            {task}, {.columns = {"c"}}));

  EXPECT_THAT(ReadLines(std::move(source)),
              Fails(ErrorKind::kCorrupt, AllOf(HasSubstr("column c"), HasSubstr("mem://lake/f"))));
}

TEST(ScanColumns, ThatAreRequiredMustBeThere) {
  NestedField required = Column(2, "must", kLong);
  required.required = true;

  EXPECT_THAT(ReadFrom(SchemaWith({Column(1, "id", kLong), required}),
                       {WithId(1, "id", arrow::int64())}, {"[1]"}),
              Fails(ErrorKind::kCorrupt, AllOf(HasSubstr("must"), HasSubstr("mem://lake/f"))));
}

TEST(ScanColumns, WithADefaultOfVersion3AreRefusedByName) {
  NestedField with_default = Column(2, "later", kLong);
  with_default.initial_default = "5";

  EXPECT_THAT(ReadFrom(SchemaWith({Column(1, "id", kLong), with_default}),
                       {WithId(1, "id", arrow::int64())}, {"[1]"}),
              Fails(ErrorKind::kUnsupported, HasSubstr("later")));
}

// C096, and C070 for the void field.
TEST(ScanColumns, ThatAFileLacksHaveTheirIdentityPartitionValue) {
  TableMetadata metadata = UnpartitionedTable();
  metadata.partition_specs = {
      {.id = SpecId(0),
       .fields = {PartitionBy(2, 1000, "region"), PartitionBy(3, 1001, "day"),
                  PartitionBy(4, 1002, "price"), PartitionBy(5, 1003, "uid"),
                  PartitionBy(6, 1004, "void", TransformKind::kVoid), PartitionBy(1, 1005, "id"),
                  PartitionBy(7, 1006, "level")}}};
  const PartitionTuple partition = {Value(std::string("eu")),
                                    Value(std::int32_t{1}),
                                    Value(Int128{-125}),
                                    Value(Bytes{"0123456789abcdef"}),
                                    Value(),
                                    Value(std::int64_t{99}),
                                    Value(std::int32_t{5})};
  const Schema schema = SchemaWith(
      {Column(1, "id", kLong), Column(2, "region", kString),
       Column(3, "day", PrimitiveType(TypeId::kDate)), Column(4, "price", DecimalType(9, 2)),
       Column(5, "uid", PrimitiveType(TypeId::kUuid)), Column(6, "voided", kLong),
       Column(7, "level", kLong)});  // An int when the manifest was written.

  // What the file has counts, whatever the manifest says.
  EXPECT_THAT(*ReadFrom(schema, {WithId(1, "id", arrow::int64()), WithId(6, "v", arrow::int64())},
                        {"[1, 2]", "[3, null]"}, metadata, partition),
              ElementsAre("1 eu 1970-01-02 -1.25 0123456789abcdef 3 5",
                          "2 eu 1970-01-02 -1.25 0123456789abcdef null 5"));
}

TEST(ScanColumns, APartitionThatDoesNotFitItsSpecIsCorrupt) {
  TableMetadata metadata = UnpartitionedTable();
  metadata.partition_specs = {{.id = SpecId(0), .fields = {PartitionBy(2, 1000, "region")}}};
  const Schema schema = SchemaWith({Column(1, "id", kLong), Column(2, "region", kString)});
  const arrow::FieldVector fields = {WithId(1, "id", arrow::int64())};

  EXPECT_THAT(ReadFrom(schema, fields, {"[1]"}, metadata, {}),
              Fails(ErrorKind::kCorrupt, HasSubstr("mem://lake/f")));
  EXPECT_THAT(ReadFrom(schema, fields, {"[1]"}, metadata, {Value(std::int64_t{1})}),
              Fails(ErrorKind::kCorrupt, AllOf(HasSubstr("mem://lake/f"), HasSubstr("region"))));
}

TEST(ScanColumns, OfStructsFollowTheirFieldsIds) {
  const Type now = StructType({Column(13, "v", kLong),  // Another `v` than the file's.
                               Column(11, "renamed", kLong), Column(14, "new", kString)});
  const auto then =
      arrow::struct_({WithId(11, "a", arrow::int32()), WithId(12, "v", arrow::int64())});

  EXPECT_THAT(*ReadFrom(SchemaWith({Column(1, "s", now)}), {WithId(1, "s", then)},
                        {R"([{"a": 1, "v": 2}, null, {"a": null, "v": 3}])"}),
              ElementsAre("{null, 1, null}", "null", "{null, null, null}"));
}

TEST(ScanColumns, ASwappedPairInAStructOfEqualTypesIsSwapped) {
  const Type now = StructType({Column(12, "a", kLong), Column(11, "b", kLong)});
  const auto then =
      arrow::struct_({WithId(11, "a", arrow::int64()), WithId(12, "b", arrow::int64())});

  EXPECT_THAT(*ReadFrom(SchemaWith({Column(1, "s", now)}), {WithId(1, "s", then)},
                        {R"([{"a": 1, "b": 2}])"}),
              ElementsAre("{2, 1}"));
}

TEST(ScanColumns, OfListsAndMapsEvolveInside) {
  const Schema schema = SchemaWith(
      {Column(1, "l",
              ListType(FieldId(2), StructType({Column(4, "n", kString), Column(3, "b", kLong)}),
                       false)),
       Column(5, "m", MapType(FieldId(6), kString, FieldId(7), kLong, false))});
  const auto element = arrow::struct_({WithId(3, "a", arrow::int32())});

  EXPECT_THAT(
      *ReadFrom(schema,
                {WithId(1, "l", arrow::list(WithId(2, "element", element))),
                 WithId(5, "m",
                        std::make_shared<arrow::MapType>(
                            WithId(6, "key", arrow::utf8())->WithNullable(false),
                            WithId(7, "value", arrow::int32())))},
                {R"([[{"a": 1}, null], null, []])", R"([[["k", 5], ["l", null]], [], null])"}),
      ElementsAre("[{null, 1}, null] {k: 5, l: null}", "null {}", "[] null"));
}

TEST(ScanColumns, AreGivenInTheOrderAskedFor) {
  MemoryFiles files;
  const Schema schema = SchemaWith({Column(1, "a", kLong), Column(2, "b", kLong)});
  SL_ASSERT_OK_AND_ASSIGN(
      const ScanTask task,
      WriteTask(*files.io, "mem://lake/f",
                BatchWith({WithId(1, "a", arrow::int64()), WithId(2, "b", arrow::int64())},
                          {"[1]", "[2]"})));

  SL_ASSERT_OK_AND_ASSIGN(auto source, OpenScan(*files.io, UnpartitionedTable(), schema, {task},
                                                {.columns = {"b", "a", "b"}}));
  EXPECT_THAT(*ReadLines(std::move(source)), ElementsAre("2 1 2"));
  EXPECT_THAT(OpenScan(*files.io, UnpartitionedTable(), schema, {task}, {.columns = {"c"}}),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("c")));
}

}  // namespace
}  // namespace strandline::table
