#pragma once

#include <string>

#include <arrow/result.h>
#include <arrow/status.h>

#include "strandline/base/result.h"

namespace strandline::format {

// Turns Arrow's answers into ours, once, where they are met. `kind` is what a failure means here.
inline Status FromArrow(const arrow::Status& status, ErrorKind kind = ErrorKind::kCorrupt) {
  if (status.ok()) {
    return {};
  }
  if (status.IsOutOfMemory()) {
    return MakeError(ErrorKind::kUnavailable, "out of memory: {}", status.message());
  }
  return MakeError(kind, "{}", status.message());
}

template <typename T>
Result<T> FromArrow(arrow::Result<T> result, ErrorKind kind = ErrorKind::kCorrupt) {
  if (!result.ok()) {
    return FromArrow(result.status(), kind).error();
  }
  return std::move(result).ValueUnsafe();
}

}  // namespace strandline::format
