#pragma once

#include <cstdint>

namespace strandline::table {

// Calendar arithmetic for everything that 64-bit microseconds can hold, about 290,000 years to
// either side; std::chrono::year ends at 32767. Proleptic Gregorian, as the specification counts.

struct CivilDate {
  std::int64_t year = 1970;
  std::int32_t month = 1;  // 1 to 12
  std::int32_t day = 1;    // 1 to 31
};

CivilDate CivilFromDays(std::int64_t days_since_epoch);

// Division that rounds towards minus infinity: -1 / 10 is -1. `divisor` is positive.
constexpr std::int64_t FloorDivide(std::int64_t value, std::int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

// What FloorDivide leaves: 0 to divisor - 1.
constexpr std::int64_t FloorRemainder(std::int64_t value, std::int64_t divisor) {
  const std::int64_t remainder = value % divisor;
  return remainder < 0 ? remainder + divisor : remainder;
}

}  // namespace strandline::table
