#include "strandline/io/location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::io {
namespace {

using strandline::testing::Fails;
using strandline::testing::IsOk;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Location, ComparesTheSpellingsThatEnginesUse) {
  struct Case {
    std::string_view location;
    std::string_view canonical;
  };
  constexpr Case kCases[] = {
      {"/w/t", "file:///w/t"},
      {"file:/w/t", "file:///w/t"},
      {"file:///w/t", "file:///w/t"},
      {"file://localhost/w/t", "file:///w/t"},
      {"FILE:///w/t", "file:///w/t"},
      {"file:////w//t/", "file:///w/t"},
      {"//w/t//", "file:///w/t"},
      {"/", "file:///"},
      {"file:///", "file:///"},
      {"/w/./t/../t", "file:///w/t"},
      {"/..", "file:///"},
      {"/w/a%20b+c", "file:///w/a%20b+c"},
      {"/w/a:b?c#d", "file:///w/a:b?c#d"},
      {"s3://b/w/t", "s3://b/w/t"},
      {"s3a://b/w//t/", "s3://b/w/t"},
      {"s3n://b/w/t", "s3://b/w/t"},
      {"s3://b", "s3://b"},
      {"s3://b/", "s3://b"},
      {"s3://b/a/../c", "s3://b/a/../c"},
      {"hdfs://name:8020/w", "hdfs://name:8020/w"},
      {"hdfs:///w", "hdfs:///w"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.location);
    SL_ASSERT_OK_AND_ASSIGN(const std::string canonical, CanonicalLocation(c.location));
    EXPECT_EQ(canonical, c.canonical);
    EXPECT_EQ(*CanonicalLocation(canonical), canonical) << "a canonical location is its own";
  }
}

// Case C116: a relative path in the position of a host must not be read from some other place.
TEST(Location, RefusesWhatNamesNoPlace) {
  constexpr std::string_view kLocations[] = {"file://warehouse/x",
                                             "file://warehouse",
                                             "file:",
                                             "file://",
                                             "file:w/t",
                                             "",
                                             "w/t",
                                             "./w",
                                             "s3:/b/w",
                                             "s3:///w",
                                             "C:\\lake",
                                             ":///w",
                                             "a b://c"};
  for (const std::string_view location : kLocations) {
    SCOPED_TRACE(location);
    EXPECT_THAT(CanonicalLocation(location),
                Fails(ErrorKind::kInvalidArgument, HasSubstr(std::string(location))));
    EXPECT_THAT(LocalPath(location),
                Fails(ErrorKind::kInvalidArgument, HasSubstr(std::string(location))));
  }
}

TEST(Location, RefusesZeroBytes) {
  using std::string_view_literals::operator""sv;
  EXPECT_THAT(LocalPath("/etc/passwd\0.parquet"sv),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("zero byte")));
}

// Case C001 and its siblings: one file, several spellings.
TEST(Location, IsTheSameInEverySpelling) {
  EXPECT_TRUE(SameLocation("file:/w/t/x.parquet", "file:///w/t/x.parquet"));
  EXPECT_TRUE(SameLocation("/w/t/x.parquet", "file://localhost/w//t/x.parquet"));
  EXPECT_TRUE(SameLocation("s3a://b/x", "s3://b/x"));
  EXPECT_TRUE(SameLocation("file://odd/x", "file://odd/x")) << "not understood, but equal";
  EXPECT_FALSE(SameLocation("file://odd/x", "/odd/x"));
  EXPECT_FALSE(SameLocation("/w/t/x", "/w/t/X"));
  EXPECT_FALSE(SameLocation("s3://b/x", "s3://c/x"));
  EXPECT_FALSE(SameLocation("/b/x", "s3://b/x"));
  EXPECT_FALSE(SameLocation("/w/a%20b", "/w/a b")) << "a location is a name, not an encoded path";
}

TEST(Location, KnowsWhatLiesUnderAFolder) {
  struct Case {
    std::string_view location;
    std::string_view parent;
    bool is_under;
  };
  constexpr Case kCases[] = {
      {"/w/db/ev/data/x", "file:/w/db/ev", true},
      {"/w/db/ev", "/w/db/ev/", true},
      {"/w/db/ev_daily", "/w/db/ev", false},
      {"/w/db/ev/../other/x", "/w/db/ev", false},
      {"/w/x", "/", true},
      {"s3a://b/k", "s3://b", true},
      {"s3://bb/k", "s3://b", false},
      {"w/x", "/w", false},
      {"/w/x", "file://w", false},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.location);
    EXPECT_EQ(IsUnder(c.location, c.parent), c.is_under);
  }
}

TEST(Location, JoinsWithOneSlash) {
  EXPECT_EQ(JoinLocation("file:///w/t", "data"), "file:///w/t/data");
  EXPECT_EQ(JoinLocation("file:///w/t//", "/data/x"), "file:///w/t/data/x");
  EXPECT_EQ(JoinLocation("/", "x"), "/x");
}

TEST(Location, EndsInAFileName) {
  EXPECT_EQ(FileName("file:///w/t/x.parquet"), "x.parquet");
  EXPECT_EQ(FileName("x.parquet"), "x.parquet");
  EXPECT_EQ(FileName("/w/t/"), "");
}

TEST(Location, BecomesALocalPathAsItIsSpelled) {
  EXPECT_EQ(*LocalPath("file:///w/a%20b"), "/w/a%20b");
  EXPECT_EQ(*LocalPath("file:/w/x"), "/w/x");
  EXPECT_EQ(*LocalPath("file://localhost/w/x"), "/w/x");
  EXPECT_EQ(*LocalPath("/w/x?y#z"), "/w/x?y#z");
  EXPECT_THAT(LocalPath("s3://b/x"), Fails(ErrorKind::kUnsupported, HasSubstr("s3://b/x")));
}

TEST(Location, IsMadeFromLocalPaths) {
  EXPECT_EQ(FileLocation("../lake", "/p/project"), "file:///p/lake");
  EXPECT_EQ(FileLocation("lake/", "/p"), "file:///p/lake");
  EXPECT_EQ(FileLocation("/w//t/", "/p"), "file:///w/t");
  EXPECT_EQ(FileLocation(".", "/"), "file:///");
}

// Cases C064 and C065: no value leaves its folder, and each is escaped as Iceberg's Java writer
// does.
TEST(EscapePartitionText, EscapesAsJavaDoes) {
  struct Case {
    std::string_view text;
    std::string_view escaped;
  };
  constexpr Case kCases[] = {
      {"11/12/13", "11%2F12%2F13"},
      {"a=b", "a%3Db"},
      {"50%", "50%25"},
      {"a b", "a+b"},
      {"a+b", "a%2Bb"},
      {"#", "%23"},
      {"?", "%3F"},
      {"", ""},
      {".", "%2E"},
      {"..", "%2E%2E"},
      {"...", "..."},
      {"../..", "..%2F.."},
      {"a.b-c*d_e", "a.b-c*d_e"},
      {"~", "%7E"},
      {"\\", "%5C"},
      {"\n", "%0A"},
      {"é", "%C3%A9"},
      {"😎", "%F0%9F%98%8E"},
      {"2026-11-30T05:00Z", "2026-11-30T05%3A00Z"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(EscapePartitionText(c.text), c.escaped);
  }
}

TEST(EscapePartitionText, LetsNoByteLeaveTheFolder) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second)};

      const std::string escaped = EscapePartitionText(text);

      ASSERT_EQ(escaped.find_first_of(std::string_view("/\\=#?& \0", 8)), std::string::npos)
          << first;
      ASSERT_NE(escaped, "..");
      ASSERT_TRUE(IsUnder(JoinLocation("/w", escaped), "/w"));
      ASSERT_FALSE(SameLocation(JoinLocation("/w", escaped), "/w"));
    }
  }
}

}  // namespace
}  // namespace strandline::io
