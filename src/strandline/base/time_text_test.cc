#include "strandline/base/time_text.h"

#include "tests/support/matchers.h"

namespace strandline {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::HasSubstr;

TEST(TimeText, ReadsIsoPrefixesAndWritesOneForm) {
  struct Case {
    std::string_view name;
    std::string_view text;
    std::string_view written;
  };
  constexpr Case kCases[] = {
      {"a day is its start in UTC", "2026-11-30", "2026-11-30T00:00Z"},
      {"an hour", "2026-11-30T05Z", "2026-11-30T05:00Z"},
      {"a minute with an offset", "2026-11-30T05:30+05:30", "2026-11-30T00:00Z"},
      {"an offset without a colon", "2026-11-30T00:00-0800", "2026-11-30T08:00Z"},
      {"seconds are kept", "2026-11-30T05:00:07Z", "2026-11-30T05:00:07Z"},
      {"fractions are kept", "2026-11-30T05:00:00.25Z", "2026-11-30T05:00:00.250000Z"},
      {"before the epoch", "1969-12-31T23:30Z", "1969-12-31T23:30Z"},
      {"a leap day", "2024-02-29", "2024-02-29T00:00Z"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Result<Timestamp> time = ParseTimestamp(c.text);
    ASSERT_THAT(time, IsOk());
    EXPECT_EQ(FormatTimestamp(*time), c.written);
    EXPECT_EQ(*ParseTimestamp(c.written), *time);
  }
}

TEST(TimeText, RefusesWhatIsNotATime) {
  EXPECT_THAT(ParseTimestamp("2026-11-30T05"), Fails(ErrorKind::kInvalidArgument, HasSubstr("zone")));
  for (const std::string_view text : {"", "2026", "2026-11", "2026-13-01", "2026-02-30", "2026-11-30T24Z",
                                      "2026-11-30T05:60Z", "2026-11-30T05:00:00.1234567Z",
                                      "2026-11-30T05Zx", "2026-11-30T05:00:00.Z", "yesterday"}) {
    EXPECT_THAT(ParseTimestamp(text), Fails(ErrorKind::kInvalidArgument, HasSubstr(std::string(text))));
  }
}

TEST(TimeText, ReadsDurations) {
  using std::chrono::hours;
  EXPECT_EQ(*ParseDuration("6h"), hours(6));
  EXPECT_EQ(*ParseDuration("3d"), hours(72));
  EXPECT_EQ(*ParseDuration("0h"), hours(0));
  EXPECT_EQ(FormatDuration(hours(72)), "72h");
  EXPECT_EQ(FormatDuration(std::chrono::minutes(90)), "90m");
  for (const std::string_view text : {"", "6", "h", "-1h", "1.5h", "6 h", "100001h", "6hh"}) {
    EXPECT_THAT(ParseDuration(text), Fails(ErrorKind::kInvalidArgument, HasSubstr("duration")));
  }
}

}  // namespace
}  // namespace strandline
