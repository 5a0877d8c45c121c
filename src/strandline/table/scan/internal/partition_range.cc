#include "strandline/table/scan/internal/partition_range.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

namespace strandline::table::internal {
namespace {

constexpr std::int64_t kMicrosPerHour = std::int64_t{3'600} * 1'000'000;
constexpr std::int64_t kHoursPerDay = 24;
constexpr std::int64_t kNanosPerMicro = 1'000;
// Years beyond this, counted from 1970, are taken as unknown: std::chrono::year ends near.
constexpr std::int64_t kYearsMax = 30'000;

std::optional<std::int64_t> AsInteger(const std::optional<Value>& value) {
  if (!value) {
    return std::nullopt;
  }
  if (const auto* narrow = std::get_if<std::int32_t>(&*value)) {
    return *narrow;
  }
  if (const auto* wide = std::get_if<std::int64_t>(&*value)) {
    return *wide;
  }
  return std::nullopt;
}

std::optional<std::int64_t> Times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    return std::nullopt;
  }
  return product;
}

std::optional<std::int64_t> FirstDayOfMonth(std::int64_t months_from_1970) {
  if (months_from_1970 > kYearsMax * 12 || months_from_1970 < -kYearsMax * 12) {
    return std::nullopt;
  }
  const std::chrono::year_month epoch{std::chrono::year(1970), std::chrono::month(1)};
  const std::chrono::year_month month = epoch + std::chrono::months(months_from_1970);
  return std::chrono::sys_days(month / std::chrono::day(1)).time_since_epoch().count();
}

// The day (or with kHour the hour) that a time partition begins with.
std::optional<std::int64_t> FirstUnit(TransformKind kind, std::int64_t partition) {
  switch (kind) {
    case TransformKind::kYear:
      return partition > kYearsMax || partition < -kYearsMax ? std::nullopt
                                                             : FirstDayOfMonth(partition * 12);
    case TransformKind::kMonth:
      return FirstDayOfMonth(partition);
    default:
      return partition;
  }
}

// The first source value of a time partition, in the source's unit.
std::optional<std::int64_t> FirstSourceValue(TransformKind kind, const Type& source,
                                             std::int64_t partition) {
  std::optional<std::int64_t> unit = FirstUnit(kind, partition);
  if (!unit || source.id == TypeId::kDate) {
    return unit;
  }
  if (kind != TransformKind::kHour) {
    unit = Times(*unit, kHoursPerDay);
  }
  std::optional<std::int64_t> micros = unit ? Times(*unit, kMicrosPerHour) : std::nullopt;
  const bool is_nanos = source.id == TypeId::kTimestampNs || source.id == TypeId::kTimestamptzNs;
  return micros && is_nanos ? Times(*micros, kNanosPerMicro) : micros;
}

std::optional<Value> TimeValue(const Type& source, std::optional<std::int64_t> number) {
  if (!number || source.id != TypeId::kDate) {
    return number ? std::optional<Value>(*number) : std::nullopt;
  }
  const bool fits = *number >= std::numeric_limits<std::int32_t>::min() &&
                    *number <= std::numeric_limits<std::int32_t>::max();
  return fits ? std::optional<Value>(static_cast<std::int32_t>(*number)) : std::nullopt;
}

void SetTimeBounds(const Transform& transform, const Type& source, const ValueRange& partition,
                   ValueRange& range) {
  const bool is_same_unit = transform.kind == TransformKind::kDay && source.id == TypeId::kDate;
  if (std::optional<std::int64_t> lower = AsInteger(partition.lower)) {
    const std::int64_t first = *lower <= 0 && !is_same_unit ? *lower - 1 : *lower;
    range.lower = TimeValue(source, FirstSourceValue(transform.kind, source, first));
  }
  if (const std::optional<std::int64_t> upper = AsInteger(partition.upper)) {
    const std::optional<std::int64_t> next = FirstSourceValue(transform.kind, source, *upper + 1);
    range.upper = TimeValue(source, next ? std::optional(*next - 1) : std::nullopt);
  }
}

// The highest value that truncation to `width` turns into `value`; absent beyond the type.
template <typename Number>
std::optional<Value> HighestTruncated(Number value, std::int32_t width) {
  Number highest = 0;
  if (__builtin_add_overflow(value, static_cast<Number>(width - 1), &highest)) {
    return std::nullopt;
  }
  return Value(highest);
}

// What is at least as long as the width may have been cut. Counted in bytes, the longest way to
// count: some writers cut between other units than code points.
template <typename Text>
void SetTruncatedTextUpper(std::int32_t width, const Text& value, const std::string& bytes,
                           ValueRange& range) {
  if (bytes.size() < static_cast<std::size_t>(width)) {
    range.upper = Value(value);
    return;
  }
  if (std::optional<std::string> successor = PrefixSuccessor(bytes)) {
    if constexpr (std::is_same_v<Text, Bytes>) {
      range.upper = Value(Bytes{*std::move(successor)});
    } else {
      range.upper = Value(*std::move(successor));
    }
    range.upper_excluded = true;
  }
}

void SetTruncatedBounds(std::int32_t width, const ValueRange& partition, ValueRange& range) {
  if (width <= 0) {
    return;
  }
  range.lower = partition.lower;
  if (!partition.upper) {
    return;
  }
  const Value& upper = *partition.upper;
  if (const auto* number = std::get_if<std::int32_t>(&upper)) {
    range.upper = HighestTruncated(std::int64_t{*number}, width);
  } else if (const auto* wide = std::get_if<std::int64_t>(&upper)) {
    range.upper = HighestTruncated(*wide, width);
  } else if (const auto* decimal = std::get_if<Int128>(&upper)) {
    range.upper = HighestTruncated(*decimal, width);
  } else if (const auto* text = std::get_if<std::string>(&upper)) {
    SetTruncatedTextUpper(width, *text, *text, range);
  } else if (const auto* bytes = std::get_if<Bytes>(&upper)) {
    SetTruncatedTextUpper(width, *bytes, bytes->bytes, range);
  }
}

}  // namespace

ValueRange SourceRange(const Transform& transform, const Type& source,
                       const ValueRange& partition) {
  ValueRange range{.may_hold_null = partition.may_hold_null,
                   .may_hold_nan = partition.may_hold_nan,
                   .may_hold_value = partition.may_hold_value};
  switch (transform.kind) {
    case TransformKind::kIdentity:
      return partition;
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
    case TransformKind::kHour:
      SetTimeBounds(transform, source, partition, range);
      return range;
    case TransformKind::kTruncate:
      SetTruncatedBounds(transform.parameter, partition, range);
      return range;
    case TransformKind::kBucket:
      return range;
    case TransformKind::kVoid:
    case TransformKind::kUnknown:
      break;
  }
  return ValueRange{};
}

}  // namespace strandline::table::internal
