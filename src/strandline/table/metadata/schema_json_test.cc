#include "strandline/table/metadata/schema_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using strandline::testing::Fails;
using ::testing::HasSubstr;

constexpr std::string_view kNested =
    R"json({"fields":[)json"
    R"json({"doc":"what it is","id":1,"name":"id","required":true,"type":"long"},)json"
    R"json({"id":2,"name":"tags","required":false,"type":)json"
    R"json({"element":"decimal(9, 2)","element-id":3,"element-required":true,"type":"list"}},)json"
    R"json({"id":4,"name":"m","required":false,"type":{"key":"string","key-id":5,"type":"map",)json"
    R"json("value":{"fields":[{"id":7,"initial-default":1,"name":"x","required":false,"type":"int",)json"
    R"json("write-default":2}],"type":"struct"},"value-id":6,"value-required":false}}],)json"
    R"json("identifier-field-ids":[1],"schema-id":3,"type":"struct"})json";

TEST(SchemaJson, KeepsEveryPart) {
  SL_ASSERT_OK_AND_ASSIGN(const Schema schema, ParseSchemaJson(kNested));

  EXPECT_EQ(SchemaJson(schema), kNested);
  EXPECT_EQ(schema.id, SchemaId(3));
  EXPECT_EQ(FindField(schema, FieldId(1))->doc, "what it is");
  EXPECT_EQ(FindField(schema, FieldId(3))->type, DecimalType(9, 2));
  EXPECT_EQ(FindField(schema, FieldId(7))->write_default, "2");
  EXPECT_EQ(ToString(FindField(schema, FieldId(4))->type), "map<string, struct<x: int>>");
}

TEST(SchemaJson, NeedsNoSchemaId) {
  SL_ASSERT_OK_AND_ASSIGN(const Schema schema, ParseSchemaJson(R"({"type":"struct","fields":[]})"));

  EXPECT_EQ(schema, Schema());
}

TEST(SchemaJson, SaysWhatIsWrong) {
  struct Case {
    std::string_view json;
    std::string_view message;
  };
  constexpr Case kCases[] = {
      {"", "not JSON"},
      {"record", "not JSON"},
      {"[]", "schema: expected an object"},
      {R"({"type":"struct"})", "fields is missing"},
      {R"({"fields":[1]})", "field: expected an object, found 1"},
      {R"({"fields":[{"id":1,"required":true,"type":"int"}]})", "name is missing"},
      {R"({"fields":[{"name":"x","required":true,"type":"int"}]})", "field x: id is missing"},
      {R"({"fields":[{"id":1,"name":"x","type":"int"}]})", "field x: required is missing"},
      {R"({"fields":[{"id":1,"name":"x","required":true}]})", "field x: type is missing"},
      {R"({"fields":[{"id":1,"name":"x","required":1,"type":"int"}]})",
       "required: expected true or false"},
      {R"({"fields":[{"id":"1","name":"x","required":true,"type":"int"}]})",
       "id: expected a whole number of 32 bits"},
      {R"({"fields":[{"id":4294967297,"name":"x","required":true,"type":"int"}]})", "32 bits"},
      {R"({"fields":[{"id":1.5,"name":"x","required":true,"type":"int"}]})", "32 bits"},
      {R"({"fields":[{"id":1,"name":"x","required":true,"type":"integer"}]})",
       "no such type: 'integer'"},
      {R"({"fields":[{"id":1,"name":"x","required":true,"type":{"type":"set"}}]})", "found 'set'"},
      {R"({"fields":[{"id":1,"name":"x","required":true,"type":{"type":"list","element":"int","element-required":true}}]})",
       "element-id is missing"},
      {R"({"fields":[{"id":1,"name":"x","required":true,"type":{"type":"map","key-id":2,"value-id":3,"value-required":true,"key":"int"}}]})",
       "value is missing"},
      {R"({"schema-id":9,"fields":[{"id":1,"name":"x","required":true,"type":"int"},{"id":1,"name":"y","required":true,"type":"int"}]})",
       "schema 9: two fields have the id 1, one of them is y"},
      {R"({"fields":[{"id":1,"name":"x","required":true,"type":"int"},{"id":2,"name":"x","required":true,"type":"int"}]})",
       "two fields have the name 'x'"},
      {R"({"fields":[{"id":1,"name":"x","required":true,"type":{"type":"list","element-id":1,"element":"int","element-required":true}}]})",
       "two fields have the id 1"},
      {R"({"fields":[],"identifier-field-ids":[1]})", "identifier-field-ids: no field 1"},
      {R"({"fields":[],"identifier-field-ids":["1"]})", "identifier-field-ids: expected"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.json);
    EXPECT_THAT(ParseSchemaJson(c.json),
                Fails(ErrorKind::kCorrupt, HasSubstr(std::string(c.message))));
  }
}

TEST(SchemaJson, NamesTypesOfVersion3) {
  EXPECT_THAT(
      ParseSchemaJson(R"({"fields":[{"id":1,"name":"x","required":false,"type":"variant"}]})"),
      Fails(ErrorKind::kUnsupported, HasSubstr("field x: type variant of format version 3")));
}

TEST(SchemaJson, BoundsNesting) {
  std::string json = R"({"fields":[{"id":1,"name":"x","required":true,"type":)";
  for (int i = 0; i < 100'000; ++i) {
    json += R"({"type":"list","element-id":2,"element-required":true,"element":)";
  }

  EXPECT_THAT(ParseSchemaJson(json), Fails(ErrorKind::kCorrupt, HasSubstr("levels deep")));
}

TEST(PartitionFieldsJson, KeepsEveryPart) {
  constexpr std::string_view kJson =
      R"([{"field-id":1000,"name":"time_hour","source-id":1,"transform":"hour"},)"
      R"json({"field-id":1003,"name":"z","source-id":2,"transform":"zorder(a)"}])json";
  PartitionSpec spec;

  SL_ASSERT_OK_AND_ASSIGN(spec.fields, ParsePartitionFieldsJson(kJson));

  EXPECT_EQ(PartitionFieldsJson(spec), kJson);
}

TEST(PartitionFieldsJson, NumbersFieldsAsVersion1Did) {
  SL_ASSERT_OK_AND_ASSIGN(
      const std::vector<PartitionField> fields,
      ParsePartitionFieldsJson(R"([{"name":"a","source-id":1,"transform":"hour"},)"
                               R"({"name":"b","source-id":2,"transform":"bucket[4]"}])"));

  EXPECT_EQ(fields.at(0).field_id, FieldId(1000));
  EXPECT_EQ(fields.at(1).field_id, FieldId(1001));
}

TEST(PartitionFieldsJson, SaysWhatIsWrong) {
  struct Case {
    std::string_view json;
    ErrorKind kind;
    std::string_view message;
  };
  constexpr Case kCases[] = {
      {"{}", ErrorKind::kCorrupt, "partition fields: expected an array"},
      {R"([{"name":"a","transform":"hour"}])", ErrorKind::kCorrupt,
       "partition field a: source-id is missing"},
      {R"([{"name":"a","source-id":1}])", ErrorKind::kCorrupt, "transform is missing"},
      {R"([{"name":"a","source-id":1,"transform":"bucket[0]"}])", ErrorKind::kCorrupt,
       "partition field a"},
      {R"([{"name":"a","source-ids":[1,2],"transform":"bucket[4]"}])", ErrorKind::kUnsupported,
       "several columns"},
      {R"([{"field-id":1000,"name":"a","source-id":1,"transform":"hour"},{"field-id":1000,"name":"b","source-id":1,"transform":"day"}])",
       ErrorKind::kCorrupt, "two partition fields have the id 1000, one of them is b"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.json);
    EXPECT_THAT(ParsePartitionFieldsJson(c.json), Fails(c.kind, HasSubstr(std::string(c.message))));
  }
}

}  // namespace
}  // namespace strandline::table
