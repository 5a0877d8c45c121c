#include "strandline/cli/stop_signals.h"

#include <csignal>
#include <ctime>
#include <unistd.h>

namespace strandline::cli {
namespace {

sigset_t StopSet() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

StopSignals::StopSignals() {
  const sigset_t set = StopSet();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  waiter_ = std::thread([this, set] {
    // Wakes up now and then to see whether the program is done: a blocked sigwait could not be
    // ended.
    constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 100'000'000};
    while (!done_) {
      const int signal = sigtimedwait(&set, nullptr, &kPause);
      if (signal <= 0) {
        continue;
      }
      if (signal_ != 0) {
        _exit(128 + signal);
      }
      signal_ = signal;
      source_.request_stop();
    }
  });
}

StopSignals::~StopSignals() {
  done_ = true;
  waiter_.join();
}

ExitCode StopSignals::exit_code() const {
  return signal_ == SIGINT ? ExitCode::kInterrupted : ExitCode::kTerminated;
}

}  // namespace strandline::cli
