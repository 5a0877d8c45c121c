#pragma once

#include <chrono>

#include "strandline/base/rng.h"

namespace strandline {

// How often something is tried again, and how long it waits between tries.
struct RetryPolicy {
  int attempts_max = 5;  // The first try counts.
  std::chrono::milliseconds backoff_min{50};
  std::chrono::milliseconds backoff_max{5000};
  // All waits together; a wait that would go beyond it is the end of the tries.
  std::chrono::milliseconds backoff_total_max{std::chrono::minutes(30)};
};

// The wait before try number `attempt` (1 is the first retry): doubles each time within the
// policy's bounds, with a jitter of half of it so that writers that collided once do not collide
// again.
std::chrono::milliseconds BackoffBefore(int attempt, const RetryPolicy& policy, Rng& rng);

}  // namespace strandline
