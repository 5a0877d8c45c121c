#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

namespace strandline::format::landing {

__extension__ using Int128 = __int128;

// Values from the text in which they land. All of them take the whole of `text` or nothing.

// A JSON number's grammar: `-1.5e3` yes, `+1`, `01`, `1.`, `.5`, `NaN` no.
bool IsJsonNumber(std::string_view text);

// An unscaled decimal of at most `precision` digits; further fraction digits are rounded half away
// from zero, exactly, however many there are.
std::optional<Int128> ParseDecimal(std::string_view text, std::int32_t precision,
                                   std::int32_t scale);

// Microseconds since 1970-01-01T00:00:00Z of `2026-11-30T05:00:00.123456789+01:00`. The `T` may be
// a space, seconds and fraction may be missing, as may the whole time (midnight); of the fraction
// (at most nine digits) microseconds are kept, the rest is cut off. Without a zone it is UTC.
std::optional<std::int64_t> ParseTimestampMicros(std::string_view text);

// Days since 1970-01-01 of `2026-11-30`.
std::optional<std::int32_t> ParseDateDays(std::string_view text);

// Microseconds since midnight of `05:00`, `05:00:00` or `05:00:00.123456`.
std::optional<std::int64_t> ParseTimeMicros(std::string_view text);

// Sixteen bytes of `6f9619ff-8b86-d011-b42d-00c04fc964ff`, in either case.
std::optional<std::string> ParseUuidBytes(std::string_view text);

// `a long`, `a timestamp`, `a decimal(18, 4)`, for messages: "not a long".
std::string TypeWords(const arrow::DataType& type);

}  // namespace strandline::format::landing
