#include "strandline/format/landing/internal/column_conversion.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <arrow/api.h>
#include <arrow/compute/cast.h>
#include <arrow/util/utf8.h>

#include "strandline/base/check.h"
#include "strandline/format/batch/arrow_status.h"
#include "strandline/format/landing/internal/text_value.h"

namespace strandline::format::landing {
namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

// The values of a fixed-width array, its offset applied.
template <typename Value>
const Value* ValuesOf(const arrow::Array& array) {
  return array.data()->GetValues<Value>(1);
}

// The validity bitmap of `array` for an array without an offset; null when nothing is null.
Result<std::shared_ptr<arrow::Buffer>> ValidityOf(const arrow::Array& array) {
  if (array.null_count() == 0) {
    return std::shared_ptr<arrow::Buffer>();
  }
  if (array.offset() == 0) {
    return array.null_bitmap();
  }
  arrow::TypedBufferBuilder<bool> bitmap;
  SL_TRY(FromArrow(bitmap.Reserve(array.length())));
  for (std::int64_t i = 0; i < array.length(); ++i) {
    bitmap.UnsafeAppend(array.IsValid(i));
  }
  return FromArrow(bitmap.Finish());
}

// Converts value by value: `convert` gives a `To`, or nothing for what does not fit.
template <typename From, typename To, typename Convert>
ConvertColumn EachValue(TypePtr to, Convert convert) {
  return [to = std::move(to), convert = std::move(convert)](
             const std::shared_ptr<arrow::Array>& landed) -> Result<ConvertedColumn> {
    const std::int64_t count = landed->length();
    std::shared_ptr<arrow::Buffer> buffer =
        SL_TRY(FromArrow(arrow::AllocateBuffer(count * static_cast<std::int64_t>(sizeof(To)))));
    const From* in = ValuesOf<From>(*landed);
    To* out = reinterpret_cast<To*>(buffer->mutable_data());
    ConvertedColumn converted;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::optional<To> value = convert(in[i]);
      out[i] = value.value_or(To{});
      if (!value && landed->IsValid(i)) {
        converted.misfits.push_back(i);
      }
    }
    std::shared_ptr<arrow::Buffer> validity = SL_TRY(ValidityOf(*landed));
    converted.values = arrow::MakeArray(arrow::ArrayData::Make(
        to, count, {std::move(validity), std::move(buffer)}, landed->null_count()));
    return converted;
  };
}

Result<ConvertedColumn> HandOn(const std::shared_ptr<arrow::Array>& landed) {
  return ConvertedColumn{.values = landed, .misfits = {}};
}

// The same bytes under another type (a timestamp of another zone, for example).
ConvertColumn Relabel(TypePtr to) {
  return
      [to = std::move(to)](const std::shared_ptr<arrow::Array>& landed) -> Result<ConvertedColumn> {
        const std::shared_ptr<arrow::ArrayData> data = landed->data()->Copy();
        data->type = to;
        return ConvertedColumn{.values = arrow::MakeArray(data), .misfits = {}};
      };
}

// Arrow's own cast, for layouts only (dictionaries, views, large offsets): it never fails for a
// value.
ConvertColumn CastLayout(TypePtr to, ConvertColumn then) {
  return [to = std::move(to), then = std::move(then)](
             const std::shared_ptr<arrow::Array>& landed) -> Result<ConvertedColumn> {
    const std::shared_ptr<arrow::Array> cast =
        SL_TRY(FromArrow(arrow::compute::Cast(*landed, to, arrow::compute::CastOptions::Safe())));
    return then(cast);
  };
}

// Calls `use(static_cast<Integer*>(nullptr))` for the C++ type of an integer column; false for any
// other type.
template <typename Use>
bool WithInteger(arrow::Type::type id, const Use& use) {
  switch (id) {
    case arrow::Type::INT8:
      return use(std::type_identity<std::int8_t>()), true;
    case arrow::Type::INT16:
      return use(std::type_identity<std::int16_t>()), true;
    case arrow::Type::INT32:
      return use(std::type_identity<std::int32_t>()), true;
    case arrow::Type::INT64:
      return use(std::type_identity<std::int64_t>()), true;
    case arrow::Type::UINT8:
      return use(std::type_identity<std::uint8_t>()), true;
    case arrow::Type::UINT16:
      return use(std::type_identity<std::uint16_t>()), true;
    case arrow::Type::UINT32:
      return use(std::type_identity<std::uint32_t>()), true;
    case arrow::Type::UINT64:
      return use(std::type_identity<std::uint64_t>()), true;
    default:
      return false;
  }
}

template <typename To>
std::optional<ConvertColumn> ToInteger(const TypePtr& from, const TypePtr& to) {
  std::optional<ConvertColumn> found;
  WithInteger(from->id(), [&]<typename From>(std::type_identity<From>) {
    found = EachValue<From, To>(to, [](From value) -> std::optional<To> {
      if (!std::in_range<To>(value)) {
        return std::nullopt;
      }
      return static_cast<To>(value);
    });
  });
  return found;
}

// Whole numbers only where none is changed; fractions may be rounded to a float, but not to
// infinity.
template <typename To>
std::optional<ConvertColumn> ToReal(const TypePtr& from, const TypePtr& to) {
  std::optional<ConvertColumn> found;
  WithInteger(from->id(), [&]<typename From>(std::type_identity<From>) {
    found = EachValue<From, To>(to, [](From value) -> std::optional<To> {
      constexpr auto kExactMax = std::int64_t{1} << std::numeric_limits<To>::digits;
      if (std::cmp_greater(value, kExactMax) || std::cmp_less(value, -kExactMax)) {
        return std::nullopt;
      }
      return static_cast<To>(value);
    });
  });
  if (from->id() == arrow::Type::FLOAT) {
    found = EachValue<float, To>(to, [](float value) { return std::optional(To{value}); });
  }
  if (from->id() == arrow::Type::DOUBLE) {
    found = EachValue<double, To>(to, [](double value) -> std::optional<To> {
      const To rounded = static_cast<To>(value);
      if (std::isinf(rounded) && !std::isinf(value)) {
        return std::nullopt;
      }
      return rounded;
    });
  }
  return found;
}

Int128 PowerOfTen(std::int32_t exponent) {
  Int128 power = 1;
  for (std::int32_t i = 0; i < exponent; ++i) {
    power *= 10;
  }
  return power;
}

// Sixteen bytes, little-endian, as decimal128 arrays hold them; they need not be aligned as Int128.
struct Unscaled {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

Unscaled Pack(Int128 value) {
  return {.low = static_cast<std::uint64_t>(value),
          .high = static_cast<std::uint64_t>(value >> 64)};
}

Int128 Unpack(Unscaled value) {
  return (static_cast<Int128>(static_cast<std::int64_t>(value.high)) << 64) | value.low;
}

std::optional<ConvertColumn> ToDecimal(const TypePtr& from, const TypePtr& to) {
  const auto& decimal = static_cast<const arrow::Decimal128Type&>(*to);
  const Int128 limit = PowerOfTen(decimal.precision());
  std::optional<ConvertColumn> found;
  WithInteger(from->id(), [&]<typename From>(std::type_identity<From>) {
    const Int128 scale = PowerOfTen(decimal.scale());
    found = EachValue<From, Unscaled>(to, [=](From value) -> std::optional<Unscaled> {
      // |value| < 10^20 and scale < 10^39 could overflow together: compare before multiplying.
      const Int128 most = (limit - 1) / scale;
      if (Int128{value} > most || Int128{value} < -most) {
        return std::nullopt;
      }
      return Pack(Int128{value} * scale);
    });
  });
  const auto from_real = [scale = std::pow(10.0, decimal.scale()),
                          limit](double value) -> std::optional<Unscaled> {
    // std::round: half away from zero. False for NaN and infinities too.
    const double scaled = std::round(value * scale);
    if (!(std::abs(scaled) < static_cast<double>(limit))) {
      return std::nullopt;
    }
    return Pack(static_cast<Int128>(scaled));
  };
  if (from->id() == arrow::Type::FLOAT) {
    found = EachValue<float, Unscaled>(to, [from_real](float value) { return from_real(value); });
  }
  if (from->id() == arrow::Type::DOUBLE) {
    found = EachValue<double, Unscaled>(to, from_real);
  }
  if (from->id() == arrow::Type::DECIMAL128) {
    const std::int32_t shift =
        decimal.scale() - static_cast<const arrow::Decimal128Type&>(*from).scale();
    const Int128 factor = PowerOfTen(std::abs(shift));
    found = EachValue<Unscaled, Unscaled>(to, [=](Unscaled packed) -> std::optional<Unscaled> {
      const Int128 value = Unpack(packed);
      if (shift >= 0) {
        const Int128 most = (limit - 1) / factor;
        return value > most || value < -most ? std::nullopt : std::optional(Pack(value * factor));
      }
      const Int128 rest = value % factor;
      const Int128 away = value < 0 ? -1 : 1;
      const Int128 rounded = value / factor + (2 * (rest * away) >= factor ? away : 0);
      return rounded >= limit || rounded <= -limit ? std::nullopt : std::optional(Pack(rounded));
    });
  }
  return found;
}

// From one unit of time to a finer or a coarser one; coarser cuts off towards the past.
template <typename From>
ConvertColumn Rescale(const TypePtr& to, std::int64_t multiply, std::int64_t divide) {
  return EachValue<From, std::int64_t>(to, [=](From value) -> std::optional<std::int64_t> {
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(std::int64_t{value}, multiply, &scaled)) {
      return std::nullopt;
    }
    const std::int64_t whole = scaled / divide;
    return scaled % divide < 0 ? whole - 1 : whole;
  });
}

template <typename From>
ConvertColumn ToMicros(const TypePtr& to, arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return Rescale<From>(to, 1'000'000, 1);
    case arrow::TimeUnit::MILLI:
      return Rescale<From>(to, 1'000, 1);
    case arrow::TimeUnit::MICRO:
      return Rescale<From>(to, 1, 1);
    case arrow::TimeUnit::NANO:
      return Rescale<From>(to, 1, 1'000);
  }
  SL_CHECK(false && "no such unit");
}

std::optional<ConvertColumn> ToTimestamp(const TypePtr& from, const TypePtr& to) {
  if (from->id() == arrow::Type::DATE32) {
    return Rescale<std::int32_t>(to, 86'400'000'000, 1);
  }
  if (from->id() != arrow::Type::TIMESTAMP) {
    return std::nullopt;
  }
  const arrow::TimeUnit::type unit = static_cast<const arrow::TimestampType&>(*from).unit();
  return unit == arrow::TimeUnit::MICRO ? Relabel(to) : ToMicros<std::int64_t>(to, unit);
}

std::optional<ConvertColumn> ToTime(const TypePtr& from, const TypePtr& to) {
  if (from->id() == arrow::Type::TIME32) {
    return ToMicros<std::int32_t>(to, static_cast<const arrow::Time32Type&>(*from).unit());
  }
  if (from->id() == arrow::Type::TIME64) {
    return ToMicros<std::int64_t>(to, static_cast<const arrow::Time64Type&>(*from).unit());
  }
  return std::nullopt;
}

std::optional<ConvertColumn> ToDate(const TypePtr& from, const TypePtr& to) {
  if (from->id() != arrow::Type::DATE64) {
    return std::nullopt;
  }
  return EachValue<std::int64_t, std::int32_t>(
      to, [](std::int64_t millis) -> std::optional<std::int32_t> {
        constexpr std::int64_t kDay = 86'400'000;
        const std::int64_t days = millis / kDay - (millis % kDay < 0 ? 1 : 0);
        return std::in_range<std::int32_t>(days) ? std::optional(static_cast<std::int32_t>(days))
                                                 : std::nullopt;
      });
}

bool IsValidUtf8(std::string_view text) { return arrow::util::ValidateUTF8(text); }

// Whether every value is UTF-8, looking at all of them at once: the bytes as a whole are, and no
// value begins in the middle of a character.
bool AllValidUtf8(const arrow::BinaryArray& array) {
  if (array.length() == 0) {
    return true;
  }
  const auto* data = reinterpret_cast<const char*>(array.raw_data());
  const std::int32_t begin = array.value_offset(0);
  const std::int32_t end = array.value_offset(array.length());
  if (begin == end) {
    return true;
  }
  if (!IsValidUtf8(std::string_view(data + begin, static_cast<std::size_t>(end - begin)))) {
    return false;
  }
  for (std::int64_t i = 0; i < array.length(); ++i) {
    const std::int32_t at = array.value_offset(i);
    if (at < end && (static_cast<unsigned char>(data[at]) & 0xc0U) == 0x80U) {
      return false;
    }
  }
  return true;
}

Result<ConvertedColumn> CheckText(const std::shared_ptr<arrow::Array>& landed) {
  const auto& text = static_cast<const arrow::BinaryArray&>(*landed);
  ConvertedColumn converted{.values = landed, .misfits = {}};
  if (AllValidUtf8(text)) {
    return converted;
  }
  for (std::int64_t i = 0; i < text.length(); ++i) {
    if (text.IsValid(i) && !IsValidUtf8(text.GetView(i))) {
      converted.misfits.push_back(i);
    }
  }
  return converted;
}

std::optional<ConvertColumn> ToText(const TypePtr& from, const TypePtr& to) {
  arrow::util::InitializeUTF8();
  switch (from->id()) {
    case arrow::Type::STRING:
      return CheckText;
    case arrow::Type::BINARY:  // Text of writers that do not annotate it.
      return ConvertColumn([to, relabel = Relabel(to)](const std::shared_ptr<arrow::Array>& landed)
                               -> Result<ConvertedColumn> {
        const ConvertedColumn relabelled = SL_TRY(relabel(landed));
        return CheckText(relabelled.values);
      });
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return CastLayout(to, CheckText);
    default:
      return std::nullopt;
  }
}

std::optional<ConvertColumn> ToBytes(const TypePtr& from, const TypePtr& to) {
  switch (from->id()) {
    case arrow::Type::STRING:
      return Relabel(to);
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
      return CastLayout(to, HandOn);
    default:
      return std::nullopt;
  }
}

// A uuid that landed as text.
Result<ConvertedColumn> ParseUuids(const std::shared_ptr<arrow::Array>& landed, const TypePtr& to) {
  const auto& text = static_cast<const arrow::StringArray&>(*landed);
  arrow::FixedSizeBinaryBuilder builder(to);
  ConvertedColumn converted;
  for (std::int64_t i = 0; i < text.length(); ++i) {
    const std::optional<std::string> bytes =
        text.IsValid(i) ? ParseUuidBytes(text.GetView(i)) : std::nullopt;
    if (bytes) {
      SL_TRY(FromArrow(builder.Append(*bytes)));
      continue;
    }
    SL_TRY(FromArrow(builder.AppendNull()));
    if (text.IsValid(i)) {
      converted.misfits.push_back(i);
    }
  }
  converted.values = SL_TRY(FromArrow(builder.Finish()));
  return converted;
}

std::optional<ConvertColumn> ToFixedBytes(const TypePtr& from, const TypePtr& to) {
  constexpr std::int32_t kUuidBytes = 16;
  if (from->id() != arrow::Type::STRING ||
      static_cast<const arrow::FixedSizeBinaryType&>(*to).byte_width() != kUuidBytes) {
    return std::nullopt;
  }
  return ConvertColumn(
      [to](const std::shared_ptr<arrow::Array>& landed) -> Result<ConvertedColumn> {
        return ParseUuids(landed, to);
      });
}

std::optional<ConvertColumn> Find(const TypePtr& from, const TypePtr& to) {
  switch (to->id()) {
    case arrow::Type::INT32:
      return ToInteger<std::int32_t>(from, to);
    case arrow::Type::INT64:
      return ToInteger<std::int64_t>(from, to);
    case arrow::Type::FLOAT:
      return ToReal<float>(from, to);
    case arrow::Type::DOUBLE:
      return ToReal<double>(from, to);
    case arrow::Type::DECIMAL128:
      return ToDecimal(from, to);
    case arrow::Type::DATE32:
      return ToDate(from, to);
    case arrow::Type::TIME64:
      return ToTime(from, to);
    case arrow::Type::TIMESTAMP:
      return ToTimestamp(from, to);
    case arrow::Type::STRING:
      return ToText(from, to);
    case arrow::Type::BINARY:
      return ToBytes(from, to);
    case arrow::Type::FIXED_SIZE_BINARY:
      return ToFixedBytes(from, to);
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<ConvertColumn> FindConversion(const TypePtr& from, const TypePtr& to) {
  if (from->id() == arrow::Type::DICTIONARY) {
    const TypePtr& values = static_cast<const arrow::DictionaryType&>(*from).value_type();
    ConvertColumn then = SL_TRY(FindConversion(values, to));
    return CastLayout(values, std::move(then));
  }
  // Text is looked at even if its type is right: Parquet does not check that it is UTF-8.
  if (from->Equals(*to) && to->id() != arrow::Type::STRING) {
    return ConvertColumn(HandOn);
  }
  if (std::optional<ConvertColumn> found = Find(from, to)) {
    return *std::move(found);
  }
  return MakeError(ErrorKind::kInvalidArgument, "{} cannot become {}", from->ToString(),
                   to->ToString());
}

}  // namespace strandline::format::landing
