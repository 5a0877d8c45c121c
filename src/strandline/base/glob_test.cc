#include "strandline/base/glob.h"

#include <string>

#include <gtest/gtest.h>

namespace strandline {
namespace {

TEST(GlobMatches, MatchesWholeNames) {
  struct Case {
    std::string_view glob, name;
    bool matches;
  };
  const Case cases[] = {
      {"", "", true},
      {"", "a", false},
      {"*", "", true},
      {"*", "anything", true},
      {"*.parquet", "part-0.parquet", true},
      {"*.parquet", "part-0.parquet.tmp", false},
      {"part-?.parquet", "part-7.parquet", true},
      {"part-?.parquet", "part-17.parquet", false},
      {"?", "", false},
      {"a*b*c", "a-b-b-c", true},
      {"a*b*c", "a-c-b", false},
      {"**a", "ba", true},
      {"orders", "orders", true},
      {"orders", "Orders", false},
      {"a.b", "axb", false},
      {"[ab]", "a", false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(GlobMatches(c.glob, c.name), c.matches) << c.glob << " " << c.name;
  }
}

TEST(GlobMatches, ManyStarsTakeNoLongerThanTheirProduct) {
  std::string glob;
  for (int i = 0; i < 40; ++i) {
    glob += "*a";
  }
  EXPECT_FALSE(GlobMatches(glob + "b", std::string(200, 'a')));
}

}  // namespace
}  // namespace strandline
