#include "strandline/table/partition/transform.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>

#include "strandline/table/partition/murmur3.h"
#include "strandline/table/schema/calendar.h"

namespace strandline::table {
namespace {

struct TransformName {
  TransformKind kind;
  std::string_view name;
};

constexpr std::array kNames = {
    TransformName{TransformKind::kIdentity, "identity"},
    TransformName{TransformKind::kYear, "year"},
    TransformName{TransformKind::kMonth, "month"},
    TransformName{TransformKind::kDay, "day"},
    TransformName{TransformKind::kHour, "hour"},
    TransformName{TransformKind::kVoid, "void"},
    TransformName{TransformKind::kBucket, "bucket"},
    TransformName{TransformKind::kTruncate, "truncate"},
};

bool HasParameter(TransformKind kind) {
  return kind == TransformKind::kBucket || kind == TransformKind::kTruncate;
}

// How many of a type's units make an hour; 0 for types without hours.
std::int64_t TicksPerHour(TypeId id) {
  constexpr std::int64_t kMicrosPerHour = std::int64_t{3'600} * 1'000'000;
  constexpr std::int64_t kNanosPerMicro = 1000;
  switch (id) {
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
      return kMicrosPerHour;
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return kMicrosPerHour * kNanosPerMicro;
    default:
      return 0;
  }
}

bool Accepts(TransformKind kind, const Type& source) {
  switch (kind) {
    case TransformKind::kIdentity:
      return source.is_primitive();
    case TransformKind::kBucket:
      return source.is_primitive() && source.id != TypeId::kBoolean &&
             source.id != TypeId::kFloat && source.id != TypeId::kDouble;
    case TransformKind::kTruncate:
      return source.id == TypeId::kInt || source.id == TypeId::kLong ||
             source.id == TypeId::kDecimal || source.id == TypeId::kString ||
             source.id == TypeId::kBinary;
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
      return source.id == TypeId::kDate || TicksPerHour(source.id) > 0;
    case TransformKind::kHour:
      return TicksPerHour(source.id) > 0;
    case TransformKind::kVoid:
    case TransformKind::kUnknown:
      return true;
  }
  return false;
}

Error OutOfRange(const Transform& transform, const Type& source, const Value& value) {
  return MakeError(ErrorKind::kInvalidArgument, "{} of {} leaves its type: {}", ToString(transform),
                   ToString(source), ValueText(source, value));
}

template <typename Integer>
std::optional<Integer> TruncateInteger(Integer value, std::int32_t width) {
  const Integer remainder = value % width;
  const Integer above_floor = remainder < 0 ? remainder + width : remainder;
  Integer floor{};
  if (__builtin_sub_overflow(value, above_floor, &floor)) {
    return std::nullopt;
  }
  return floor;
}

std::optional<Int128> TruncateDecimal(Int128 unscaled, std::int32_t width, std::int32_t precision) {
  const std::optional<Int128> floor = TruncateInteger(unscaled, width);
  Int128 limit = 1;
  for (std::int32_t i = 0; i < precision; ++i) {
    limit *= 10;
  }
  return floor && *floor > -limit ? floor : std::nullopt;
}

// The first `count` code points. Bytes that continue no character count with the one before.
std::string_view FirstCodePoints(std::string_view text, std::int32_t count) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_character = (static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U;
    if (begins_character && count-- == 0) {
      return text.substr(0, i);
    }
  }
  return text;
}

template <typename T>
std::optional<Value> ToValue(const std::optional<T>& value) {
  return value ? std::optional<Value>(*value) : std::nullopt;
}

std::optional<Value> Truncate(const Type& source, const Value& value, std::int32_t width) {
  switch (source.id) {
    case TypeId::kInt:
      return ToValue(TruncateInteger(std::get<std::int32_t>(value), width));
    case TypeId::kLong:
      return ToValue(TruncateInteger(std::get<std::int64_t>(value), width));
    case TypeId::kDecimal:
      return ToValue(TruncateDecimal(std::get<Int128>(value), width, source.precision));
    case TypeId::kString:
      return Value(std::string(FirstCodePoints(std::get<std::string>(value), width)));
    default:
      return Value(Bytes{std::get<Bytes>(value).bytes.substr(0, static_cast<std::size_t>(width))});
  }
}

std::int64_t DaysOf(const Type& source, const Value& value) {
  if (source.id == TypeId::kDate) {
    return std::get<std::int32_t>(value);
  }
  return FloorDivide(std::get<std::int64_t>(value), 24 * TicksPerHour(source.id));
}

std::int64_t PartOfTime(TransformKind kind, const Type& source, const Value& value) {
  constexpr std::int64_t kEpochYear = 1970;
  if (kind == TransformKind::kHour) {
    return FloorDivide(std::get<std::int64_t>(value), TicksPerHour(source.id));
  }
  const std::int64_t days = DaysOf(source, value);
  if (kind == TransformKind::kDay) {
    return days;
  }
  const CivilDate date = CivilFromDays(days);
  const std::int64_t years = date.year - kEpochYear;
  return kind == TransformKind::kYear ? years : years * 12 + date.month - 1;
}

std::optional<Value> ToInt32(std::int64_t value) {
  const auto narrow = static_cast<std::int32_t>(value);
  return narrow == value ? std::optional<Value>(narrow) : std::nullopt;
}

std::int32_t HashLong(std::int64_t value) {
  return std::bit_cast<std::int32_t>(
      Murmur3(SerializeValue(PrimitiveType(TypeId::kLong), Value(value))));
}

// Absent when the result leaves its type.
std::optional<Value> Apply(const Transform& transform, const Type& source, const Value& value) {
  switch (transform.kind) {
    case TransformKind::kIdentity:
      return value;
    case TransformKind::kBucket:
      return Value((BucketHash(source, value) & std::numeric_limits<std::int32_t>::max()) %
                   transform.parameter);
    case TransformKind::kTruncate:
      return Truncate(source, value, transform.parameter);
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
    case TransformKind::kHour:
      return ToInt32(PartOfTime(transform.kind, source, value));
    case TransformKind::kVoid:
    case TransformKind::kUnknown:
      break;
  }
  return Value();
}

}  // namespace

Result<Transform> ParseTransform(std::string_view text) {
  const std::size_t bracket = std::min(text.find('['), text.size());
  const std::string_view name = text.substr(0, bracket);
  const auto* const found = std::find_if(kNames.begin(), kNames.end(),
                                         [&](const TransformName& n) { return n.name == name; });
  if (found == kNames.end()) {
    return Transform{.kind = TransformKind::kUnknown, .parameter = 0, .text = std::string(text)};
  }
  Transform transform{.kind = found->kind, .parameter = 0};
  const std::string_view rest = text.substr(bracket);
  if (!HasParameter(transform.kind)) {
    if (!rest.empty()) {
      return MakeError(ErrorKind::kInvalidArgument, "transform takes no parameter: '{}'", text);
    }
    return transform;
  }
  const char* const end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data() + std::min<std::size_t>(1, rest.size()),
                                             end, transform.parameter);
  if (error != std::errc() || std::string_view(stop, end) != "]" || transform.parameter < 1) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "transform without a positive parameter: expected {}[N], found '{}'", name,
                     text);
  }
  return transform;
}

std::string ToString(const Transform& transform) {
  if (transform.kind == TransformKind::kUnknown) {
    return transform.text;
  }
  const auto* const found = std::find_if(kNames.begin(), kNames.end(), [&](const TransformName& n) {
    return n.kind == transform.kind;
  });
  SL_CHECK(found != kNames.end());
  return HasParameter(transform.kind) ? fmt::format("{}[{}]", found->name, transform.parameter)
                                      : std::string(found->name);
}

Result<Type> TransformResultType(const Transform& transform, const Type& source) {
  const bool is_source_known = source.id != TypeId::kUnknown;
  if (is_source_known && !Accepts(transform.kind, source)) {
    return MakeError(ErrorKind::kInvalidArgument, "{} cannot be applied to {}", ToString(transform),
                     ToString(source));
  }
  switch (transform.kind) {
    case TransformKind::kIdentity:
    case TransformKind::kTruncate:
    case TransformKind::kVoid:
      return source;
    case TransformKind::kBucket:
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kHour:
      return PrimitiveType(TypeId::kInt);
    case TransformKind::kDay:
      return PrimitiveType(TypeId::kDate);
    case TransformKind::kUnknown:
      break;
  }
  return PrimitiveType(TypeId::kUnknown);
}

Result<Value> ApplyTransform(const Transform& transform, const Type& source, const Value& value) {
  if (transform.kind == TransformKind::kUnknown) {
    return MakeError(ErrorKind::kUnsupported, "transform {} is not supported", transform.text);
  }
  if (!Accepts(transform.kind, source) || !HasTypeOf(source, value)) {
    return MakeError(ErrorKind::kInvalidArgument, "{} cannot be applied to {} {}",
                     ToString(transform), ToString(source), ValueText(source, value));
  }
  if (IsNull(value)) {
    return Value();
  }
  std::optional<Value> result = Apply(transform, source, value);
  if (!result) {
    return OutOfRange(transform, source, value);
  }
  return *std::move(result);
}

std::int32_t BucketHash(const Type& type, const Value& value) {
  constexpr std::int64_t kNanosPerMicro = 1000;
  SL_CHECK(HasTypeOf(type, value) && !IsNull(value));
  switch (type.id) {
    case TypeId::kBoolean:
      return HashLong(std::get<bool>(value) ? 1 : 0);
    case TypeId::kInt:
    case TypeId::kDate:
      // As longs, so that a column keeps its buckets when it is widened.
      return HashLong(std::get<std::int32_t>(value));
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return HashLong(FloorDivide(std::get<std::int64_t>(value), kNanosPerMicro));
    case TypeId::kFloat: {
      const double wide = std::get<float>(value);
      return BucketHash(PrimitiveType(TypeId::kDouble), Value(wide));
    }
    case TypeId::kDouble: {
      // Adding zero makes 0.0 of -0.0: the two are equal and belong together.
      const double number = std::get<double>(value) + 0.0;
      return HashLong(std::bit_cast<std::int64_t>(number));
    }
    default:
      return std::bit_cast<std::int32_t>(Murmur3(SerializeValue(type, value)));
  }
}

std::string PartitionValueText(const Transform& transform, const Type& source, const Value& value) {
  constexpr std::int64_t kEpochYear = 1970;
  const auto* const number = std::get_if<std::int32_t>(&value);
  if (number == nullptr) {
    return ValueText(source, value);
  }
  switch (transform.kind) {
    case TransformKind::kYear:
      return fmt::format("{:04}", kEpochYear + *number);
    case TransformKind::kMonth:
      return fmt::format("{:04}-{:02}", kEpochYear + FloorDivide(*number, 12),
                         FloorRemainder(*number, 12) + 1);
    case TransformKind::kDay:
      return ValueText(PrimitiveType(TypeId::kDate), value);
    case TransformKind::kHour: {
      const auto days = static_cast<std::int32_t>(FloorDivide(*number, 24));
      return fmt::format("{}-{:02}", ValueText(PrimitiveType(TypeId::kDate), Value(days)),
                         FloorRemainder(*number, 24));
    }
    case TransformKind::kBucket:
      return fmt::format("{}", *number);
    default:
      return ValueText(source, value);
  }
}

}  // namespace strandline::table
