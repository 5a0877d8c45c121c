#include "strandline/table/schema/type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using strandline::testing::Fails;
using ::testing::HasSubstr;

TEST(Type, IsSpelledAsTheSpecificationDoes) {
  constexpr std::string_view kSpellings[] = {
      "boolean", "int",  "long",      "float",       "double",       "decimal(9, 2)",
      "date",    "time", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns",
      "string",  "uuid", "fixed[16]", "binary"};
  for (const std::string_view text : kSpellings) {
    SCOPED_TRACE(text);
    SL_ASSERT_OK_AND_ASSIGN(const Type type, ParsePrimitiveType(text));
    EXPECT_EQ(ToString(type), text);
  }
}

TEST(Type, IgnoresSpacesBetweenParameters) {
  EXPECT_EQ(*ParsePrimitiveType("decimal(38,10)"), DecimalType(38, 10));
  EXPECT_EQ(*ParsePrimitiveType("decimal( 38 , 0 )"), DecimalType(38, 0));
  EXPECT_EQ(*ParsePrimitiveType("fixed[ 3 ]"), FixedType(3));
}

TEST(Type, RefusesWhatIsNoType) {
  constexpr std::string_view kTexts[] = {"",
                                         "INT",
                                         "integer",
                                         "decimal",
                                         "decimal()",
                                         "decimal(9)",
                                         "decimal(,)",
                                         "decimal(0,0)",
                                         "decimal(39,0)",
                                         "decimal(9,10)",
                                         "decimal(9,-1)",
                                         "decimal(9,2",
                                         "fixed[]",
                                         "fixed[0]",
                                         "fixed[-1]",
                                         "fixed(16)",
                                         "fixed[99999999999]",
                                         "struct"};
  for (const std::string_view text : kTexts) {
    EXPECT_THAT(ParsePrimitiveType(text),
                Fails(ErrorKind::kInvalidArgument, HasSubstr(std::string(text))));
  }
}

TEST(Type, NamesWhatOnlyVersion3Has) {
  for (const std::string_view text : {"variant", "geometry(EPSG:3857)", "geography", "unknown"}) {
    EXPECT_THAT(ParsePrimitiveType(text),
                Fails(ErrorKind::kUnsupported, HasSubstr(std::string(text))));
  }
}

TEST(Type, ShowsNestedTypes) {
  const Type type = MapType(
      FieldId(1), PrimitiveType(TypeId::kString), FieldId(2),
      ListType(FieldId(3),
               StructType({{.id = FieldId(4), .name = "a", .type = DecimalType(9, 2)},
                           {.id = FieldId(5), .name = "b", .type = PrimitiveType(TypeId::kInt)}}),
               true),
      false);

  EXPECT_EQ(ToString(type), "map<string, list<struct<a: decimal(9, 2), b: int>>>");
  EXPECT_EQ(ToString(StructType({})), "struct<>");
}

TEST(Type, WidensOnlyWhereNothingIsLost) {
  struct Case {
    std::string_view from;
    std::string_view to;
    bool can;
  };
  constexpr Case kCases[] = {
      {"int", "int", true},
      {"int", "long", true},
      {"float", "double", true},
      {"decimal(9, 2)", "decimal(18, 2)", true},
      {"decimal(9, 2)", "decimal(18, 3)", false},
      {"decimal(18, 2)", "decimal(9, 2)", false},
      {"long", "int", false},
      {"int", "double", false},
      {"date", "timestamp", false},
      {"timestamp", "timestamptz", false},
      {"fixed[2]", "fixed[3]", false},
      {"string", "binary", false},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(fmt::format("{} to {}", c.from, c.to));
    EXPECT_EQ(CanPromote(*ParsePrimitiveType(c.from), *ParsePrimitiveType(c.to)), c.can);
  }
}

}  // namespace
}  // namespace strandline::table
