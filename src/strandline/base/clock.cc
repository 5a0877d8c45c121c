#include "strandline/base/clock.h"

namespace strandline {

Timestamp SystemClock::Now() const {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

}  // namespace strandline
