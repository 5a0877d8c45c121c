#include "strandline/base/rng.h"

namespace strandline {

SystemRng::SystemRng() {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(), device(), device(), device(), device()};
  engine_.seed(seed);
}

std::uint64_t SystemRng::Next() {
  const std::lock_guard lock(mutex_);
  return engine_();
}

std::uint64_t SeededRng::Next() {
  const std::lock_guard lock(mutex_);
  return engine_();
}

}  // namespace strandline
