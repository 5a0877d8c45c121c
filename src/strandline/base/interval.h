#pragma once

#include <compare>

#include "strandline/base/clock.h"

namespace strandline {

// A half-open span of time: `start` belongs to it, `end` does not. Empty when start == end.
struct Interval {
  Timestamp start;
  Timestamp end;

  bool Contains(Timestamp time) const { return start <= time && time < end; }
  bool Overlaps(const Interval& other) const { return start < other.end && other.start < end; }

  friend auto operator<=>(const Interval&, const Interval&) = default;
};

}  // namespace strandline
