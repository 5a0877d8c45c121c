#include "strandline/table/schema/value.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using std::string_literals::operator""s;
using strandline::testing::Fails;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Type Parse(std::string_view type) { return ParsePrimitiveType(type).value(); }

Int128 Power10(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) {
    power *= 10;
  }
  return power;
}

struct SerializedCase {
  std::string_view type;
  Value value;
  std::string bytes;
};

// Cases C075 and C077: the width of each type, decimals in their shortest form.
std::vector<SerializedCase> SerializedCases() {
  return {
      {"boolean", false, "\x00"s},
      {"boolean", true, "\x01"s},
      {"int", 1, "\x01\x00\x00\x00"s},
      {"int", -2, "\xfe\xff\xff\xff"s},
      {"int", std::numeric_limits<std::int32_t>::min(), "\x00\x00\x00\x80"s},
      {"long", std::int64_t{1}, "\x01\x00\x00\x00\x00\x00\x00\x00"s},
      {"long", std::numeric_limits<std::int64_t>::min(), "\x00\x00\x00\x00\x00\x00\x00\x80"s},
      {"float", 1.0F, "\x00\x00\x80\x3f"s},
      {"float", -0.0F, "\x00\x00\x00\x80"s},
      {"double", 1.0, "\x00\x00\x00\x00\x00\x00\xf0\x3f"s},
      {"date", -1, "\xff\xff\xff\xff"s},
      {"time", std::int64_t{256}, "\x00\x01\x00\x00\x00\x00\x00\x00"s},
      {"timestamp", std::int64_t{-1}, "\xff\xff\xff\xff\xff\xff\xff\xff"s},
      {"timestamptz", std::int64_t{1}, "\x01\x00\x00\x00\x00\x00\x00\x00"s},
      {"timestamp_ns", std::int64_t{1}, "\x01\x00\x00\x00\x00\x00\x00\x00"s},
      {"timestamptz_ns", std::int64_t{1}, "\x01\x00\x00\x00\x00\x00\x00\x00"s},
      {"decimal(9, 2)", Int128{0}, "\x00"s},
      {"decimal(9, 2)", Int128{1420}, "\x05\x8c"s},
      {"decimal(9, 2)", Int128{127}, "\x7f"s},
      {"decimal(9, 2)", Int128{128}, "\x00\x80"s},
      {"decimal(9, 2)", Int128{-1}, "\xff"s},
      {"decimal(9, 2)", Int128{-128}, "\x80"s},
      {"decimal(9, 2)", Int128{-129}, "\xff\x7f"s},
      {"decimal(38, 0)", Power10(38) - 1,
       "\x4b\x3b\x4c\xa8\x5a\x86\xc4\x7a\x09\x8a\x22\x3f\xff\xff\xff\xff"s},
      {"decimal(38, 0)", 1 - Power10(38),
       "\xb4\xc4\xb3\x57\xa5\x79\x3b\x85\xf6\x75\xdd\xc0\x00\x00\x00\x01"s},
      {"string", ""s, ""s},
      {"string", "é"s, "\xc3\xa9"s},
      {"uuid", Bytes{"0123456789abcdef"}, "0123456789abcdef"s},
      {"fixed[3]", Bytes{"\x00\xff\x01"s}, "\x00\xff\x01"s},
      {"binary", Bytes{"\x00\xff"s}, "\x00\xff"s},
  };
}

TEST(Value, IsSerializedAsAppendixDSays) {
  for (const SerializedCase& c : SerializedCases()) {
    SCOPED_TRACE(fmt::format("{} {}", c.type, ValueText(Parse(c.type), c.value)));
    EXPECT_EQ(SerializeValue(Parse(c.type), c.value), c.bytes);
    SL_ASSERT_OK_AND_ASSIGN(const Value read, DeserializeValue(Parse(c.type), c.bytes));
    EXPECT_EQ(read.index(), c.value.index());
    EXPECT_EQ(read, c.value);
  }
}

TEST(Value, IsReadWhereTheMeaningIsCertain) {
  const std::vector<SerializedCase> cases = {
      {"int", -2, "\xfe\xff\xff\xff\xff\xff\xff\xff"s},
      {"date", 1, "\x01\x00\x00\x00\x00\x00\x00\x00"s},
      {"long", std::int64_t{-2}, "\xfe\xff\xff\xff"s},
      {"double", 1.0, "\x00\x00\x80\x3f"s},
      {"decimal(9, 2)", Int128{1}, "\x00\x00\x00\x01"s},
      {"decimal(9, 2)", Int128{-1}, std::string(20, '\xff')},
      {"decimal(9, 2)", Int128{5}, std::string(20, '\0') + "\x05"},
      {"boolean", true, "\x02"s},
      {"fixed[3]", Bytes{"ab"}, "ab"s},
      {"string", "\xc3"s, "\xc3"s},
  };
  for (const SerializedCase& c : cases) {
    SCOPED_TRACE(fmt::format("{} from {} bytes", c.type, c.bytes.size()));
    SL_ASSERT_OK_AND_ASSIGN(const Value read, DeserializeValue(Parse(c.type), c.bytes));
    EXPECT_EQ(read, c.value);
  }
}

TEST(Value, IsRefusedWhereTheMeaningIsNot) {
  struct Case {
    std::string_view type;
    std::string bytes;
  };
  const Case cases[] = {
      {"boolean", ""s},
      {"boolean", "\x01\x01"s},
      {"int", "\x01"s},
      {"int", "\x00\x00\x00\x00\x01\x00\x00\x00"s},
      {"long", "123"s},
      {"timestamp", "1234"s},
      {"float", "12345678"s},
      {"double", "123"s},
      {"decimal(9, 2)", ""s},
      {"decimal(38, 0)", "\x01"s + std::string(16, '\0')},
      {"decimal(38, 0)", std::string(1, '\0') + std::string(16, '\xff')},
      {"decimal(38, 0)", std::string(1, '\xff') + std::string(16, '\0')},
      {"uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7"s},
      {"fixed[3]", "abcd"s},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(fmt::format("{} from {} bytes", c.type, c.bytes.size()));
    EXPECT_THAT(DeserializeValue(Parse(c.type), c.bytes),
                Fails(ErrorKind::kCorrupt, HasSubstr(std::string(c.type))));
  }
  EXPECT_THAT(DeserializeValue(StructType({}), "x"),
              Fails(ErrorKind::kCorrupt, HasSubstr("struct")));
}

// Deterministic bytes of every length: nothing crashes, and what is read is written back in short
// form.
TEST(Value, SurvivesAnyBytes) {
  std::uint32_t state = 1;
  for (int round = 0; round < 5000; ++round) {
    std::string bytes(static_cast<std::size_t>(round % 24), '\0');
    for (char& byte : bytes) {
      state = state * 1664525 + 1013904223;
      byte = static_cast<char>(state >> 24U);
    }
    for (const SerializedCase& c : SerializedCases()) {
      const Type type = Parse(c.type);
      const Result<Value> value = DeserializeValue(type, bytes);
      if (value && !IsNan(*value)) {
        const Result<Value> again = DeserializeValue(type, SerializeValue(type, *value));
        ASSERT_TRUE(again && *again == *value) << c.type << " round " << round;
      }
    }
  }
}

TEST(CompareValues, PutsEveryTypeInOrder) {
  const std::vector<std::vector<Value>> rising = {
      {false, true},
      {std::numeric_limits<std::int32_t>::min(), -1, 0, 1},
      {std::int64_t{-1}, std::int64_t{0}, std::numeric_limits<std::int64_t>::max()},
      {-std::numeric_limits<float>::infinity(), -0.0F, 0.0F, 1.0F,
       std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()},
      {-kInfinity, -1.0, -0.0, 0.0, std::numeric_limits<double>::denorm_min(), 1.0, kInfinity,
       kNan},
      {-Power10(30), Int128{-1}, Int128{0}, Power10(30)},
      {""s, "a"s, "aa"s, "b"s, "é"s, "😎"s},
      {Bytes{""}, Bytes{"\x00"s}, Bytes{"\x01"}, Bytes{"\x7f"}, Bytes{"\x80"}, Bytes{"\xff"}},
  };
  for (const std::vector<Value>& values : rising) {
    for (std::size_t a = 0; a < values.size(); ++a) {
      for (std::size_t b = 0; b < values.size(); ++b) {
        SCOPED_TRACE(fmt::format("alternative {}: {} and {}", values[a].index(), a, b));
        EXPECT_EQ(CompareValues(values[a], values[b]), a <=> b);
      }
    }
  }
}

TEST(CompareValues, HoldsAllNansEqual) {
  EXPECT_EQ(CompareValues(kNan, -kNan), std::strong_ordering::equal);
  EXPECT_TRUE(IsNan(kNan));
  EXPECT_TRUE(IsNan(std::numeric_limits<float>::quiet_NaN()));
  EXPECT_FALSE(IsNan(kInfinity));
  EXPECT_FALSE(IsNan(Value()));
  EXPECT_FALSE(IsNan("NaN"s));
}

struct TextCase {
  std::string_view type;
  Value value;
  std::string_view text;
};

std::vector<TextCase> TextCases() {
  constexpr std::int64_t kHour = std::int64_t{3'600'000'000};
  return {
      {"boolean", true, "true"},
      {"int", -5, "-5"},
      {"long", std::numeric_limits<std::int64_t>::min(), "-9223372036854775808"},
      {"float", 0.1F, "0.1"},
      {"double", 1e300, "1e+300"},
      {"double", -kInfinity, "-inf"},
      {"decimal(9, 2)", Int128{1250}, "12.50"},
      {"decimal(9, 2)", Int128{-5}, "-0.05"},
      {"decimal(9, 0)", Int128{7}, "7"},
      {"decimal(38, 38)", 1 - Power10(38), "-0.99999999999999999999999999999999999999"},
      {"date", 20787, "2026-11-30"},
      {"date", -1, "1969-12-31"},
      {"time", 5 * kHour, "05:00"},
      {"time", 24 * kHour - 1, "23:59:59.999999"},
      {"timestamp", std::int64_t{20787} * 24 * kHour + 5 * kHour, "2026-11-30T05:00"},
      {"timestamptz", std::int64_t{20787} * 24 * kHour + 5 * kHour, "2026-11-30T05:00Z"},
      {"timestamptz", std::int64_t{-1}, "1969-12-31T23:59:59.999999Z"},
      {"timestamptz", std::int64_t{1'000'000}, "1970-01-01T00:00:01Z"},
      {"timestamptz_ns", std::int64_t{-1000}, "1969-12-31T23:59:59.999999000Z"},
      {"string", "a b"s, "a b"},
      {"uuid", Bytes{"\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7\x85\xe7"},
       "f79c3e09-677c-4bbd-a479-3f349cb785e7"},
      {"fixed[2]", Bytes{"\x00\xff"s}, "00ff"},
      {"binary", Bytes{""}, ""},
  };
}

TEST(ValueText, IsReadBackByParseValue) {
  for (const TextCase& c : TextCases()) {
    SCOPED_TRACE(fmt::format("{} {}", c.type, c.text));
    EXPECT_EQ(ValueText(Parse(c.type), c.value), c.text);
    if (c.type != "timestamptz_ns") {  // Written with more digits than people type.
      SL_ASSERT_OK_AND_ASSIGN(const Value value, ParseValue(Parse(c.type), c.text));
      EXPECT_EQ(value, c.value);
    }
  }
}

TEST(ValueText, ShowsWhatHasNoOtherForm) {
  EXPECT_EQ(ValueText(Parse("int"), Value()), "null");
  EXPECT_EQ(ValueText(Parse("double"), kNan), "NaN");
  EXPECT_EQ(ValueText(Parse("date"), "not a date"s), "not a date");
  EXPECT_EQ(ValueText(PrimitiveType(TypeId::kUnknown), 5), "5");
  EXPECT_EQ(ValueText(Parse("uuid"), Bytes{"\x01"}), "01");
}

TEST(ValueText, KnowsYearsFarBeyondOurs) {
  EXPECT_EQ(ValueText(Parse("timestamptz"), std::numeric_limits<std::int64_t>::max()),
            "294247-01-10T04:00:54.775807Z");
  EXPECT_EQ(ValueText(Parse("timestamptz"), std::numeric_limits<std::int64_t>::min()),
            "-290308-12-21T19:59:05.224192Z");
  EXPECT_EQ(ValueText(Parse("date"), -719'528), "0000-01-01");
  EXPECT_EQ(ValueText(Parse("date"), 2'932'896), "9999-12-31");
}

TEST(ParseValue, TakesWhatPeopleWrite) {
  const std::vector<TextCase> cases = {
      {"boolean", false, "FALSE"},
      {"int", 5, "+5"},
      {"double", 5.0, "5"},
      {"double", kInfinity, "Infinity"},
      {"decimal(9, 2)", Int128{1250}, "+12.5"},
      {"decimal(9, 2)", Int128{1250}, "0012.5000"},
      {"decimal(9, 2)", Int128{-50}, "-.5"},
      {"decimal(9, 2)", Int128{500}, "5."},
      {"decimal(3, 2)", Int128{0}, "0"},
      {"timestamp", std::int64_t{0}, "1970-01-01"},
      {"timestamp", std::int64_t{1'500'000}, "1970-01-01 00:00:01.5"},
      {"timestamptz", std::int64_t{0}, "1970-01-01 01:00:00+01:00"},
      {"timestamptz", std::int64_t{0}, "1970-01-01 00:00:00+00"},
      {"timestamp_ns", std::int64_t{1'000'000'000}, "1970-01-01T00:00:01"},
      {"string", "null"s, "null"},
      {"uuid", Bytes{"\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7\x85\xe7"},
       "F79C3E09-677C-4BBD-A479-3F349CB785E7"},
      {"binary", Bytes{"\xab"}, "0xAB"},
  };
  for (const TextCase& c : cases) {
    SCOPED_TRACE(fmt::format("{} {}", c.type, c.text));
    SL_ASSERT_OK_AND_ASSIGN(const Value value, ParseValue(Parse(c.type), c.text));
    EXPECT_EQ(value, c.value);
  }
}

TEST(ParseValue, RefusesEverythingElse) {
  struct Case {
    std::string_view type;
    std::string_view text;
  };
  constexpr Case kCases[] = {
      {"boolean", "yes"},
      {"boolean", ""},
      {"int", ""},
      {"int", "2147483648"},
      {"int", "1.0"},
      {"int", " 1"},
      {"int", "+-1"},
      {"long", "9223372036854775808"},
      {"float", "1e99"},
      {"double", "1x"},
      {"decimal(9, 2)", "1.234"},
      {"decimal(3, 2)", "10"},
      {"decimal(9, 2)", "."},
      {"decimal(9, 2)", ""},
      {"decimal(9, 2)", "1e3"},
      {"decimal(9, 2)", "--1"},
      {"decimal(38, 0)", "100000000000000000000000000000000000000"},
      {"date", "2026-02-30"},
      {"date", "2026-11-30T05Z"},
      {"time", "24:00"},
      {"time", ""},
      {"timestamp", "2026-11-30T05:00Z"},
      {"timestamptz", "2026-11-30T05:00"},
      {"timestamp_ns", "9999-01-01"},
      {"uuid", "f79c3e09677c4bbda4793f349cb785e7"},
      {"uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e"},
      {"fixed[2]", "00"},
      {"binary", "0"},
      {"binary", "zz"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(fmt::format("{} {}", c.type, c.text));
    EXPECT_THAT(ParseValue(Parse(c.type), c.text),
                Fails(ErrorKind::kInvalidArgument, HasSubstr(std::string(c.text))));
  }
}

}  // namespace
}  // namespace strandline::table
