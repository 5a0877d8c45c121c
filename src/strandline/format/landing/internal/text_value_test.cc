#include "strandline/format/landing/internal/text_value.h"

#include <limits>

#include <arrow/api.h>

#include "tests/support/matchers.h"

namespace strandline::format::landing {
namespace {

using ::testing::Optional;

TEST(IsJsonNumber, FollowsTheGrammar) {
  for (const char* text : {"0", "-0", "12", "1.5", "-1.5e3", "1E+9", "1e-9", "0.0"}) {
    EXPECT_TRUE(IsJsonNumber(text)) << text;
  }
  for (const char* text :
       {"", "-", "+1", "01", "1.", ".5", "1e", "1e+", "NaN", "0x1", "1 ", "1a"}) {
    EXPECT_FALSE(IsJsonNumber(text)) << text;
  }
}

TEST(ParseDecimal, IsExactAndRoundsHalfAwayFromZero) {
  struct Case {
    const char* name;
    const char* text;
    std::int32_t precision;
    std::int32_t scale;
    std::optional<std::int64_t> unscaled;
  };
  const Case cases[] = {
      {"whole", "12", 18, 4, 120000},
      {"fraction", "12.3456", 18, 4, 123456},
      {"negative", "-0.0001", 18, 4, -1},
      {"plus sign", "+1.5", 18, 1, 15},
      {"zero", "0.000", 18, 4, 0},
      {"leading zeros", "000.5", 18, 1, 5},
      {"no whole digits", ".25", 18, 2, 25},
      {"exponent", "1.5e3", 18, 0, 1500},
      {"negative exponent", "15e-1", 18, 1, 15},
      {"half goes away from zero", "0.00005", 18, 4, 1},
      {"negative half goes away from zero", "-0.00005", 18, 4, -1},
      {"below half goes to zero", "0.000049999999999999999999999999999999999999999", 18, 4, 0},
      {"one further down", "0.000005", 18, 4, 0},
      {"digits that no double holds", "9007199254740993", 18, 0, 9007199254740993},
      {"largest", "99999999999999.9999", 18, 4, 999999999999999999},
      {"one digit too many", "100000000000000", 18, 4, std::nullopt},
      {"rounded out of its precision", "9.96", 2, 1, std::nullopt},
      {"huge exponent of zero", "0e999999999999", 18, 4, 0},
      {"huge exponent", "1e999999999999", 18, 4, std::nullopt},
      {"tiny", "1e-999999999999", 18, 4, 0},
      {"empty", "", 18, 4, std::nullopt},
      {"point alone", ".", 18, 4, std::nullopt},
      {"words", "12 EUR", 18, 4, std::nullopt},
      {"not a number", "NaN", 18, 4, std::nullopt},
      {"exponent without digits", "1e", 18, 4, std::nullopt},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const std::optional<Int128> unscaled = ParseDecimal(c.text, c.precision, c.scale);
    EXPECT_EQ(unscaled.has_value(), c.unscaled.has_value());
    if (unscaled && c.unscaled) {
      EXPECT_TRUE(*unscaled == Int128{*c.unscaled});
    }
  }
}

TEST(ParseDecimal, HoldsThirtyEightDigits) {
  const std::optional<Int128> unscaled =
      ParseDecimal("-99999999999999999999999999999999999999", 38, 0);

  ASSERT_TRUE(unscaled.has_value());
  EXPECT_EQ(arrow::Decimal128(static_cast<std::int64_t>(*unscaled >> 64),
                              static_cast<std::uint64_t>(*unscaled))
                .ToIntegerString(),
            "-99999999999999999999999999999999999999");
}

TEST(ParseTimestampMicros, ReadsIso8601) {
  constexpr std::int64_t kDay = 86'400'000'000;
  constexpr std::int64_t kHour = 3'600'000'000;
  struct Case {
    const char* name;
    const char* text;
    std::optional<std::int64_t> micros;
  };
  const Case cases[] = {
      {"zulu", "1970-01-02T01:00:00Z", kDay + kHour},
      {"space and short offset", "1970-01-02 01:00:00+01", kDay},
      {"long offset", "1970-01-02T01:00:00-01:30", kDay + kHour + kHour * 3 / 2},
      {"offset without colon", "1970-01-02T01:00:00+0100", kDay},
      {"no zone is UTC", "1970-01-02T01:00:00", kDay + kHour},
      {"no seconds", "1970-01-02T01:00Z", kDay + kHour},
      {"a day alone is its midnight", "1970-01-02", kDay},
      {"micros", "1970-01-01T00:00:00.000001Z", 1},
      {"short fraction", "1970-01-01T00:00:00.5Z", 500'000},
      {"nanos are cut off", "1970-01-01T00:00:00.123456999Z", 123'456},
      {"before 1970", "1969-12-31T23:59:59.999999Z", -1},
      {"leap day", "2024-02-29T00:00:00Z", 19'782 * kDay},
      {"last micro of a month", "2026-11-30T23:59:59.999999Z", 20'788 * kDay - 1},
      {"no leap day", "2026-02-29T00:00:00Z", std::nullopt},
      {"ten fraction digits", "1970-01-01T00:00:00.1234567891Z", std::nullopt},
      {"no fraction digits", "1970-01-01T00:00:00.Z", std::nullopt},
      {"hour 24", "1970-01-01T24:00:00Z", std::nullopt},
      {"leap second", "1970-01-01T00:00:60Z", std::nullopt},
      {"month 13", "1970-13-01T00:00:00Z", std::nullopt},
      {"short year", "970-01-01T00:00:00Z", std::nullopt},
      {"something behind", "1970-01-01T00:00:00Zulu", std::nullopt},
      {"hour alone", "1970-01-01T00", std::nullopt},
      {"a number", "1700000000", std::nullopt},
      {"empty", "", std::nullopt},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ParseTimestampMicros(c.text), c.micros);
  }
}

TEST(ParseDateAndTime, TakeTheWholeText) {
  EXPECT_THAT(ParseDateDays("1969-12-31"), Optional(-1));
  EXPECT_EQ(ParseDateDays("1969-12-31T00:00"), std::nullopt);
  EXPECT_THAT(ParseTimeMicros("23:59:59.999999"), Optional(86'399'999'999));
  EXPECT_EQ(ParseTimeMicros("23:59:59Z"), std::nullopt);
}

TEST(ParseUuidBytes, TakesBothCases) {
  EXPECT_THAT(ParseUuidBytes("00112233-4455-6677-8899-aAbBcCdDeEfF"),
              Optional(std::string(
                  "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16)));
  EXPECT_EQ(ParseUuidBytes("00112233445566778899aabbccddeeff"), std::nullopt);
  EXPECT_EQ(ParseUuidBytes("00112233-4455-6677-8899-aabbccddeefg"), std::nullopt);
}

}  // namespace
}  // namespace strandline::format::landing
