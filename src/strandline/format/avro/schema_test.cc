#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/format/avro/avro.h"
#include "tests/support/matchers.h"

namespace strandline::format::avro {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// What SchemaText gives for what ParseSchema read.
Result<std::string> Reprinted(std::string_view json) {
  const SchemaPtr schema = SL_TRY(ParseSchema(json));
  return SchemaText(*schema);
}

TEST(Schema, IsPrintedAsItWasWritten) {
  struct Case {
    const char* name;
    const char* json;
  };
  const std::vector<Case> cases = {
      {"a primitive", R"("long")"},
      {"a logical type", R"({"type":"int","logicalType":"date"})"},
      {"adjust-to-utc", R"({"type":"long","logicalType":"timestamp-micros","adjust-to-utc":true})"},
      {"a decimal",
       R"({"type":"fixed","name":"decimal_9_2","size":4,"logicalType":"decimal","precision":9,"scale":2})"},
      {"a union", R"(["null","string"])"},
      {"an enum", R"({"type":"enum","name":"colour","symbols":["red","green"]})"},
      {"a list with its id", R"({"type":"array","items":"long","element-id":133})"},
      {"a map with its ids", R"({"type":"map","values":"long","key-id":1,"value-id":2})"},
      {"a field with everything",
       R"({"type":"record","name":"r","fields":[{"name":"a","type":["null","int"],"doc":"why","default":null,"iceberg-field-name":"a.b","field-id":7}]})"},
      {"a type used again",
       R"({"type":"record","name":"r","fields":[{"name":"a","type":{"type":"fixed","name":"f","size":2}},{"name":"b","type":"f"}]})"},
      {"an unknown attribute of any shape", R"({"type":"string","x":{"y":[1,2.5,null,"z"]}})"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    const Result<std::string> printed = Reprinted(c.json);

    ASSERT_THAT(printed, IsOk());
    EXPECT_EQ(*printed, c.json);
  }
}

TEST(Schema, KeepsIdsAndLogicalTypesWhereReadersLookForThem) {
  SL_ASSERT_OK_AND_ASSIGN(const SchemaPtr schema, ParseSchema(R"({
    "type": "record", "name": "top", "namespace": "ice", "doc": "of a table", "fields": [
      {"name": "counts", "field-id": 109, "type": ["null", {"type": "array", "logicalType": "map",
        "items": {"type": "record", "name": "k119_v120", "fields": [
          {"name": "key", "type": "int", "field-id": 119},
          {"name": "value", "type": "long", "field-id": "120"}]}}]}]})"));

  EXPECT_EQ(schema->name, "ice.top");
  EXPECT_THAT(schema->attributes, ElementsAre(Pair("doc", R"("of a table")")));
  ASSERT_EQ(schema->fields.size(), 1u);
  EXPECT_EQ(schema->fields[0].field_id, 109);
  const Schema& counts = WithoutNull(*schema->fields[0].schema);
  EXPECT_EQ(counts.logical_type, "map");
  EXPECT_EQ(counts.items->name, "ice.k119_v120");
  EXPECT_EQ(counts.items->fields[1].field_id, 120) << "an id in a string";
}

TEST(Schema, ThatIsNoneIsCorrupt) {
  std::string deep;
  for (int level = 0; level < 100'000; ++level) {
    deep += R"({"type":"array","items":)";
  }
  // Each record holds the one before it twice: 2^40 types when unfolded.
  std::string doubling = R"({"type":"record","name":"r40","fields":[)";
  doubling += R"({"name":"x0","type":{"type":"record","name":"r0","fields":[]}})";
  for (int level = 1; level < 40; ++level) {
    const std::string below = std::to_string(level - 1);
    const std::string here = std::to_string(level);
    doubling += R"(,{"name":"x)" + here + R"(","type":{"type":"record","name":"r)" + here +
                R"(","fields":[{"name":"a","type":"r)" + below + R"("},{"name":"b","type":"r)" +
                below + R"("}]}})";
  }
  doubling += "]}";
  struct Case {
    const char* name;
    std::string json;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"no JSON", "{", "not JSON"},
      {"empty", "", "not JSON"},
      {"a number", "7", "neither name, list nor type"},
      {"an unknown name", R"("varchar")", "`varchar`"},
      {"an empty union", "[]", "no branches"},
      {"a record without fields", R"({"type":"record","name":"r"})", "no fields"},
      {"a record without name", R"({"type":"record","fields":[]})", "no name"},
      {"a field without type", R"({"type":"record","name":"r","fields":[{"name":"a"}]})",
       "no type"},
      {"a list of nothing", R"({"type":"array"})", "does not say of what"},
      {"a fixed of negative size", R"({"type":"fixed","name":"f","size":-1})", "no size"},
      {"a record within itself",
       R"({"type":"record","name":"r","fields":[{"name":"a","type":["null","r"]}]})", "`r`"},
      {"a reference to a name with two meanings",
       R"({"type":"record","name":"r","fields":[{"name":"a","type":{"type":"fixed","name":"f","size":2}},
           {"name":"b","type":{"type":"fixed","name":"f","size":3}},{"name":"c","type":"f"}]})",
       "defined twice"},
      {"100,000 levels", deep, "nests deeper"},
      {"named types that unfold without end", doubling, "unfolds"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    EXPECT_THAT(ParseSchema(c.json), Fails(ErrorKind::kCorrupt, HasSubstr(c.message)));
  }
}

TEST(Schema, MayDefineATypeTwiceWhenNothingRefersToIt) {
  SL_ASSERT_OK_AND_ASSIGN(const SchemaPtr schema, ParseSchema(R"({
    "type": "record", "name": "r102", "fields": [
      {"name": "a", "type": {"type": "fixed", "name": "uuid_fixed", "size": 16}},
      {"name": "b", "type": {"type": "fixed", "name": "uuid_fixed", "size": 16}}]})"));

  EXPECT_EQ(schema->fields[1].schema->size, 16);
}

TEST(SanitizedName, IsOneThatAvroAllows) {
  struct Case {
    const char* name;
    const char* sanitized;
  };
  const std::vector<Case> cases = {
      {"event_time_hour", "event_time_hour"},
      {"_x", "_x"},
      {"a1", "a1"},
      {"815d_day", "_815d_day"},
      {"a.b", "a_x2Eb"},
      {"x-y", "x_x2Dy"},
      {"a b", "a_x20b"},
      {"\xF0\x9F\x98\x8E", "_xD83D_xDE0E"},  // 😎
      {"gr\xC3\xB6\xC3\x9F", "gr_xF6_xDF"},  // größ
      {"\xC3", "_xC3"},                      // not UTF-8
      {"", "_"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    EXPECT_EQ(SanitizedName(c.name), c.sanitized);
  }
}

}  // namespace
}  // namespace strandline::format::avro
