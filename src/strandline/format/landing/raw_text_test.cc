#include <string>

#include "strandline/format/landing/landing_reader.h"
#include "tests/support/matchers.h"

namespace strandline::format {
namespace {

TEST(RawText, IsAlwaysShortValidUtf8) {
  EXPECT_EQ(RawText("plain é €"), "plain é €");
  EXPECT_EQ(RawText("a\xff\xc3(b"), "a\xef\xbf\xbd\xef\xbf\xbd(b");
  EXPECT_EQ(RawText("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "a surrogate";
  EXPECT_EQ(RawText(std::string(10'000, 'x')).size(), 4096U);
  // 1365 characters of three bytes are 4095: the next one would be cut in two.
  std::string euros;
  for (int i = 0; i < 2000; ++i) {
    euros += "€";
  }
  EXPECT_EQ(RawText(euros).size(), 4095U);
}

}  // namespace
}  // namespace strandline::format
