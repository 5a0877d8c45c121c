#include "strandline/project/internal/near_miss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strandline::project::internal {
namespace {

TEST(EditDistance, CountsSlipsOfTheHand) {
  struct Case {
    std::string name;
    std::string a;
    std::string b;
    std::size_t distance;
  };
  const Case cases[] = {
      {"the same", "window", "window", 0},
      {"nothing at all", "", "", 0},
      {"from nothing", "", "key", 3},
      {"a letter left out", "windw", "window", 1},
      {"a letter too many", "owwner", "owner", 1},
      {"a wrong letter", "windew", "window", 1},
      {"two letters swapped", "wnidow", "window", 1},
      {"the case of letters does not count", "Window", "window", 0},
      {"another word", "tier", "lateness", 6},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    EXPECT_EQ(EditDistance(c.a, c.b), c.distance);
    EXPECT_EQ(EditDistance(c.b, c.a), c.distance);
  }
}

TEST(Suggestion, NamesTheNearestOrSaysWhatThereIs) {
  struct Case {
    std::string name;
    std::string word;
    std::vector<std::string> candidates;
    std::string suggestion;
  };
  const Case cases[] = {
      {"a near one", "windw", {"table", "window"}, ": did you mean `window`?"},
      {"the nearer of two", "kez", {"keys", "key"}, ": did you mean `key`?"},
      {"the first of two equals", "cat", {"bat", "rat"}, ": did you mean `bat`?"},
      {"nothing near", "colour", {"table", "window"}, ": there are `table`, `window`"},
      {"only one, and not near", "colour", {"key"}, ": there is `key`"},
      {"nothing there", "colour", {}, ""},
      {"a short word does not become any other", "ab", {"x", "yz"}, ": there are `x`, `yz`"},
      {"a very long word is not compared", std::string(4096, 'a'), {"aa"}, ": there is `aa`"},
      {"a long list is cut",
       "colour",
       {"t01", "t02", "t03", "t04", "t05", "t06", "t07", "t08", "t09", "t10", "t11", "t12", "t13"},
       ": there are `t01`, `t02`, `t03`, `t04`, `t05`, `t06`, `t07`, `t08`, `t09`, `t10`, `t11`, "
       "`t12`, …"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    EXPECT_EQ(Suggestion(c.word, c.candidates), c.suggestion);
  }
}

}  // namespace
}  // namespace strandline::project::internal
