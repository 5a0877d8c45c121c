#include "strandline/table/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using strandline::testing::Fails;
using strandline::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNull;
using ::testing::NotNull;

const Type kLongType = PrimitiveType(TypeId::kLong);
const Type kStringType = PrimitiveType(TypeId::kString);

NestedField Field(std::int32_t id, std::string name, Type type, bool required = false) {
  return {
      .id = FieldId(id), .name = std::move(name), .type = std::move(type), .required = required};
}

// id, `a.b`, a{b, c}, tags [string], prices {string: {amount}}
Schema NestedSchema() {
  return {
      .id = SchemaId(0),
      .fields = {Field(1, "id", kLongType, true), Field(2, "a.b", kStringType),
                 Field(3, "a", StructType({Field(4, "b", kLongType), Field(5, "c.d", kLongType)})),
                 Field(6, "tags", ListType(FieldId(7), kStringType, true)),
                 Field(8, "prices",
                       MapType(FieldId(9), kStringType, FieldId(10),
                               StructType({Field(11, "amount", kLongType)}), false))},
      .identifier_field_ids = {FieldId(1)}};
}

TEST(Schema, FindsFieldsAtAnyDepth) {
  const Schema schema = NestedSchema();

  EXPECT_EQ(FindField(schema, FieldId(11))->name, "amount");
  EXPECT_EQ(FindField(schema, FieldId(7))->name, "element");
  EXPECT_THAT(FindField(schema, FieldId(12)), IsNull());
  EXPECT_EQ(FindColumn(schema, "a.b")->id, FieldId(2));
  EXPECT_THAT(FindColumn(schema, "A"), IsNull());
  EXPECT_THAT(FindColumn(schema, "b"), IsNull());
  EXPECT_EQ(HighestFieldId(schema), FieldId(11));
  EXPECT_EQ(HighestFieldId(Schema()), FieldId(0));
}

TEST(Schema, FindsFieldsByPath) {
  struct Case {
    std::string_view path;
    std::int32_t id;  // 0: none
  };
  constexpr Case kCases[] = {{"id", 1},
                             {"a.b", 2},
                             {"a", 3},
                             {"a.c.d", 5},
                             {"tags.element", 7},
                             {"prices.key", 9},
                             {"prices.value", 10},
                             {"prices.value.amount", 11},
                             {"", 0},
                             {"a.", 0},
                             {".a", 0},
                             {"a.c", 0},
                             {"tags.x", 0},
                             {"prices.amount", 0},
                             {"id.x", 0}};
  const Schema schema = NestedSchema();
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.path);
    const NestedField* const field = FindFieldByPath(schema, c.path);
    EXPECT_EQ(field == nullptr ? 0 : field->id.value(), c.id);
  }
}

TEST(Schema, SpellsPaths) {
  const Schema schema = NestedSchema();

  EXPECT_EQ(FieldPath(schema, FieldId(11)), "prices.value.amount");
  EXPECT_EQ(FieldPath(schema, FieldId(4)), "a.b");
  EXPECT_EQ(FieldPath(schema, FieldId(1)), "id");
  EXPECT_EQ(FieldPath(schema, FieldId(99)), "");
}

TEST(Schema, NumbersALevelBeforeItsChildren) {
  const Schema fresh = AssignFreshIds(NestedSchema(), FieldId(1));

  EXPECT_EQ(FindFieldByPath(fresh, "id")->id, FieldId(1));
  EXPECT_EQ(FindFieldByPath(fresh, "prices")->id, FieldId(5));
  EXPECT_EQ(FindFieldByPath(fresh, "a")->type.fields.at(0).id, FieldId(6));
  EXPECT_EQ(FindFieldByPath(fresh, "tags.element")->id, FieldId(8));
  EXPECT_EQ(FindFieldByPath(fresh, "prices.key")->id, FieldId(9));
  EXPECT_EQ(FindFieldByPath(fresh, "prices.value")->id, FieldId(10));
  EXPECT_EQ(FindFieldByPath(fresh, "prices.value.amount")->id, FieldId(11));
  EXPECT_THAT(fresh.identifier_field_ids, ElementsAre(FieldId(1)));
}

TEST(Schema, KeepsIdentifierFieldsWhenItIsNumberedAnew) {
  Schema schema;
  schema.fields = {Field(7, "x", kLongType), Field(3, "y", kLongType, true)};
  schema.identifier_field_ids = {FieldId(3)};

  const Schema fresh = AssignFreshIds(schema, FieldId(100));

  EXPECT_THAT(fresh.identifier_field_ids, ElementsAre(FieldId(101)));
}

TEST(NameMapping, NamesEveryFieldAndSurvivesJson) {
  const std::string json = NameMappingJson(DefaultNameMapping(NestedSchema()));

  EXPECT_EQ(
      json,
      R"([{"field-id":1,"names":["id"]},{"field-id":2,"names":["a.b"]},)"
      R"({"field-id":3,"fields":[{"field-id":4,"names":["b"]},{"field-id":5,"names":["c.d"]}],"names":["a"]},)"
      R"({"field-id":6,"fields":[{"field-id":7,"names":["element"]}],"names":["tags"]},)"
      R"({"field-id":8,"fields":[{"field-id":9,"names":["key"]},{"field-id":10,"fields":)"
      R"([{"field-id":11,"names":["amount"]}],"names":["value"]}],"names":["prices"]}])");
  SL_ASSERT_OK_AND_ASSIGN(const NameMapping mapping, ParseNameMapping(json));
  EXPECT_EQ(NameMappingJson(mapping), json);
}

TEST(NameMapping, TakesFieldsWithoutAnIdAndWithSeveralNames) {
  SL_ASSERT_OK_AND_ASSIGN(const NameMapping mapping,
                          ParseNameMapping(R"([{"names":["x","y"]},{"field-id":2,"names":[]}])"));

  EXPECT_EQ(mapping.entries.at(0).field_id, std::nullopt);
  EXPECT_THAT(mapping.entries.at(0).names, ElementsAre("x", "y"));
  EXPECT_EQ(mapping.entries.at(1).field_id, FieldId(2));
}

TEST(NameMapping, RefusesWhatIsNone) {
  for (const std::string_view json :
       {"", "{}", "[1]", R"([{"field-id":1}])", R"([{"names":"x"}])", R"([{"names":[1]}])",
        R"([{"names":["x"],"field-id":"1"}])", R"([{"names":["x"],"fields":{}}])"}) {
    SCOPED_TRACE(json);
    EXPECT_THAT(ParseNameMapping(json), Fails(ErrorKind::kCorrupt, HasSubstr("name mapping")));
  }
}

TEST(NameMapping, RefusesEndlessNesting) {
  std::string json;
  for (int i = 0; i < 100'000; ++i) {
    json += R"([{"names":["x"],"fields":)";
  }

  EXPECT_THAT(ParseNameMapping(json), Fails(ErrorKind::kCorrupt, HasSubstr("levels deep")));
}

}  // namespace
}  // namespace strandline::table
