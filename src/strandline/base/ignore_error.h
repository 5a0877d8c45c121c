#pragma once

#include <string_view>

#include "strandline/base/result.h"

namespace strandline {

// Drops an error on purpose. `reason` says why that is right; it is for the reader, not for a log.
inline void IgnoreError(const Status& status, std::string_view reason) {
  static_cast<void>(status);
  static_cast<void>(reason);
}

}  // namespace strandline
