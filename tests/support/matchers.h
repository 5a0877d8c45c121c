#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/base/result.h"

namespace strandline::testing {

// EXPECT_THAT(Append(...), IsOk()); prints the error when it is not.
MATCHER(IsOk, "is ok") {
  if (arg) {
    return true;
  }
  *result_listener << "which failed: " << arg.error().message;
  return false;
}

// EXPECT_THAT(PlanScan(...), Fails(ErrorKind::kNotFound, HasSubstr("8213")));
MATCHER_P2(Fails, kind, message, "fails as expected") {
  if (arg) {
    *result_listener << "which did not fail";
    return false;
  }
  *result_listener << "which failed with: " << ToString(arg.error().kind) << ": "
                   << arg.error().message;
  return arg.error().kind == kind &&
         ::testing::ExplainMatchResult(message, arg.error().message, result_listener);
}

}  // namespace strandline::testing

// The value of a Result in a test; ends the test with the error when there is none.
#define SL_ASSERT_OK_AND_ASSIGN(declaration, expression)                              \
  SL_ASSERT_OK_AND_ASSIGN_IMPL(SL_TEST_CONCAT(sl_result_, __LINE__), declaration, expression)
#define SL_TEST_CONCAT_INNER(a, b) a##b
#define SL_TEST_CONCAT(a, b) SL_TEST_CONCAT_INNER(a, b)
#define SL_ASSERT_OK_AND_ASSIGN_IMPL(result, declaration, expression) \
  auto result = (expression);                                         \
  ASSERT_THAT(result, ::strandline::testing::IsOk());                 \
  declaration = std::move(result).value()
