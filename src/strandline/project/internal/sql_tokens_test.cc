#include "strandline/project/internal/sql_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strandline::project::internal {
namespace {

// `1:8 name a`, one a line.
std::string Describe(std::string_view sql) {
  static constexpr std::string_view kKinds[] = {"name", "number", "string", "parameter", "symbol"};
  std::string text;
  for (const SqlToken& token : SqlTokens(sql)) {
    text += fmt::format("{}:{} {}{}{}\n", token.at.line, token.at.column,
                        kKinds[static_cast<std::size_t>(token.kind)], token.text.empty() ? "" : " ",
                        token.text);
  }
  return text;
}

TEST(SqlTokens, TellsNamesFromTextsAndComments) {
  struct Case {
    std::string name;
    std::string sql;
    std::string tokens;
  };
  const Case cases[] = {
      {"names in lower case", "Select A", "1:1 name select\n1:8 name a\n"},
      {"quoted names as they are", "\"My \"\"Col\"", "1:1 name My \"Col\n"},
      {"texts are not looked into", "'now(), ''x' a", "1:1 string\n1:14 name a\n"},
      {"backslashes only where asked for", "e'it\\'s' '\\' a",
       "1:1 string\n1:10 string\n1:14 name a\n"},
      {"a comment to the end of the line", "a -- b 'c\nd", "1:1 name a\n2:1 name d\n"},
      {"comments inside comments", "a /* b /* c */ d */ e", "1:1 name a\n1:21 name e\n"},
      {"parameters", "$window_start, $1",
       "1:1 parameter window_start\n1:14 symbol ,\n1:16 parameter 1\n"},
      {"texts in dollars", "$$ a $$ $t$ b $$ $t$ c", "1:1 string\n1:9 string\n1:22 name c\n"},
      {"numbers are no names", "1e5 2.50", "1:1 number 1e5\n1:5 number 2.50\n"},
      {"characters are counted, not bytes", "'é' é a", "1:1 string\n1:5 name é\n1:7 name a\n"},
      {"a text that does not end", "a 'b", "1:1 name a\n1:3 string\n"},
      {"a comment that does not end", "a /* b", "1:1 name a\n"},
      {"a name that does not end", "\"a", "1:1 name a\n"},
      {"a dollar alone", "$", "1:1 parameter\n"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    EXPECT_EQ(Describe(c.sql), c.tokens);
  }
}

}  // namespace
}  // namespace strandline::project::internal
