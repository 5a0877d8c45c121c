#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include "strandline/base/result.h"

namespace strandline::format {

// Turns Arrow's answers into ours, once, where they are met. `kind` is what a failure means here;
// three kinds of failure keep their own meaning wherever they are met: an error of ours that
// travelled through Arrow (see ToArrow) comes out as it went in, memory that ran out is
// kUnavailable, and what Arrow does not implement is kUnsupported.
Status FromArrow(const arrow::Status& status, ErrorKind kind = ErrorKind::kCorrupt);

template <typename T>
Result<T> FromArrow(arrow::Result<T> result, ErrorKind kind = ErrorKind::kCorrupt) {
  if (!result.ok()) {
    return FromArrow(result.status(), kind).error();
  }
  return std::move(result).ValueUnsafe();
}

// Wraps an error of ours so that Arrow can carry it from a callback (a file that Arrow reads
// through us) to the call that meets it, kind and message unharmed.
arrow::Status ToArrow(const Error& error);

// Whether `status` carries an error of ours.
bool CarriesOurError(const arrow::Status& status);

}  // namespace strandline::format
