#pragma once

#include <cstdio>
#include <cstdlib>

namespace strandline::internal {

[[noreturn]] inline void CheckFailed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: this should never happen: %s\n", file, line, what);
  std::abort();
}

}  // namespace strandline::internal

// For our own mistakes only; what the outside world can cause is an Error. Always on.
#define SL_CHECK(condition) \
  ((condition) ? void() : ::strandline::internal::CheckFailed(#condition, __FILE__, __LINE__))
