#pragma once

#include <cstddef>
#include <functional>

#include "strandline/base/result.h"

namespace strandline::pipeline::ingest {

// Calls `work(worker, i)` for every i in [0, count), in order, on up to `worker_count` threads. No
// two threads are the same worker at a time, so that each worker may have state of its own. After a
// failure no further index is handed out; one of the errors is returned.
Status OnWorkers(std::size_t worker_count, std::size_t count,
                 const std::function<Status(std::size_t worker, std::size_t i)>& work);

}  // namespace strandline::pipeline::ingest
