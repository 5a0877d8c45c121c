#include "strandline/base/time_text.h"

#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace strandline {
namespace {

using std::chrono::microseconds;

// Reads exactly `digits` decimal digits at the front of `text` and removes them.
std::optional<int> TakeNumber(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) {
    return std::nullopt;
  }
  int value = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool Take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

Error BadTimestamp(std::string_view text) {
  return MakeError(ErrorKind::kInvalidArgument,
                   "not a time: expected an ISO 8601 prefix such as 2026-11-30, 2026-11-30T05Z or "
                   "2026-11-30T05:00:00+01:00, found '{}'",
                   text);
}

// A zone: Z, or an offset from UTC such as +05:30 or -0800.
std::optional<std::chrono::minutes> TakeZone(std::string_view& text) {
  if (Take(text, 'Z') || Take(text, 'z')) {
    return std::chrono::minutes(0);
  }
  const bool negative = !text.empty() && text.front() == '-';
  if (!Take(text, '+') && !Take(text, '-')) {
    return std::nullopt;
  }
  const std::optional<int> hours = TakeNumber(text, 2);
  Take(text, ':');
  const std::optional<int> minutes = text.empty() ? std::optional<int>(0) : TakeNumber(text, 2);
  if (!hours || !minutes || *hours > 18 || *minutes > 59) {
    return std::nullopt;
  }
  const std::chrono::minutes offset(*hours * 60 + *minutes);
  return negative ? -offset : offset;
}

}  // namespace

std::string FormatTimestamp(Timestamp time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::int64_t in_day = (time - day).count();
  const std::int64_t seconds = in_day / 1'000'000;
  const std::int64_t fraction = in_day % 1'000'000;
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()),
                                 static_cast<unsigned>(date.day()), seconds / 3600,
                                 seconds / 60 % 60);
  if (seconds % 60 != 0 || fraction != 0) {
    text += fmt::format(":{:02}", seconds % 60);
  }
  if (fraction != 0) {
    text += fmt::format(".{:06}", fraction);
  }
  return text + "Z";
}

Result<Timestamp> ParseTimestamp(std::string_view text) {
  std::string_view rest = text;
  const std::optional<int> year = TakeNumber(rest, 4);
  const bool dash1 = Take(rest, '-');
  const std::optional<int> month = TakeNumber(rest, 2);
  const bool dash2 = Take(rest, '-');
  const std::optional<int> day = TakeNumber(rest, 2);
  if (!year || !dash1 || !month || !dash2 || !day) {
    return BadTimestamp(text);
  }
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) {
    return MakeError(ErrorKind::kInvalidArgument, "no such day in the calendar: '{}'", text);
  }
  Timestamp time{std::chrono::sys_days(date)};
  if (rest.empty()) {
    return time;
  }
  if (!Take(rest, 'T') && !Take(rest, ' ')) {
    return BadTimestamp(text);
  }
  const std::optional<int> hour = TakeNumber(rest, 2);
  if (!hour || *hour > 23) {
    return BadTimestamp(text);
  }
  time += std::chrono::hours(*hour);
  if (Take(rest, ':')) {
    const std::optional<int> minute = TakeNumber(rest, 2);
    if (!minute || *minute > 59) {
      return BadTimestamp(text);
    }
    time += std::chrono::minutes(*minute);
    if (Take(rest, ':')) {
      const std::optional<int> second = TakeNumber(rest, 2);
      if (!second || *second > 59) {
        return BadTimestamp(text);
      }
      time += std::chrono::seconds(*second);
      if (Take(rest, '.')) {
        std::int64_t unit = 100'000;
        bool any = false;
        while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
          if (unit == 0) {
            return BadTimestamp(text);
          }
          time += microseconds(unit * (rest.front() - '0'));
          unit /= 10;
          any = true;
          rest.remove_prefix(1);
        }
        if (!any) {
          return BadTimestamp(text);
        }
      }
    }
  }
  if (rest.empty()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "time without a zone: add Z or an offset such as +01:00 to '{}'", text);
  }
  const std::optional<std::chrono::minutes> zone = TakeZone(rest);
  if (!zone || !rest.empty()) {
    return BadTimestamp(text);
  }
  return time - *zone;
}

Result<microseconds> ParseDuration(std::string_view text) {
  constexpr std::int64_t kMaximum = 100'000;
  std::string_view rest = text;
  std::int64_t count = 0;
  bool any = false;
  while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9' && count <= kMaximum) {
    count = count * 10 + (rest.front() - '0');
    any = true;
    rest.remove_prefix(1);
  }
  if (any && count <= kMaximum && rest.size() == 1) {
    switch (rest.front()) {
      case 's':
        return std::chrono::seconds(count);
      case 'm':
        return std::chrono::minutes(count);
      case 'h':
        return std::chrono::hours(count);
      case 'd':
        return std::chrono::days(count);
      default:
        break;
    }
  }
  return MakeError(ErrorKind::kInvalidArgument,
                   "not a duration: expected a whole number up to {} and a unit (s, m, h, d) such as "
                   "90s, 20m, 6h or 3d, found '{}'",
                   kMaximum, text);
}

std::string FormatDuration(microseconds duration) {
  const std::int64_t seconds = duration.count() / 1'000'000;
  if (seconds % 3600 == 0) {
    return fmt::format("{}h", seconds / 3600);
  }
  if (seconds % 60 == 0) {
    return fmt::format("{}m", seconds / 60);
  }
  return fmt::format("{}s", seconds);
}

}  // namespace strandline
