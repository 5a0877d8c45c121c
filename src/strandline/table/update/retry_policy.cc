#include <algorithm>
#include <limits>

#include "strandline/table/update/update.h"

namespace strandline::table {
namespace {

constexpr std::string_view kRetries = "commit.retry.num-retries";
constexpr std::string_view kMinWait = "commit.retry.min-wait-ms";
constexpr std::string_view kMaxWait = "commit.retry.max-wait-ms";
constexpr std::string_view kTotalTimeout = "commit.retry.total-timeout-ms";

constexpr std::int64_t kRetriesMax = 1'000'000;
constexpr std::int64_t kWaitMsMax = std::int64_t{24} * 60 * 60 * 1000;

Result<std::chrono::milliseconds> WaitOr(const TableMetadata& metadata, std::string_view key,
                                         std::chrono::milliseconds fallback) {
  const std::optional<std::int64_t> ms = SL_TRY(NumberProperty(metadata, key, 0, kWaitMsMax));
  return ms ? std::chrono::milliseconds(*ms) : fallback;
}

}  // namespace

Result<RetryPolicy> RetryPolicyOf(const TableMetadata& metadata) {
  RetryPolicy policy;
  const std::optional<std::int64_t> retries =
      SL_TRY(NumberProperty(metadata, kRetries, 0, kRetriesMax));
  if (retries) {
    policy.attempts_max = static_cast<int>(*retries) + 1;
  }
  policy.backoff_min = SL_TRY(WaitOr(metadata, kMinWait, policy.backoff_min));
  policy.backoff_max = SL_TRY(WaitOr(metadata, kMaxWait, policy.backoff_max));
  policy.backoff_total_max = SL_TRY(WaitOr(metadata, kTotalTimeout, policy.backoff_total_max));
  // A table that sets only one of the two means that one.
  if (policy.backoff_min > policy.backoff_max) {
    const bool is_max_set = metadata.properties.contains(std::string(kMaxWait));
    (is_max_set ? policy.backoff_min : policy.backoff_max) =
        is_max_set ? policy.backoff_max : policy.backoff_min;
  }
  return policy;
}

}  // namespace strandline::table
