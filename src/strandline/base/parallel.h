#pragma once

#include <cstddef>
#include <functional>

#include "strandline/base/result.h"

namespace strandline {

// Calls `work(i)` for every i in [0, count) on up to `threads` threads (the caller's is one of
// them), handing out the indexes in order. Returns the error of the lowest index that failed; after
// a failure no further index is handed out. `work` must be safe to call from several threads at
// once.
Status ParallelFor(std::size_t count, std::size_t threads,
                   const std::function<Status(std::size_t)>& work);

}  // namespace strandline
