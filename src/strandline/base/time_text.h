#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "strandline/base/clock.h"
#include "strandline/base/result.h"

namespace strandline {

// `2026-11-30T05:00Z`, the way windows and units are written everywhere: seconds and fractions
// appear only if they are not zero.
std::string FormatTimestamp(Timestamp time);

// Reads an ISO 8601 prefix down to a day, an hour, a minute, a second or a fraction of up to six
// digits: `2026-11-30`, `2026-11-30T05Z`, `2026-11-30 05:00:00.5+0100`; `T` or a space between day
// and time. A day alone is that day's start in UTC; anything longer needs a zone (`Z` or an
// offset). kInvalidArgument otherwise.
Result<Timestamp> ParseTimestamp(std::string_view text);

// `90s`, `20m`, `6h`, `3d`, at most 100,000 of a unit; kInvalidArgument for anything else, also for
// negative numbers.
Result<std::chrono::microseconds> ParseDuration(std::string_view text);

// `72h`, `90m`, `5s`: the largest unit that divides it, days not among them, as windows are counted
// in hours. A fraction of a second is left out.
std::string FormatDuration(std::chrono::microseconds duration);

}  // namespace strandline
