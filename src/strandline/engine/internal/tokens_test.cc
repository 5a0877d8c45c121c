#include "strandline/engine/internal/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strandline::engine {
namespace {

std::vector<std::string> Texts(std::string_view sql) {
  std::vector<std::string> texts;
  for (const Token& token : Tokenize(sql)) {
    texts.emplace_back(token.text);
  }
  return texts;
}

TEST(Tokenize, CutsAsTheEnginesLexerDoes) {
  struct Case {
    std::string name;
    std::string sql;
    std::vector<std::string> tokens;
  };
  const std::vector<Case> cases = {
      {"nothing", "", {}},
      {"only comments", " -- a\n /* b /* nested */ c */ ", {}},
      {"names and dots", "ads.\"T x\".a", {"ads", ".", "\"T x\"", ".", "a"}},
      {"a doubled quote stays inside its name", "\"a\"\"b\"c", {"\"a\"\"b\"", "c"}},
      {"a doubled quote stays inside its string", "'it''s'x", {"'it''s'", "x"}},
      {"an escape string knows backslashes", "e'it\\'s' x", {"e'it\\'s'", "x"}},
      {"a plain string does not", "'a\\' x", {"'a\\'", "x"}},
      {"dollar quotes hold quotes", "$$it's$$ $t$a$$b$t$", {"$$it's$$", "$t$a$$b$t$"}},
      {"parameters", "$window_start+$1 ?", {"$window_start", "+", "$1", "?"}},
      {"a comment sign inside a string", "'--' '/*'", {"'--'", "'/*'"}},
      {"operators are as long as they can be",
       "a<=b<>c||d",
       {"a", "<=", "b", "<>", "c", "||", "d"}},
      {"a sign after an operator is its own", "a=-1", {"a", "=", "-", "1"}},
      {"an arrow keeps its end", "a->>'b'", {"a", "->>", "'b'"}},
      {"a comment ends an operator", "a-/*x*/-1", {"a", "-", "-", "1"}},
      {"casts", "a::int", {"a", "::", "int"}},
      {"numbers", "1.5e-3 .5 1_000 2.", {"1.5e-3", ".5", "1_000", "2."}},
      {"an e that is no exponent", "1e", {"1", "e"}},
      {"a string that does not end", "a 'b", {"a", "'b"}},
      {"a comment that does not end", "a /* b", {"a"}},
      {"text that is not ASCII", "größe+1", {"größe", "+", "1"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Texts(c.sql), c.tokens);
  }
}

TEST(Tokenize, AnyBytesGiveTokensThatCoverTheText) {
  std::uint32_t seed = 7;
  const std::string alphabet = "a1'\"$?/*-+.;:=<>e\\ \n\xc3\xa9_";
  for (int round = 0; round < 2000; ++round) {
    std::string sql;
    for (int i = 0; i < 24; ++i) {
      seed = seed * 1664525U + 1013904223U;
      sql.push_back(alphabet[(seed >> 16U) % alphabet.size()]);
    }
    SCOPED_TRACE(sql);

    std::size_t end = 0;
    for (const Token& token : Tokenize(sql)) {
      ASSERT_GE(token.offset, end);
      ASSERT_FALSE(token.text.empty());
      ASSERT_EQ(sql.substr(token.offset, token.text.size()), token.text);
      end = token.offset + token.text.size();
    }
  }
}

TEST(PositionOf, CountsLinesAndCharacters) {
  const std::string sql = "select 'é',\n  x";

  EXPECT_EQ(PositionOf(sql, sql.find('x')).line, 2);
  EXPECT_EQ(PositionOf(sql, sql.find('x')).column, 3);
  EXPECT_EQ(PositionOf(sql, sql.find(',')).column, 11);
  EXPECT_EQ(PositionOf(sql, 1000).line, 2);
}

TEST(Names, AreQuotedAndUnquoted) {
  EXPECT_EQ(QuoteName("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(NameOf(Tokenize("\"a\"\"b\"").front()), "a\"b");
  EXPECT_EQ(QuoteText("it's"), "'it''s'");
  EXPECT_TRUE(EqualNames("Ads", "aDS"));
  EXPECT_FALSE(EqualNames("ads", "ad"));
}

// The form is on disk, inside of fingerprints: none of these lines may ever change.
TEST(NormalizedSql, IsFrozen) {
  struct Case {
    std::string sql;
    std::string normal;
  };
  const std::vector<Case> cases = {
      {"", ""},
      {"SELECT  a,b\nFROM ads.T -- why\n;", "select a , b from ads . t"},
      {"select \"A b\", 'Text  with  SPACES', E'\\n', X'AB'",
       "select \"A b\" , 'Text  with  SPACES' , e'\\n' , x'AB'"},
      {"select/* x */1E3+.5::DOUBLE", "select 1E3 + .5 :: double"},
      {"select Count(*) filter (where x>=$Window_Start)",
       "select count ( * ) filter ( where x >= $Window_Start )"},
      {"select $tag$ Kept $tag$", "select $tag$ Kept $tag$"},
      {"select a->>'k', b::int[];;", "select a ->> 'k' , b :: int [ ]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.sql);
    EXPECT_EQ(NormalizedSql(c.sql), c.normal);
    EXPECT_EQ(NormalizedSql(c.normal), c.normal);
  }
}

TEST(NormalizedSql, TellsLiteralsAndNamesApart) {
  EXPECT_NE(NormalizedSql("select 'A'"), NormalizedSql("select 'a'"));
  EXPECT_NE(NormalizedSql("select \"A\""), NormalizedSql("select \"a\""));
  EXPECT_NE(NormalizedSql("select a - -1"), NormalizedSql("select a --1"));
  EXPECT_NE(NormalizedSql("select a b"), NormalizedSql("select ab"));
}

}  // namespace
}  // namespace strandline::engine
