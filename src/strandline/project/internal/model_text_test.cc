#include "strandline/project/internal/model_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strandline::project::internal {
namespace {

TEST(SplitModelText, KeepsLinesAndColumnsOfBothHalves) {
  struct Case {
    std::string name;
    std::string text;
    std::string settings;
    int settings_line;
    std::string sql;
    int sql_line;
  };
  const Case cases[] = {
      {"the usual", "/* strandline\na: b\n*/\nselect 1\n", "             \na: b\n", 1, "select 1\n",
       4},
      {"blank lines around", "\n\n/* strandline\na: b\n*/\n\n\nselect 1", "             \na: b\n",
       3, "select 1", 8},
      {"on one line", "/* strandline a: b */ select 1", "              a: b ", 1,
       "                      select 1", 1},
      {"indented SQL", "/*strandline\n*/\n  select 1", "            \n", 1, "  select 1", 3},
      {"SQL after the comment's end", "/* strandline\na: é\n*/ select 1", "             \na: é\n",
       1, "   select 1", 3},
      {"no SQL", "/* strandline\n*/\n", "             \n", 1, "", 3},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    const std::optional<ModelText> parts = SplitModelText(c.text);

    ASSERT_TRUE(parts.has_value());
    EXPECT_EQ(parts->settings, c.settings);
    EXPECT_EQ(parts->settings_line, c.settings_line);
    EXPECT_EQ(parts->sql, c.sql);
    EXPECT_EQ(parts->sql_line, c.sql_line);
  }
}

TEST(SplitModelText, RefusesAFileWithoutSettingsOnTop) {
  for (const std::string_view text :
       {"", "select 1", "-- strandline\nselect 1", "/* a note */ select 1",
        "select 1 /* strandline */", "/* strandline\na: b\nselect 1", "/* strandliner */ select 1",
        "/*\nstrandline */ select 1"}) {
    SCOPED_TRACE(text);

    EXPECT_FALSE(SplitModelText(text).has_value());
  }
}

}  // namespace
}  // namespace strandline::project::internal
