#include "strandline/format/batch/arrow_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::format {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::Eq;
using ::testing::HasSubstr;

TEST(ArrowStatus, GivesAFailureTheKindOfItsPlace) {
  const arrow::Status status = arrow::Status::Invalid("bad page");

  EXPECT_THAT(FromArrow(status), Fails(ErrorKind::kCorrupt, Eq("bad page")));
  EXPECT_THAT(FromArrow(status, ErrorKind::kInvalidArgument),
              Fails(ErrorKind::kInvalidArgument, Eq("bad page")));
  EXPECT_THAT(FromArrow(arrow::Status::OK()), IsOk());
}

TEST(ArrowStatus, KeepsMemoryAndMissingFeaturesApart) {
  EXPECT_THAT(FromArrow(arrow::Status::OutOfMemory("malloc of size 9")),
              Fails(ErrorKind::kUnavailable, HasSubstr("malloc of size 9")));
  EXPECT_THAT(FromArrow(arrow::Status::NotImplemented("codec LZO")),
              Fails(ErrorKind::kUnsupported, HasSubstr("LZO")));
}

TEST(ArrowStatus, CarriesOurErrorsThroughArrowUnharmed) {
  const Error error = MakeError(ErrorKind::kPermissionDenied, "no access to s3://b/k");

  const arrow::Status status = ToArrow(error);

  EXPECT_TRUE(CarriesOurError(status));
  EXPECT_FALSE(CarriesOurError(arrow::Status::IOError("disk")));
  const Result<int> result = FromArrow(arrow::Result<int>(status), ErrorKind::kCorrupt);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error(), error);
}

}  // namespace
}  // namespace strandline::format
