#include "strandline/table/partition/transform.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/table/partition/murmur3.h"
#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using std::string_literals::operator""s;
using strandline::testing::Fails;
using ::testing::HasSubstr;

constexpr std::int64_t kHour = std::int64_t{3'600'000'000};
constexpr std::int64_t kDay = 24 * kHour;

Type TypeOf(std::string_view type) { return ParsePrimitiveType(type).value(); }
Value Literal(std::string_view type, std::string_view text) {
  return ParseValue(TypeOf(type), text).value();
}

TEST(Transform, IsSpelledAsTheSpecificationDoes) {
  for (const std::string_view text : {"identity", "bucket[16]", "truncate[10]", "year", "month",
                                      "day", "hour", "void", "zorder(a,b)", "bucket", ""}) {
    SCOPED_TRACE(text);
    if (text == "bucket") {
      continue;
    }
    SL_ASSERT_OK_AND_ASSIGN(const Transform transform, ParseTransform(text));
    EXPECT_EQ(ToString(transform), text);
  }
  EXPECT_EQ(ParseTransform("zorder(a,b)")->kind, TransformKind::kUnknown);
  EXPECT_EQ(ParseTransform("bucket[16]")->parameter, 16);
}

TEST(Transform, RefusesMalformedParameters) {
  for (const std::string_view text :
       {"bucket", "bucket[]", "bucket[0]", "bucket[-1]", "bucket[x]", "bucket[1", "bucket[1]x",
        "bucket[99999999999]", "truncate[1.5]", "hour[1]"}) {
    EXPECT_THAT(ParseTransform(text),
                Fails(ErrorKind::kInvalidArgument, HasSubstr(std::string(text))));
  }
}

TEST(Transform, KnowsItsResultTypeAndItsSources) {
  struct Case {
    std::string_view transform;
    std::string_view source;
    std::string_view result;  // Empty: cannot be applied.
  };
  constexpr Case kCases[] = {
      {"identity", "decimal(9, 2)", "decimal(9, 2)"},
      {"identity", "double", "double"},
      {"bucket[4]", "uuid", "int"},
      {"bucket[4]", "decimal(9, 2)", "int"},
      {"bucket[4]", "timestamptz", "int"},
      {"bucket[4]", "boolean", ""},
      {"bucket[4]", "float", ""},
      {"bucket[4]", "double", ""},
      {"truncate[4]", "string", "string"},
      {"truncate[4]", "binary", "binary"},
      {"truncate[4]", "decimal(9, 2)", "decimal(9, 2)"},
      {"truncate[4]", "date", ""},
      {"truncate[4]", "fixed[4]", ""},
      {"year", "date", "int"},
      {"month", "timestamp", "int"},
      {"day", "timestamptz", "date"},
      {"hour", "timestamptz_ns", "int"},
      {"hour", "date", ""},
      {"day", "time", ""},
      {"year", "int", ""},
      {"void", "uuid", "uuid"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(fmt::format("{} of {}", c.transform, c.source));
    const Result<Type> result = TransformResultType(*ParseTransform(c.transform), TypeOf(c.source));
    if (c.result.empty()) {
      EXPECT_THAT(result, Fails(ErrorKind::kInvalidArgument, HasSubstr(std::string(c.source))));
    } else {
      SL_ASSERT_OK_AND_ASSIGN(const Type type, result);
      EXPECT_EQ(ToString(type), c.result);
    }
  }
}

TEST(Transform, CannotDivideNestedColumns) {
  const Type list = ListType(FieldId(2), PrimitiveType(TypeId::kInt), true);

  EXPECT_THAT(TransformResultType(Transform{}, list),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("list<int>")));
}

TEST(Transform, KnowsItsResultTypeWithoutASourceWhereItCan) {
  const Type gone = PrimitiveType(TypeId::kUnknown);

  EXPECT_EQ(TransformResultType(*ParseTransform("hour"), gone)->id, TypeId::kInt);
  EXPECT_EQ(TransformResultType(*ParseTransform("day"), gone)->id, TypeId::kDate);
  EXPECT_EQ(TransformResultType(*ParseTransform("bucket[4]"), gone)->id, TypeId::kInt);
  EXPECT_EQ(TransformResultType(*ParseTransform("identity"), gone)->id, TypeId::kUnknown);
  EXPECT_EQ(TransformResultType(*ParseTransform("zorder"), TypeOf("int"))->id, TypeId::kUnknown);
}

// Case C062: the specification's test values.
// https://iceberg.apache.org/spec/#appendix-b-32-bit-hash-requirements
TEST(BucketHash, GivesTheValuesOfAppendixB) {
  struct Case {
    std::string_view type;
    Value value;
    std::int32_t hash;
  };
  const Case cases[] = {
      {"int", 34, 2017239379},
      {"long", std::int64_t{34}, 2017239379},
      {"decimal(9, 2)", Literal("decimal(9, 2)", "14.20"), -500754589},
      {"date", Literal("date", "2017-11-16"), -653330422},
      {"time", Literal("time", "22:31:08"), -662762989},
      {"timestamp", Literal("timestamp", "2017-11-16T22:31:08"), -2047944441},
      {"timestamp", Literal("timestamp", "2017-11-16T22:31:08.000001"), -1207196810},
      {"timestamptz", Literal("timestamptz", "2017-11-16T14:31:08-08:00"), -2047944441},
      {"timestamptz", Literal("timestamptz", "2017-11-16T14:31:08.000001-08:00"), -1207196810},
      {"timestamp_ns", Literal("timestamp_ns", "2017-11-16T22:31:08"), -2047944441},
      {"timestamptz_ns", std::int64_t{1'510'871'468'000'001'001}, -1207196810},
      {"string", "iceberg"s, 1210000089},
      {"uuid", Literal("uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7"), 1488055340},
      {"fixed[4]", Bytes{"\x00\x01\x02\x03"s}, -188683207},
      {"binary", Bytes{"\x00\x01\x02\x03"s}, -188683207},
      {"boolean", true, 1392991556},
      {"float", 1.0F, -142385009},
      {"double", 1.0, -142385009},
      {"float", -0.0F, 1669671676},
      {"double", 0.0, 1669671676},
      {"double", -0.0, 1669671676},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(fmt::format("{} {}", c.type, ValueText(TypeOf(c.type), c.value)));
    EXPECT_EQ(BucketHash(TypeOf(c.type), c.value), c.hash);
  }
}

// The reference implementation's own values, for every number of bytes left over.
TEST(Murmur3, IsTheReferenceAlgorithm) {
  EXPECT_EQ(Murmur3(""), 0U);
  EXPECT_EQ(Murmur3("a"), 0x3c2569b2U);
  EXPECT_EQ(Murmur3("ab"), 0x9bbfd75fU);
  EXPECT_EQ(Murmur3("abc"), 0xb3dd93faU);
  EXPECT_EQ(Murmur3("abcd"), 0x43ed676aU);
  EXPECT_EQ(Murmur3("\xff\xff\xff\xff"), 0x76293b50U);
}

struct Case {
  std::string_view transform;
  std::string_view type;
  Value value;
  Value expected;
};

void ExpectTransformed(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(
        fmt::format("{} of {} {}", c.transform, c.type, ValueText(TypeOf(c.type), c.value)));
    SL_ASSERT_OK_AND_ASSIGN(const Value value,
                            ApplyTransform(*ParseTransform(c.transform), TypeOf(c.type), c.value));
    EXPECT_EQ(value, c.expected);
  }
}

TEST(ApplyTransform, HashesIntoBuckets) {
  ExpectTransformed({
      {"bucket[16]", "int", 34, 2017239379 % 16},
      {"bucket[16]", "string", "iceberg"s, 1210000089 % 16},
      // Hashes can be negative: the sign bit is dropped, not the sign.
      {"bucket[100]", "date", Literal("date", "2017-11-16"), (-653330422 & 0x7fffffff) % 100},
      {"bucket[1]", "uuid", Literal("uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7"), 0},
  });
}

// Case C060.
TEST(ApplyTransform, TruncatesDownwards) {
  ExpectTransformed({
      {"truncate[10]", "int", 9, 0},
      {"truncate[10]", "int", 0, 0},
      {"truncate[10]", "int", -1, -10},
      {"truncate[10]", "int", -10, -10},
      {"truncate[10]", "int", -11, -20},
      {"truncate[10]", "int", std::numeric_limits<std::int32_t>::max(), 2147483640},
      {"truncate[10]", "long", std::int64_t{-1}, std::int64_t{-10}},
      {"truncate[50]", "decimal(9, 2)", Literal("decimal(9, 2)", "10.65"),
       Literal("decimal(9, 2)", "10.50")},
      {"truncate[10]", "decimal(9, 2)", Literal("decimal(9, 2)", "-0.05"),
       Literal("decimal(9, 2)", "-0.10")},
      {"truncate[3]", "string", "iceberg"s, "ice"s},
      {"truncate[9]", "string", "iceberg"s, "iceberg"s},
      {"truncate[2]", "string", "😎é•x"s, "😎é"s},
      {"truncate[3]", "string", ""s, ""s},
      {"truncate[2]", "string", "a\xcc\x81x"s, "a\xcc\x81"s},
      {"truncate[1]", "binary", Bytes{"\xc3\xa9"}, Bytes{"\xc3"}},
      {"truncate[3]", "binary", Bytes{"\x01"}, Bytes{"\x01"}},
  });
}

// Case C057: floors towards minus infinity.
TEST(ApplyTransform, FloorsTimesBefore1970) {
  const std::int64_t late_1969 = -kHour / 2;
  const Value in_1900 = Literal("timestamp", "1900-02-28T12:00");
  ExpectTransformed({
      {"hour", "timestamp", std::int64_t{0}, 0},
      {"hour", "timestamp", late_1969, -1},
      {"hour", "timestamp", std::int64_t{-1}, -1},
      {"hour", "timestamp", -kHour, -1},
      {"hour", "timestamp", -kHour - 1, -2},
      {"day", "timestamptz", std::int64_t{-1}, -1},
      {"day", "timestamptz", -kDay, -1},
      {"day", "timestamptz", -kDay - 1, -2},
      {"day", "date", -5, -5},
      {"month", "timestamp", std::int64_t{-1}, -1},
      {"month", "date", -31, -1},
      {"month", "date", -32, -2},
      {"year", "timestamp", std::int64_t{-1}, -1},
      {"year", "date", -365, -1},
      {"year", "date", -366, -2},
      {"hour", "timestamp_ns", std::int64_t{-1}, -1},
      {"hour", "timestamp", in_1900, -612204},
      {"day", "timestamp", in_1900, -25509},
      {"month", "timestamp", in_1900, -839},
      {"year", "timestamp", in_1900, -70},
  });
}

TEST(ApplyTransform, CountsFrom1970) {
  const Value time = Literal("timestamptz", "2017-12-01T10:12:55.038194Z");
  ExpectTransformed({
      {"hour", "timestamptz", time, 420034},
      {"day", "timestamptz", time, 17501},
      {"month", "timestamptz", time, 575},
      {"year", "timestamptz", time, 47},
      {"month", "date", Literal("date", "2000-02-29"), 361},
      {"identity", "string", "x"s, "x"s},
      {"void", "string", "x"s, Value()},
  });
}

// Case C059: far dates give the exact value or a clean error, never a wrapped one.
TEST(ApplyTransform, ReachesFarDates) {
  const Value last = std::numeric_limits<std::int64_t>::max();
  const Value first = std::numeric_limits<std::int64_t>::min();
  ExpectTransformed({
      {"hour", "timestamp", Literal("timestamp", "0001-01-01"), -17259888},
      {"hour", "timestamp", Literal("timestamp", "9999-12-31T23:59"), 70389527},
      {"year", "timestamp", Literal("timestamp", "0001-01-01"), -1969},
      {"day", "timestamp", last, 106751991},
      {"day", "timestamp", first, -106751992},
      {"year", "timestamp", last, 294247 - 1970},
      {"year", "timestamp", first, -290308 - 1970},
      {"month", "timestamp", last, (294247 - 1970) * 12},
      {"hour", "timestamp_ns", last, 2562047},
      {"year", "date", std::numeric_limits<std::int32_t>::max(), 5881580 - 1970},
  });
  for (const Value& time : {first, last}) {
    EXPECT_THAT(
        ApplyTransform(*ParseTransform("hour"), TypeOf("timestamptz"), time),
        Fails(ErrorKind::kInvalidArgument, HasSubstr("hour of timestamptz leaves its type")));
  }
}

TEST(ApplyTransform, DoesNotWrapWhenTruncating) {
  EXPECT_THAT(ApplyTransform(*ParseTransform("truncate[10]"), TypeOf("int"),
                             std::numeric_limits<std::int32_t>::min()),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("-2147483648")));
  EXPECT_THAT(ApplyTransform(*ParseTransform("truncate[10]"), TypeOf("long"),
                             std::numeric_limits<std::int64_t>::min()),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("-9223372036854775808")));
  EXPECT_THAT(ApplyTransform(*ParseTransform("truncate[10]"), TypeOf("decimal(2, 0)"), Int128{-99}),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("-99")));
}

TEST(ApplyTransform, KeepsNull) {
  for (const std::string_view transform : {"identity", "bucket[4]", "truncate[4]", "void"}) {
    EXPECT_EQ(*ApplyTransform(*ParseTransform(transform), TypeOf("string"), Value()), Value());
  }
  EXPECT_EQ(*ApplyTransform(*ParseTransform("hour"), TypeOf("timestamp"), Value()), Value());
}

TEST(ApplyTransform, RefusesWhatItCannotDo) {
  EXPECT_THAT(ApplyTransform(*ParseTransform("zorder"), TypeOf("int"), 1),
              Fails(ErrorKind::kUnsupported, HasSubstr("zorder")));
  EXPECT_THAT(ApplyTransform(*ParseTransform("hour"), TypeOf("date"), 1),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("hour")));
  EXPECT_THAT(ApplyTransform(*ParseTransform("hour"), TypeOf("timestamp"), "x"s),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("timestamp x")));
}

TEST(PartitionValueText, IsWhatPeopleRead) {
  struct TextCase {
    std::string_view transform;
    std::string_view type;
    Value value;
    std::string_view text;
  };
  const TextCase cases[] = {
      {"hour", "timestamptz", 420034, "2017-12-01-10"},
      {"hour", "timestamptz", -1, "1969-12-31-23"},
      {"day", "timestamptz", 17501, "2017-12-01"},
      {"day", "timestamptz", -1, "1969-12-31"},
      {"month", "date", 575, "2017-12"},
      {"month", "date", -1, "1969-12"},
      {"year", "date", 47, "2017"},
      {"year", "date", -1969, "0001"},
      {"bucket[16]", "string", 3, "3"},
      {"truncate[10]", "decimal(9, 2)", Int128{1050}, "10.50"},
      {"identity", "string", "a/b"s, "a/b"},
      {"identity", "timestamptz", std::int64_t{0}, "1970-01-01T00:00Z"},
      {"hour", "timestamptz", Value(), "null"},
      {"void", "string", Value(), "null"},
      {"zorder", "string", 7, "7"},
  };
  for (const TextCase& c : cases) {
    SCOPED_TRACE(fmt::format("{} {}", c.transform, c.text));
    EXPECT_EQ(PartitionValueText(*ParseTransform(c.transform), TypeOf(c.type), c.value), c.text);
  }
}

}  // namespace
}  // namespace strandline::table
