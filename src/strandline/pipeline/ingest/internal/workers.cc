#include "strandline/pipeline/ingest/internal/workers.h"

#include <atomic>

#include "strandline/base/parallel.h"

namespace strandline::pipeline::ingest {

Status OnWorkers(std::size_t worker_count, std::size_t count,
                 const std::function<Status(std::size_t worker, std::size_t i)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  return ParallelFor(worker_count, worker_count, [&](std::size_t worker) -> Status {
    for (std::size_t i = next++; i < count && !failed; i = next++) {
      Status status = work(worker, i);
      if (!status) {
        failed = true;
        return status;
      }
    }
    return {};
  });
}

}  // namespace strandline::pipeline::ingest
