#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

#include "strandline/cli/exit_code.h"

namespace strandline::cli {

// Turns SIGINT and SIGTERM into a stop request that every loop of the program sees at its next safe
// point. One per process, made before any other thread, so that all threads leave these signals to
// it. A second signal ends the process at once.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  std::stop_token token() const { return source_.get_token(); }

  // kInterrupted or kTerminated once a signal came.
  ExitCode exit_code() const;

 private:
  std::stop_source source_;
  std::atomic<int> signal_{0};
  std::atomic<bool> done_{false};
  std::thread waiter_;
};

}  // namespace strandline::cli
