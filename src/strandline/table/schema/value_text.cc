#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "strandline/base/time_text.h"
#include "strandline/table/schema/calendar.h"
#include "strandline/table/schema/value.h"

namespace strandline::table {
namespace {

constexpr std::size_t kUuidBytes = 16;
constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kMicrosPerSecond = 1'000'000;
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

// --- Values to text ---

std::string DateText(std::int64_t days) {
  const CivilDate date = CivilFromDays(days);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

// Seconds and fractions only if they are not zero.
std::string TimeOfDayText(std::int64_t ticks, std::int64_t ticks_per_second) {
  const std::int64_t seconds = ticks / ticks_per_second;
  const std::int64_t fraction = ticks % ticks_per_second;
  std::string text = fmt::format("{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
  if (seconds % 60 != 0 || fraction != 0) {
    text += fmt::format(":{:02}", seconds % 60);
  }
  if (fraction != 0) {
    text += fmt::format(".{:0{}}", fraction, ticks_per_second == kMicrosPerSecond ? 6 : 9);
  }
  return text;
}

std::string TimestampText(std::int64_t ticks, std::int64_t ticks_per_second) {
  const std::int64_t ticks_per_day = kSecondsPerDay * ticks_per_second;
  return fmt::format("{}T{}", DateText(FloorDivide(ticks, ticks_per_day)),
                     TimeOfDayText(FloorRemainder(ticks, ticks_per_day), ticks_per_second));
}

std::string DecimalText(Int128 unscaled, std::int32_t scale) {
  std::string digits = fmt::format("{}", unscaled);
  const bool negative = digits.starts_with('-');
  digits.erase(0, negative ? 1 : 0);
  const auto fraction_digits = static_cast<std::size_t>(scale);
  if (digits.size() <= fraction_digits) {
    digits.insert(0, fraction_digits + 1 - digits.size(), '0');
  }
  if (fraction_digits > 0) {
    digits.insert(digits.size() - fraction_digits, ".");
  }
  return (negative ? "-" : "") + digits;
}

std::string HexText(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return text;
}

std::string UuidText(std::string_view bytes) {
  std::string text = HexText(bytes);
  if (bytes.size() == kUuidBytes) {
    for (const std::size_t position : {8U, 13U, 18U, 23U}) {
      text.insert(position, "-");
    }
  }
  return text;
}

// The text that needs no type.
struct PlainText {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const Bytes& value) const { return HexText(value.bytes); }
  std::string operator()(float value) const { return FloatText(value); }
  std::string operator()(double value) const { return FloatText(value); }
  template <typename T>
  std::string operator()(const T& value) const {
    return fmt::format("{}", value);
  }

 private:
  template <typename Float>
  static std::string FloatText(Float value) {
    return std::isnan(value) ? "NaN" : fmt::format("{}", value);
  }
};

// --- Text to values ---

Error NotOfType(const Type& type, std::string_view text) {
  return MakeError(ErrorKind::kInvalidArgument, "not a {}: '{}'", ToString(type), text);
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

template <typename Number>
Result<Value> ParseNumber(const Type& type, std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) {
    digits.remove_prefix(1);
  }
  Number number{};
  const auto* const end = digits.end();
  const auto [stop, error] = std::from_chars(digits.begin(), end, number);
  if (error != std::errc() || stop != end || digits.starts_with("-") != text.starts_with("-")) {
    return NotOfType(type, text);
  }
  return Value(number);
}

Result<Value> ParseDecimalText(const Type& type, std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) {
    rest.remove_prefix(1);
  }
  const std::size_t point = std::min(rest.find('.'), rest.size());
  std::string digits(rest.substr(0, point));
  std::string fraction(rest.substr(std::min(point + 1, rest.size())));
  while (fraction.size() > static_cast<std::size_t>(type.scale) && fraction.ends_with('0')) {
    fraction.pop_back();
  }
  const bool any_digits = !digits.empty() || !fraction.empty();
  if (fraction.size() > static_cast<std::size_t>(type.scale)) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "more than {} digits after the point of a {}: '{}'", type.scale,
                     ToString(type), text);
  }
  fraction.append(static_cast<std::size_t>(type.scale) - fraction.size(), '0');
  digits += fraction;
  const bool all_digits =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (!any_digits || !all_digits || digits.size() > static_cast<std::size_t>(type.precision)) {
    return NotOfType(type, text);
  }
  Int128 unscaled = 0;
  for (const char digit : digits) {
    unscaled = unscaled * 10 + (digit - '0');
  }
  return Value(negative ? -unscaled : unscaled);
}

constexpr std::size_t kDateLength = std::string_view("2026-11-30").size();

Result<Value> ParseDate(const Type& type, std::string_view text) {
  const Result<Timestamp> time = ParseTimestamp(text);
  if (!time || text.size() != kDateLength) {
    return NotOfType(type, text);
  }
  const std::int64_t days =
      FloorDivide(time->time_since_epoch().count() / kMicrosPerSecond, kSecondsPerDay);
  return Value(static_cast<std::int32_t>(days));
}

// As a time of the first day, so that one parser knows what a time looks like.
Result<Value> ParseTimeOfDay(const Type& type, std::string_view text) {
  const Result<Timestamp> time = ParseTimestamp(fmt::format("1970-01-01T{}Z", text));
  if (!time) {
    return NotOfType(type, text);
  }
  return Value(std::int64_t{time->time_since_epoch().count()});
}

// Microseconds. Without a zone the text must have none, and the other way round.
Result<std::int64_t> ParseMicros(const Type& type, std::string_view text) {
  const bool has_zone = type.id == TypeId::kTimestamptz || type.id == TypeId::kTimestamptzNs;
  const bool is_date = text.size() == kDateLength;
  const Result<Timestamp> time =
      has_zone || is_date ? ParseTimestamp(text) : ParseTimestamp(fmt::format("{}Z", text));
  if (!time) {
    return MakeError(ErrorKind::kInvalidArgument, "not a {} (expected {}): '{}'", ToString(type),
                     has_zone ? "2026-11-30T05:00Z" : "2026-11-30T05:00, without a zone", text);
  }
  return std::int64_t{time->time_since_epoch().count()};
}

Result<Value> ParseNanos(const Type& type, std::string_view text) {
  constexpr std::int64_t kNanosPerMicro = 1000;
  const std::int64_t micros = SL_TRY(ParseMicros(type, text));
  if (std::abs(micros) > std::numeric_limits<std::int64_t>::max() / kNanosPerMicro) {
    return NotOfType(type, text);
  }
  return Value(micros * kNanosPerMicro);
}

std::optional<std::string> ParseHex(std::string_view text) {
  if (text.size() % 2 != 0) {
    return std::nullopt;
  }
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned byte = 0;
    const char* const begin = text.data() + i;
    const auto [stop, error] = std::from_chars(begin, begin + 2, byte, 16);
    if (error != std::errc() || stop != begin + 2) {
      return std::nullopt;
    }
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

Result<Value> ParseUuid(const Type& type, std::string_view text) {
  std::string digits(text);
  std::erase(digits, '-');
  const std::optional<std::string> bytes = ParseHex(digits);
  if (!bytes || bytes->size() != kUuidBytes || !EqualsIgnoringCase(text, UuidText(*bytes))) {
    return NotOfType(type, text);
  }
  return Value(Bytes{*bytes});
}

Result<Value> ParseBytes(const Type& type, std::string_view text) {
  const std::optional<std::string> bytes = ParseHex(text.starts_with("0x") ? text.substr(2) : text);
  if (!bytes ||
      (type.id == TypeId::kFixed && bytes->size() != static_cast<std::size_t>(type.length))) {
    return NotOfType(type, text);
  }
  return Value(Bytes{*bytes});
}

}  // namespace

std::string ValueText(const Type& type, const Value& value) {
  if (IsNull(value) || !HasTypeOf(type, value)) {
    return std::visit(PlainText(), value);
  }
  switch (type.id) {
    case TypeId::kDate:
      return DateText(std::get<std::int32_t>(value));
    case TypeId::kTime:
      return TimeOfDayText(std::get<std::int64_t>(value), kMicrosPerSecond);
    case TypeId::kTimestamp:
      return TimestampText(std::get<std::int64_t>(value), kMicrosPerSecond);
    case TypeId::kTimestamptz:
      return TimestampText(std::get<std::int64_t>(value), kMicrosPerSecond) + "Z";
    case TypeId::kTimestampNs:
      return TimestampText(std::get<std::int64_t>(value), kNanosPerSecond);
    case TypeId::kTimestamptzNs:
      return TimestampText(std::get<std::int64_t>(value), kNanosPerSecond) + "Z";
    case TypeId::kDecimal:
      return DecimalText(std::get<Int128>(value), type.scale);
    case TypeId::kUuid:
      return UuidText(std::get<Bytes>(value).bytes);
    default:
      return std::visit(PlainText(), value);
  }
}

Result<Value> ParseValue(const Type& type, std::string_view text) {
  switch (type.id) {
    case TypeId::kBoolean:
      if (EqualsIgnoringCase(text, "true") || EqualsIgnoringCase(text, "false")) {
        return Value(EqualsIgnoringCase(text, "true"));
      }
      break;
    case TypeId::kInt:
      return ParseNumber<std::int32_t>(type, text);
    case TypeId::kLong:
      return ParseNumber<std::int64_t>(type, text);
    case TypeId::kFloat:
      return ParseNumber<float>(type, text);
    case TypeId::kDouble:
      return ParseNumber<double>(type, text);
    case TypeId::kDecimal:
      return ParseDecimalText(type, text);
    case TypeId::kDate:
      return ParseDate(type, text);
    case TypeId::kTime:
      return ParseTimeOfDay(type, text);
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz: {
      const std::int64_t micros = SL_TRY(ParseMicros(type, text));
      return Value(micros);
    }
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return ParseNanos(type, text);
    case TypeId::kString:
      return Value(std::string(text));
    case TypeId::kUuid:
      return ParseUuid(type, text);
    case TypeId::kFixed:
    case TypeId::kBinary:
      return ParseBytes(type, text);
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
    case TypeId::kUnknown:
      break;
  }
  return NotOfType(type, text);
}

}  // namespace strandline::table
