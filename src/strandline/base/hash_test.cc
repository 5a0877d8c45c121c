#include "strandline/base/hash.h"

#include <gtest/gtest.h>

namespace strandline {
namespace {

// Frozen: these values are in every table ever written (docs/STATE.md, rule 2). If this test fails,
// the code is wrong, not the test.
TEST(Fingerprint, IsFrozen) {
  EXPECT_EQ(FingerprintText(Fingerprint().Finish()), "2d06800538d394c2");
  EXPECT_EQ(FingerprintText(Fingerprint().Add("1").Add("ads.impressions").Finish()),
            "255e87743785a74d");
}

TEST(Fingerprint, TellsApartWhereFieldsEnd) {
  EXPECT_NE(Fingerprint().Add("ab").Add("c").Finish(), Fingerprint().Add("a").Add("bc").Finish());
  EXPECT_NE(Fingerprint().Add("").Finish(), Fingerprint().Finish());
}

TEST(Fingerprint, PrintsSixteenDigits) {
  EXPECT_EQ(FingerprintText(1), "0000000000000001");
  EXPECT_EQ(FingerprintText(-1), "ffffffffffffffff");
  EXPECT_EQ(ParseFingerprintText("ffffffffffffffff"), -1);
  for (const char* text : {"", "g", "0x1", "1 ", "10000000000000000"}) {
    EXPECT_EQ(ParseFingerprintText(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace strandline
