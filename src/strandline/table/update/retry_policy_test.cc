#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/table/update/update.h"
#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using ::strandline::testing::Fails;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(RetryPolicyOf, IsWhatTheTableSays) {
  struct Case {
    const char* name;
    std::map<std::string, std::string> properties;
    int attempts_max;
    int backoff_min_ms;
    int backoff_max_ms;
    int total_max_ms;
  };
  const std::vector<Case> cases = {
      {"nothing", {}, 5, 50, 5000, 1'800'000},
      {"all",
       {{"commit.retry.num-retries", "10"},
        {"commit.retry.min-wait-ms", "1"},
        {"commit.retry.max-wait-ms", "2"},
        {"commit.retry.total-timeout-ms", "3"}},
       11,
       1,
       2,
       3},
      {"no retry", {{"commit.retry.num-retries", "0"}}, 1, 50, 5000, 1'800'000},
      {"only a longest wait", {{"commit.retry.max-wait-ms", "7"}}, 5, 7, 7, 1'800'000},
      {"only a shortest wait", {{"commit.retry.min-wait-ms", "9000"}}, 5, 9000, 9000, 1'800'000},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    TableMetadata metadata;
    metadata.properties = c.properties;

    SL_ASSERT_OK_AND_ASSIGN(const RetryPolicy policy, RetryPolicyOf(metadata));

    EXPECT_EQ(policy.attempts_max, c.attempts_max);
    EXPECT_EQ(policy.backoff_min.count(), c.backoff_min_ms);
    EXPECT_EQ(policy.backoff_max.count(), c.backoff_max_ms);
    EXPECT_EQ(policy.backoff_total_max.count(), c.total_max_ms);
  }
}

TEST(RetryPolicyOf, NamesThePropertyThatMakesNoSense) {
  for (const std::string key : {"num-retries", "min-wait-ms", "max-wait-ms", "total-timeout-ms"}) {
    for (const std::string value : {"-1", "soon", "", "99999999999999999999"}) {
      SCOPED_TRACE(key + "=" + value);
      TableMetadata metadata;
      metadata.properties["commit.retry." + key] = value;

      EXPECT_THAT(RetryPolicyOf(metadata),
                  Fails(ErrorKind::kInvalidArgument,
                        AllOf(HasSubstr("commit.retry." + key), HasSubstr(value))));
    }
  }
}

}  // namespace
}  // namespace strandline::table
