#include "strandline/table/schema/value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace strandline::table {
namespace {

constexpr std::size_t kUuidBytes = 16;

// -0.0 before 0.0, all NaNs equal and above everything.
template <typename Float>
std::strong_ordering CompareFloats(Float a, Float b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) <=> std::isnan(b);
  }
  if (a == 0 && b == 0) {
    return std::signbit(b) <=> std::signbit(a);
  }
  return a < b ? std::strong_ordering::less
               : (a > b ? std::strong_ordering::greater : std::strong_ordering::equal);
}

// std::string compares its characters as unsigned bytes, which is the order of UTF-8 and of binary.
struct ComparesWith {
  const Value& other;

  std::strong_ordering operator()(std::monostate) const { return std::strong_ordering::equal; }
  std::strong_ordering operator()(float value) const {
    return CompareFloats(value, std::get<float>(other));
  }
  std::strong_ordering operator()(double value) const {
    return CompareFloats(value, std::get<double>(other));
  }
  template <typename T>
  std::strong_ordering operator()(const T& value) const {
    return value <=> std::get<T>(other);
  }
};

template <typename Unsigned>
std::string LittleEndian(Unsigned value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    bytes += static_cast<char>((value >> (8U * i)) & 0xffU);
  }
  return bytes;
}

template <typename Unsigned>
Unsigned FromLittleEndian(std::string_view bytes) {
  Unsigned value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    value |= static_cast<Unsigned>(static_cast<Unsigned>(static_cast<unsigned char>(bytes[i]))
                                   << (8U * i));
  }
  return value;
}

__extension__ using UnsignedInt128 = unsigned __int128;

// Two's complement, big-endian, without the leading bytes that only repeat the sign.
std::string MinimalBigEndian(Int128 value) {
  std::string bytes;
  for (std::size_t i = sizeof(Int128); i-- > 0;) {
    bytes += static_cast<char>((static_cast<UnsignedInt128>(value) >> (8U * i)) & 0xffU);
  }
  const char sign = value < 0 ? '\xff' : '\0';
  std::size_t redundant = 0;
  while (redundant + 1 < bytes.size() && bytes[redundant] == sign &&
         (bytes[redundant + 1] & '\x80') == (sign & '\x80')) {
    ++redundant;
  }
  return bytes.substr(redundant);
}

struct Serializer {
  std::string operator()(std::monostate) const {
    SL_CHECK(false);  // Null has no bytes: a bound that would be null is left out.
    return {};
  }
  std::string operator()(bool value) const { return value ? "\x01" : std::string(1, '\0'); }
  std::string operator()(std::int32_t value) const {
    return LittleEndian(static_cast<std::uint32_t>(value));
  }
  std::string operator()(std::int64_t value) const {
    return LittleEndian(static_cast<std::uint64_t>(value));
  }
  std::string operator()(float value) const {
    return LittleEndian(std::bit_cast<std::uint32_t>(value));
  }
  std::string operator()(double value) const {
    return LittleEndian(std::bit_cast<std::uint64_t>(value));
  }
  std::string operator()(Int128 value) const { return MinimalBigEndian(value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const Bytes& value) const { return value.bytes; }
};

Error BadBytes(const Type& type, std::string_view bytes) {
  return MakeError(ErrorKind::kCorrupt, "{} bytes are no single value of type {}", bytes.size(),
                   ToString(type));
}

Result<Value> DeserializeInt(const Type& type, std::string_view bytes) {
  if (bytes.size() == sizeof(std::int32_t)) {
    return Value(static_cast<std::int32_t>(FromLittleEndian<std::uint32_t>(bytes)));
  }
  if (bytes.size() == sizeof(std::int64_t)) {
    const auto wide = static_cast<std::int64_t>(FromLittleEndian<std::uint64_t>(bytes));
    const auto narrow = static_cast<std::int32_t>(wide);
    if (narrow == wide) {
      return Value(narrow);
    }
  }
  return BadBytes(type, bytes);
}

Result<Value> DeserializeLong(const Type& type, std::string_view bytes) {
  if (bytes.size() == sizeof(std::int64_t)) {
    return Value(static_cast<std::int64_t>(FromLittleEndian<std::uint64_t>(bytes)));
  }
  // Written while the column was still an int.
  if (bytes.size() == sizeof(std::int32_t) && type.id == TypeId::kLong) {
    return Value(std::int64_t{static_cast<std::int32_t>(FromLittleEndian<std::uint32_t>(bytes))});
  }
  return BadBytes(type, bytes);
}

Result<Value> DeserializeDouble(const Type& type, std::string_view bytes) {
  if (bytes.size() == sizeof(double)) {
    return Value(std::bit_cast<double>(FromLittleEndian<std::uint64_t>(bytes)));
  }
  // Written while the column was still a float.
  if (bytes.size() == sizeof(float)) {
    return Value(double{std::bit_cast<float>(FromLittleEndian<std::uint32_t>(bytes))});
  }
  return BadBytes(type, bytes);
}

Result<Value> DeserializeDecimal(const Type& type, std::string_view bytes) {
  if (bytes.empty()) {
    return BadBytes(type, bytes);
  }
  const bool negative = (bytes.front() & '\x80') != 0;
  UnsignedInt128 value = negative ? ~UnsignedInt128{0} : 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t left = bytes.size() - i;
    // Padding in front of what fits must repeat the sign, and so must the sign bit after it.
    if (left > sizeof(Int128) && bytes[i] != (negative ? '\xff' : '\0')) {
      return BadBytes(type, bytes);
    }
    value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
  }
  const auto decimal = static_cast<Int128>(value);
  if ((decimal < 0) != negative) {
    return BadBytes(type, bytes);
  }
  return Value(decimal);
}

}  // namespace

bool IsNan(const Value& value) {
  if (const auto* number = std::get_if<float>(&value)) {
    return std::isnan(*number);
  }
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && std::isnan(*number);
}

std::strong_ordering CompareValues(const Value& a, const Value& b) {
  SL_CHECK(a.index() == b.index() && !IsNull(a));
  return std::visit(ComparesWith{b}, a);
}

std::string SerializeValue(const Type& type, const Value& value) {
  SL_CHECK(HasTypeOf(type, value) && !IsNull(value));
  return std::visit(Serializer(), value);
}

Result<Value> DeserializeValue(const Type& type, std::string_view bytes) {
  switch (type.id) {
    case TypeId::kBoolean:
      if (bytes.size() == 1) {
        return Value(bytes.front() != '\0');
      }
      break;
    case TypeId::kInt:
    case TypeId::kDate:
      return DeserializeInt(type, bytes);
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return DeserializeLong(type, bytes);
    case TypeId::kFloat:
      if (bytes.size() == sizeof(float)) {
        return Value(std::bit_cast<float>(FromLittleEndian<std::uint32_t>(bytes)));
      }
      break;
    case TypeId::kDouble:
      return DeserializeDouble(type, bytes);
    case TypeId::kDecimal:
      return DeserializeDecimal(type, bytes);
    case TypeId::kString:
      return Value(std::string(bytes));
    case TypeId::kUuid:
      if (bytes.size() == kUuidBytes) {
        return Value(Bytes{std::string(bytes)});
      }
      break;
    case TypeId::kFixed:
      // A bound may be cut.
      if (bytes.size() <= static_cast<std::size_t>(type.length)) {
        return Value(Bytes{std::string(bytes)});
      }
      break;
    case TypeId::kBinary:
      return Value(Bytes{std::string(bytes)});
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
    case TypeId::kUnknown:
      break;
  }
  return BadBytes(type, bytes);
}

bool HasTypeOf(const Type& type, const Value& value) {
  if (IsNull(value)) {
    return true;
  }
  switch (type.id) {
    case TypeId::kBoolean:
      return std::holds_alternative<bool>(value);
    case TypeId::kInt:
    case TypeId::kDate:
      return std::holds_alternative<std::int32_t>(value);
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return std::holds_alternative<std::int64_t>(value);
    case TypeId::kFloat:
      return std::holds_alternative<float>(value);
    case TypeId::kDouble:
      return std::holds_alternative<double>(value);
    case TypeId::kDecimal:
      return std::holds_alternative<Int128>(value);
    case TypeId::kString:
      return std::holds_alternative<std::string>(value);
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kBinary:
      return std::holds_alternative<Bytes>(value);
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return false;
    case TypeId::kUnknown:
      return true;
  }
  return false;
}

}  // namespace strandline::table
