#include "strandline/table/scan/expression.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::HasSubstr;

NestedField Field(std::int32_t id, std::string name, Type type) {
  NestedField field;
  field.id = FieldId(id);
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

Schema AdSchema() {
  Schema schema;
  schema.fields = {
      Field(1, "event_time", PrimitiveType(TypeId::kTimestamptz)),
      Field(2, "country", PrimitiveType(TypeId::kString)),
      Field(3, "clicks", PrimitiveType(TypeId::kLong)),
      Field(4, "price", PrimitiveType(TypeId::kDouble)),
      Field(5, "device",
            StructType({Field(6, "os", PrimitiveType(TypeId::kString)),
                        Field(7, "a.b", PrimitiveType(TypeId::kInt))})),
      Field(8, "tags", ListType(FieldId(9), PrimitiveType(TypeId::kString), false)),
      Field(10, "device.os", PrimitiveType(TypeId::kInt)),
  };
  return schema;
}

TEST(Expression, ReadsLikeSql) {
  const Expression expression =
      And({Predicate(ExpressionKind::kGreaterOrEqual, "event_time",
                     {Value(std::int64_t{1'796'014'800'000'000})}),
           Or({Predicate(ExpressionKind::kIn, "country",
                         {Value(std::string("DE")), Value(std::string("FR"))}),
               Not(Predicate(ExpressionKind::kIsNull, "clicks"))})});

  EXPECT_EQ(ToString(expression, AdSchema()),
            "event_time >= 2026-11-30T05:00Z and (country in (DE, FR) or not (clicks is null))");
}

TEST(Expression, ShowsOnlyTheFirstOfManyLiterals) {
  std::vector<Value> literals;
  for (std::int64_t i = 0; i < 1'000; ++i) {
    literals.emplace_back(i);
  }

  const std::string text = ToString(Predicate(ExpressionKind::kIn, "clicks", literals), AdSchema());

  EXPECT_THAT(text, HasSubstr("19, ... 980 more)"));
}

TEST(Expression, ChecksColumnsAndLiterals) {
  const Value text(std::string("x"));
  const Value number(std::int64_t{1});
  struct Case {
    const char* name;
    Expression expression;
    const char* error;  // Null: it is fine.
  };
  const std::vector<Case> cases = {
      {"a long for a long", Predicate(ExpressionKind::kLess, "clicks", {number}), nullptr},
      {"an int widens to a long",
       Predicate(ExpressionKind::kLess, "clicks", {Value(std::int32_t{1})}), nullptr},
      {"a float widens to a double", Predicate(ExpressionKind::kLess, "price", {Value(1.5F)}),
       nullptr},
      {"text for a long", Predicate(ExpressionKind::kLess, "clicks", {text}), "column clicks"},
      {"a null literal", Predicate(ExpressionKind::kEqual, "clicks", {Value()}),
       "the literal is null"},
      {"an unknown column", Predicate(ExpressionKind::kIsNull, "clikcs"), "clikcs"},
      {"no literal", Predicate(ExpressionKind::kLess, "clicks"), "expected 1, found 0"},
      {"a literal too many", Predicate(ExpressionKind::kIsNull, "clicks", {number}),
       "expected 0, found 1"},
      {"an empty list", Predicate(ExpressionKind::kIn, "clicks"), nullptr},
      {"is a struct null", Predicate(ExpressionKind::kIsNull, "device"), nullptr},
      {"is a list null", Predicate(ExpressionKind::kNotNull, "tags"), nullptr},
      {"a list compared", Predicate(ExpressionKind::kEqual, "tags", {text}), "list<string>"},
      {"an element of a list", Predicate(ExpressionKind::kEqual, "tags.element", {text}),
       "tags.element"},
      {"a struct's field with a dot in its name",
       Predicate(ExpressionKind::kEqual, "device.a.b", {Value(std::int32_t{1})}), nullptr},
      {"a column with a dot in its name wins over a struct's field",
       Predicate(ExpressionKind::kEqual, "device.os", {Value(std::int32_t{1})}), nullptr},
      {"NaN of a long", Predicate(ExpressionKind::kIsNan, "clicks"), "NaN"},
      {"a prefix of a number", Predicate(ExpressionKind::kStartsWith, "clicks", {number}),
       "prefix"},
      {"a mistake deep inside",
       Not(And({AlwaysTrue(), Or({Predicate(ExpressionKind::kIsNull, "nope")})})), "nope"},
      {"a negation of nothing",
       Expression{.kind = ExpressionKind::kNot, .children = {}, .column = {}, .literals = {}},
       "found 0"},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Status checked = CheckExpression(c.expression, AdSchema());
    if (c.error == nullptr) {
      EXPECT_THAT(checked, IsOk());
    } else {
      EXPECT_THAT(checked, Fails(ErrorKind::kInvalidArgument, HasSubstr(c.error)));
    }
  }
}

}  // namespace
}  // namespace strandline::table
