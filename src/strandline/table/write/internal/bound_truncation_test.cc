#include "strandline/table/write/internal/bound_truncation.h"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strandline::table {
namespace {

constexpr std::size_t kWidth = 16;

std::string Repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) {
    result += text;
  }
  return result;
}

const std::string kLast = "\xf4\x8f\xbf\xbf";  // U+10FFFF

TEST(StringBounds, AreCutBetweenCodePoints) {
  struct Case {
    std::string name;
    std::string value;
    std::string lower;
    std::optional<std::string> upper;
  };
  const std::vector<Case> cases = {
      {"empty", "", "", ""},
      {"short", "abc", "abc", "abc"},
      {"just as long as allowed", Repeat("x", 16), Repeat("x", 16), Repeat("x", 16)},
      {"one more", Repeat("x", 17), Repeat("x", 16), Repeat("x", 15) + "y"},
      {"the 16th byte is inside of two-byte characters", Repeat("a", 15) + "é" + "b",
       Repeat("a", 15) + "é", Repeat("a", 15) + "ê"},
      {"three-byte characters", Repeat("•", 17), Repeat("•", 16), Repeat("•", 15) + "‣"},
      {"four-byte characters", Repeat("😀", 17), Repeat("😀", 16), Repeat("😀", 15) + "😁"},
      {"the last one before the surrogates", Repeat("a", 15) + "\xed\x9f\xbf" + "b",
       Repeat("a", 15) + "\xed\x9f\xbf", Repeat("a", 15) + "\xee\x80\x80"},
      {"the last one of one byte", Repeat("a", 15) + "\x7f" + "b", Repeat("a", 15) + "\x7f",
       Repeat("a", 15) + "\xc2\x80"},
      {"the last one of all", Repeat("a", 15) + kLast + "b", Repeat("a", 15) + kLast,
       Repeat("a", 14) + "b"},
      {"nothing but the last one", Repeat(kLast, 20), Repeat(kLast, 16), std::nullopt},
      {"broken at the start", "\xff" + Repeat("a", 3), "", std::nullopt},
      {"broken later", "ab\xff", "ab", "ac"},
      {"a surrogate in UTF-8", "a\xed\xa0\x80", "a", "b"},
      {"an overlong form", "a\xc0\x80", "a", "b"},
      {"cut in the middle", "a\xe2\x80", "a", "b"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    const std::string lower = LowerStringBound(c.value, kWidth);
    const std::optional<std::string> upper = UpperStringBound(c.value, kWidth);

    EXPECT_EQ(lower, c.lower);
    EXPECT_EQ(upper, c.upper);
    EXPECT_LE(lower, c.value);
    EXPECT_GE(upper.value_or(c.value), c.value);
  }
}

TEST(StringBounds, AreWholeWithoutAWidth) {
  const std::string text = Repeat("é", 1000);

  EXPECT_EQ(LowerStringBound(text, kNoWidth), text);
  EXPECT_EQ(UpperStringBound(text, kNoWidth), text);
}

TEST(BytesBounds, AreCutToTheirWidth) {
  struct Case {
    std::string name;
    std::string value;
    std::string lower;
    std::optional<std::string> upper;
  };
  const std::vector<Case> cases = {
      {"short", "ab", "ab", "ab"},
      {"one more", "abcd", "abc", "abd"},
      {"ending in 0xff",
       "ab\xff"
       "d",
       "ab\xff", "ac"},
      {"nothing but 0xff", "\xff\xff\xff\xff", "\xff\xff\xff", std::nullopt},
      {"above 0x7f",
       "ab\x7f"
       "d",
       "ab\x7f", "ab\x80"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(LowerBytesBound(c.value, 3), c.lower);
    EXPECT_EQ(UpperBytesBound(c.value, 3), c.upper);
  }
}

}  // namespace
}  // namespace strandline::table
