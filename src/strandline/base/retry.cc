#include "strandline/base/retry.h"

#include <algorithm>

namespace strandline {

std::chrono::milliseconds BackoffBefore(int attempt, const RetryPolicy& policy, Rng& rng) {
  std::chrono::milliseconds backoff = policy.backoff_min;
  for (int i = 1; i < attempt && backoff < policy.backoff_max; ++i) {
    backoff *= 2;
  }
  backoff = std::min(backoff, policy.backoff_max);
  const auto half = static_cast<std::uint64_t>(backoff.count() / 2);
  const auto jitter = static_cast<std::int64_t>(half == 0 ? 0 : rng.Next() % half);
  return backoff / 2 + std::chrono::milliseconds(jitter);
}

}  // namespace strandline
