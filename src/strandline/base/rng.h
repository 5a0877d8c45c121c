#pragma once

#include <cstdint>
#include <mutex>
#include <random>

namespace strandline {

// Where randomness comes from: ids and jitter. Thread-safe.
class Rng {
 public:
  virtual ~Rng() = default;
  virtual std::uint64_t Next() = 0;
};

// Seeded once by the operating system.
class SystemRng final : public Rng {
 public:
  SystemRng();
  std::uint64_t Next() override;

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_;
};

// The same numbers for the same seed, on every machine.
class SeededRng final : public Rng {
 public:
  explicit SeededRng(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t Next() override;

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_;
};

}  // namespace strandline
