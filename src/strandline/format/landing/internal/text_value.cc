#include "strandline/format/landing/internal/text_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include <arrow/api.h>
#include <fmt/format.h>

namespace strandline::format::landing {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads text from left to right.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool StartsWithDigit() const { return !rest_.empty() && IsDigit(rest_.front()); }

  // Takes one character if it is among `which`; 0 if not.
  char TakeOneOf(std::string_view which) {
    if (rest_.empty() || which.find(rest_.front()) == std::string_view::npos) {
      return 0;
    }
    const char taken = rest_.front();
    rest_.remove_prefix(1);
    return taken;
  }

  // All digits that follow.
  std::string_view TakeDigits() {
    std::size_t count = 0;
    while (count < rest_.size() && IsDigit(rest_[count])) {
      ++count;
    }
    const std::string_view digits = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return digits;
  }

  // A number of exactly `width` digits.
  std::optional<int> TakeNumber(std::size_t width) {
    if (rest_.size() < width) {
      return std::nullopt;
    }
    int number = 0;
    for (const char c : rest_.substr(0, width)) {
      if (!IsDigit(c)) {
        return std::nullopt;
      }
      number = number * 10 + (c - '0');
    }
    rest_.remove_prefix(width);
    return number;
  }

 private:
  std::string_view rest_;
};

std::optional<std::int32_t> TakeDate(Scanner& scanner) {
  const std::optional<int> year = scanner.TakeNumber(4);
  if (!year || scanner.TakeOneOf("-") == 0) {
    return std::nullopt;
  }
  const std::optional<int> month = scanner.TakeNumber(2);
  if (!month || scanner.TakeOneOf("-") == 0) {
    return std::nullopt;
  }
  const std::optional<int> day = scanner.TakeNumber(2);
  if (!day) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(std::chrono::sys_days(date).time_since_epoch().count());
}

// `05:00`, `05:00:00`, `05:00:00.123456789`; finer than a microsecond is cut off.
std::optional<std::int64_t> TakeTime(Scanner& scanner) {
  const std::optional<int> hour = scanner.TakeNumber(2);
  if (!hour || *hour > 23 || scanner.TakeOneOf(":") == 0) {
    return std::nullopt;
  }
  const std::optional<int> minute = scanner.TakeNumber(2);
  if (!minute || *minute > 59) {
    return std::nullopt;
  }
  int second = 0;
  std::int64_t micros = 0;
  if (scanner.TakeOneOf(":") != 0) {
    const std::optional<int> seconds = scanner.TakeNumber(2);
    if (!seconds || *seconds > 59) {
      return std::nullopt;
    }
    second = *seconds;
    if (scanner.TakeOneOf(".,") != 0) {
      const std::string_view digits = scanner.TakeDigits();
      if (digits.empty() || digits.size() > 9) {
        return std::nullopt;
      }
      for (std::size_t i = 0; i < 6; ++i) {
        micros = micros * 10 + (i < digits.size() ? digits[i] - '0' : 0);
      }
    }
  }
  return ((*hour * std::int64_t{60} + *minute) * 60 + second) * 1'000'000 + micros;
}

// `Z`, `+01`, `+0130`, `+01:30`, or nothing: how far local time is ahead of UTC.
std::optional<std::int64_t> TakeZoneMicros(Scanner& scanner) {
  if (scanner.done() || scanner.TakeOneOf("Zz") != 0) {
    return 0;
  }
  const char sign = scanner.TakeOneOf("+-");
  const std::optional<int> hours = sign == 0 ? std::nullopt : scanner.TakeNumber(2);
  if (!hours || *hours > 23) {
    return std::nullopt;
  }
  int minute = 0;
  if (!scanner.done()) {
    scanner.TakeOneOf(":");
    const std::optional<int> minutes = scanner.TakeNumber(2);
    if (!minutes || *minutes > 59) {
      return std::nullopt;
    }
    minute = *minutes;
  }
  const std::int64_t ahead = (*hours * std::int64_t{60} + minute) * 60'000'000;
  return sign == '-' ? -ahead : ahead;
}

}  // namespace

bool IsJsonNumber(std::string_view text) {
  Scanner scanner(text);
  scanner.TakeOneOf("-");
  const std::string_view whole = scanner.TakeDigits();
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) {
    return false;
  }
  if (scanner.TakeOneOf(".") != 0 && scanner.TakeDigits().empty()) {
    return false;
  }
  if (scanner.TakeOneOf("eE") != 0) {
    scanner.TakeOneOf("+-");
    if (scanner.TakeDigits().empty()) {
      return false;
    }
  }
  return scanner.done();
}

std::optional<Int128> ParseDecimal(std::string_view text, std::int32_t precision,
                                   std::int32_t scale) {
  Scanner scanner(text);
  const bool negative = scanner.TakeOneOf("+-") == '-';
  std::string_view whole = scanner.TakeDigits();
  std::string_view fraction;
  if (scanner.TakeOneOf(".") != 0) {
    fraction = scanner.TakeDigits();
  }
  if (whole.empty() && fraction.empty()) {
    return std::nullopt;
  }
  std::int64_t exponent = 0;
  if (scanner.TakeOneOf("eE") != 0) {
    const bool minus = scanner.TakeOneOf("+-") == '-';
    const std::string_view digits = scanner.TakeDigits();
    // More digits than this cannot matter: no text is long enough to make up for them.
    constexpr std::int64_t kExponentMax = 1'000'000'000;
    if (digits.empty()) {
      return std::nullopt;
    }
    for (const char c : digits) {
      exponent = std::min(kExponentMax, exponent * 10 + (c - '0'));
    }
    exponent = minus ? -exponent : exponent;
  }
  if (!scanner.done()) {
    return std::nullopt;
  }

  // The digits of whole and fraction, one after the other; `needed` of them stand before the
  // decimal point once the value is scaled.
  const std::size_t digit_count = whole.size() + fraction.size();
  const auto digit = [&](std::size_t i) {
    return i < whole.size() ? whole[i] - '0' : fraction[i - whole.size()] - '0';
  };
  std::size_t first = 0;
  while (first < digit_count && digit(first) == 0) {
    ++first;
  }
  if (first == digit_count) {
    return Int128{0};
  }
  const std::int64_t needed =
      static_cast<std::int64_t>(whole.size()) + exponent + scale - static_cast<std::int64_t>(first);
  if (needed > precision) {
    return std::nullopt;
  }
  Int128 value = 0;
  for (std::int64_t i = 0; i < needed; ++i) {
    const std::size_t at = first + static_cast<std::size_t>(i);
    value = value * 10 + (at < digit_count ? digit(at) : 0);
  }
  const std::size_t rounding = first + static_cast<std::size_t>(std::max<std::int64_t>(needed, 0));
  if (needed >= 0 && rounding < digit_count && digit(rounding) >= 5) {
    ++value;
  }
  Int128 limit = 1;
  for (std::int32_t i = 0; i < precision; ++i) {
    limit *= 10;
  }
  if (value >= limit) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

std::optional<std::int64_t> ParseTimestampMicros(std::string_view text) {
  Scanner scanner(text);
  const std::optional<std::int32_t> days = TakeDate(scanner);
  if (!days) {
    return std::nullopt;
  }
  std::int64_t micros = *days * std::int64_t{86'400'000'000};
  if (scanner.done()) {
    return micros;
  }
  if (scanner.TakeOneOf("Tt ") == 0) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> time = TakeTime(scanner);
  const std::optional<std::int64_t> zone = time ? TakeZoneMicros(scanner) : std::nullopt;
  if (!zone || !scanner.done()) {
    return std::nullopt;
  }
  micros += *time - *zone;
  return micros;
}

std::optional<std::int32_t> ParseDateDays(std::string_view text) {
  Scanner scanner(text);
  const std::optional<std::int32_t> days = TakeDate(scanner);
  return scanner.done() ? days : std::nullopt;
}

std::optional<std::int64_t> ParseTimeMicros(std::string_view text) {
  Scanner scanner(text);
  const std::optional<std::int64_t> time = TakeTime(scanner);
  return scanner.done() ? time : std::nullopt;
}

std::optional<std::string> ParseUuidBytes(std::string_view text) {
  if (text.size() != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' ||
      text[23] != '-') {
    return std::nullopt;
  }
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    if (text[i] == '-') {
      ++i;
    }
    unsigned value = 0;
    const char* begin = text.data() + i;
    const auto [end, error] = std::from_chars(begin, begin + 2, value, 16);
    if (error != std::errc() || end != begin + 2) {
      return std::nullopt;
    }
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

std::string TypeWords(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return "a boolean";
    case arrow::Type::INT32:
      return "an int";
    case arrow::Type::INT64:
      return "a long";
    case arrow::Type::FLOAT:
      return "a float";
    case arrow::Type::DOUBLE:
      return "a double";
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
      return fmt::format("a decimal({}, {})", decimal.precision(), decimal.scale());
    }
    case arrow::Type::DATE32:
      return "a date";
    case arrow::Type::TIME64:
      return "a time";
    case arrow::Type::TIMESTAMP:
      return "a timestamp";
    case arrow::Type::STRING:
      return "a string";
    case arrow::Type::FIXED_SIZE_BINARY:
      return static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width() == 16
                 ? "a uuid"
                 : "of the declared length";
    default:
      return fmt::format("of type {}", type.ToString());
  }
}

}  // namespace strandline::format::landing
