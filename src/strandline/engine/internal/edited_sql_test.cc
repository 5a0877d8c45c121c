#include "strandline/engine/internal/edited_sql.h"

#include <gtest/gtest.h>

namespace strandline::engine {
namespace {

TEST(EditedSql, WithoutEditsIsTheText) {
  const EditedSql edited("select 1", {});

  EXPECT_EQ(edited.text(), "select 1");
  EXPECT_EQ(edited.OriginalOffset(7), 7U);
}

TEST(EditedSql, ReplacesAndFindsTheWayBack) {
  const std::string sql = "select a.b from a, cc where x";
  const EditedSql edited(sql, {{19, 2, "(longer)"}, {7, 2, ""}, {16, 1, "A"}});

  EXPECT_EQ(edited.text(), "select b from A, (longer) where x");
  struct Case {
    std::string at;  // In the edited text.
    std::size_t original;
  };
  for (const Case& c : std::vector<Case>{{"select", 0},
                                         {"b from", 9},
                                         {"A,", 16},
                                         {"(longer", 19},
                                         {"ger)", 19},
                                         {" where", 21},
                                         {"x", 28}}) {
    SCOPED_TRACE(c.at);
    EXPECT_EQ(edited.OriginalOffset(edited.text().rfind(c.at)), c.original);
  }
}

TEST(EditedSql, TheFirstOfTwoOverlappingEditsCounts) {
  EXPECT_EQ(EditedSql("abcdef", {{1, 3, "X"}, {2, 1, "Y"}, {1, 3, "X"}}).text(), "aXef");
}

}  // namespace
}  // namespace strandline::engine
