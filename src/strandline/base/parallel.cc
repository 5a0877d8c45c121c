#include "strandline/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace strandline {

Status ParallelFor(std::size_t count, std::size_t threads,
                   const std::function<Status(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::size_t first_failed = std::numeric_limits<std::size_t>::max();
  std::optional<Error> error;

  const auto run = [&] {
    while (!failed) {
      const std::size_t index = next++;
      if (index >= count) {
        return;
      }
      Status status = work(index);
      if (!status) {
        failed = true;
        const std::lock_guard lock(mutex);
        if (index < first_failed) {
          first_failed = index;
          error = std::move(status).error();
        }
      }
    }
  };

  {
    std::vector<std::jthread> helpers;
    const std::size_t helper_count = std::min(threads, count);
    for (std::size_t i = 1; i < helper_count; ++i) {
      helpers.emplace_back(run);
    }
    run();
  }
  if (error.has_value()) {
    return *std::move(error);
  }
  return {};
}

}  // namespace strandline
