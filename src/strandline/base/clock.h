#pragma once

#include <atomic>
#include <chrono>

namespace strandline {

// A point in time: microseconds since 1970-01-01T00:00:00Z, as Iceberg's timestamptz counts them.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

// Where the time comes from. Nothing below cli/ asks the operating system for it directly.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Timestamp Now() const override;
};

// Stands still until it is told otherwise: `--now`, and every test. Thread-safe.
class FixedClock final : public Clock {
 public:
  explicit FixedClock(Timestamp now) : now_(now.time_since_epoch().count()) {}

  Timestamp Now() const override { return Timestamp(std::chrono::microseconds(now_.load())); }
  void Set(Timestamp now) { now_ = now.time_since_epoch().count(); }
  void Advance(std::chrono::microseconds by) { now_ += by.count(); }

 private:
  std::atomic<std::int64_t> now_;
};

}  // namespace strandline
