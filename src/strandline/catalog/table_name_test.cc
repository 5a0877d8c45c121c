#include "strandline/catalog/table_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::catalog {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::HasSubstr;

TEST(ParseTableName, SplitsLevelsAndTable) {
  SL_ASSERT_OK_AND_ASSIGN(const TableName two, ParseTableName("ads.impressions"));
  SL_ASSERT_OK_AND_ASSIGN(const TableName three, ParseTableName("eu.ads.impressions__removed"));

  EXPECT_EQ(two, (TableName{{"ads"}, "impressions"}));
  EXPECT_EQ(three, (TableName{{"eu", "ads"}, "impressions__removed"}));
  EXPECT_EQ(ToString(three), "eu.ads.impressions__removed");
}

TEST(ParseTableName, RefusesWhatCouldNotBeAFolder) {
  struct Case {
    const char* name;
    std::string text;
    const char* message;
  };
  const Case cases[] = {
      {"nothing", "", "empty part"},
      {"no namespace", "impressions", "needs a namespace"},
      {"a leading dot", ".impressions", "empty part"},
      {"a trailing dot", "ads.", "empty part"},
      {"two dots", "ads..impressions", "empty part"},
      {"a slash", "ads.a/b", "slash"},
      {"a backslash", "ads.a\\b", "slash"},
      {"a way up", "ads/../x.t", "slash"},
      {"a control character", "ads.a\nb", "control character"},
      {"a space at the end", "ads.a ", "space"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ParseTableName(c.text), Fails(ErrorKind::kInvalidArgument, HasSubstr(c.message)));
  }
}

TEST(CheckTableName, RefusesDotsInsideOnePart) {
  EXPECT_THAT(CheckTableName({{"a", "b"}, "t"}), IsOk());
  EXPECT_THAT(CheckTableName({{"a.b"}, "t"}), Fails(ErrorKind::kInvalidArgument, HasSubstr("a.b")));
  EXPECT_THAT(CheckTableName({{"a"}, "t.u"}), Fails(ErrorKind::kInvalidArgument, HasSubstr("t.u")));
  EXPECT_THAT(CheckNamespace({}), Fails(ErrorKind::kInvalidArgument, HasSubstr("no level")));
}

}  // namespace
}  // namespace strandline::catalog
