#include "strandline/format/parquet/bloom_hash.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <arrow/api.h>
#include <arrow/util/checked_cast.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "strandline/base/check.h"

namespace strandline::format {
namespace {

constexpr std::int32_t kInt32DecimalDigits = 9;
constexpr std::int32_t kInt64DecimalDigits = 18;

template <typename T>
std::uint64_t HashOf(const T& value) {
  return XXH64(&value, sizeof(value), 0);
}

// Calls `hash(row)` for each row that is not null.
template <typename Hash>
std::vector<std::uint64_t> HashRows(const arrow::Array& values, const Hash& hash) {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(values.length()), 0);
  const bool any_null = values.null_count() > 0;
  for (std::int64_t row = 0; row < values.length(); ++row) {
    if (!any_null || values.IsValid(row)) {
      hashes[static_cast<std::size_t>(row)] = hash(row);
    }
  }
  return hashes;
}

// Numbers of up to 64 bits, widened to what Parquet stores.
template <typename ArrowType, typename Stored>
std::vector<std::uint64_t> HashNumbers(const arrow::Array& values) {
  const auto* raw = values.data()->GetValues<typename ArrowType::c_type>(1);
  return HashRows(values,
                  [raw](std::int64_t row) { return HashOf(static_cast<Stored>(raw[row])); });
}

template <typename T>
std::vector<std::uint64_t> HashFloats(const arrow::Array& values) {
  const auto* raw = values.data()->GetValues<T>(1);
  return HashRows(values, [raw](std::int64_t row) {
    return HashOf(std::isnan(raw[row]) ? std::numeric_limits<T>::quiet_NaN() : raw[row]);
  });
}

template <typename ArrayType>
std::vector<std::uint64_t> HashViews(const arrow::Array& values) {
  const auto& typed = arrow::internal::checked_cast<const ArrayType&>(values);
  return HashRows(values, [&typed](std::int64_t row) { return BloomHash(typed.GetView(row)); });
}

// Decimals of 16 or 32 bytes, little-endian, stored in the last bytes that their precision needs.
std::vector<std::uint64_t> HashDecimals(const arrow::Array& values, const PhysicalType& stored) {
  const auto& type = arrow::internal::checked_cast<const arrow::FixedWidthType&>(*values.type());
  const auto width = static_cast<std::size_t>(type.byte_width());
  const std::uint8_t* raw = values.data()->GetValues<std::uint8_t>(1, 0) +
                            values.offset() * static_cast<std::int64_t>(width);
  if (stored.kind != PhysicalKind::kFixedBytes) {
    // A decimal in an int32 or int64 is the low part of its two's complement.
    const std::size_t size = stored.kind == PhysicalKind::kInt32 ? 4 : 8;
    return HashRows(values, [=](std::int64_t row) {
      return XXH64(raw + static_cast<std::size_t>(row) * width, size, 0);
    });
  }
  const auto size = static_cast<std::size_t>(stored.length);
  SL_CHECK(size <= width);
  return HashRows(values, [=](std::int64_t row) {
    std::array<std::uint8_t, 32> big_endian{};
    const std::uint8_t* value = raw + static_cast<std::size_t>(row) * width;
    std::reverse_copy(value, value + size, big_endian.begin());
    return XXH64(big_endian.data(), size, 0);
  });
}

Result<std::vector<std::uint64_t>> HashDictionary(const arrow::DictionaryArray& values) {
  const std::vector<std::uint64_t> by_index = SL_TRY(BloomHashes(*values.dictionary()));
  return HashRows(values, [&](std::int64_t row) {
    return by_index[static_cast<std::size_t>(values.GetValueIndex(row))];
  });
}

}  // namespace

std::uint64_t BloomHash(std::string_view plain_bytes) {
  return XXH64(plain_bytes.data(), plain_bytes.size(), 0);
}

std::optional<PhysicalType> BloomPhysicalType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::UINT8:
    case arrow::Type::UINT16:
    case arrow::Type::UINT32:
    case arrow::Type::DATE32:
      return PhysicalType{.kind = PhysicalKind::kInt32};
    case arrow::Type::INT64:
    case arrow::Type::UINT64:
    case arrow::Type::TIME64:
      return PhysicalType{.kind = PhysicalKind::kInt64};
    case arrow::Type::TIMESTAMP:
      if (arrow::internal::checked_cast<const arrow::TimestampType&>(type).unit() ==
          arrow::TimeUnit::SECOND) {
        return std::nullopt;
      }
      return PhysicalType{.kind = PhysicalKind::kInt64};
    case arrow::Type::FLOAT:
      return PhysicalType{.kind = PhysicalKind::kFloat};
    case arrow::Type::DOUBLE:
      return PhysicalType{.kind = PhysicalKind::kDouble};
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return PhysicalType{.kind = PhysicalKind::kByteArray};
    case arrow::Type::FIXED_SIZE_BINARY:
      return PhysicalType{
          .kind = PhysicalKind::kFixedBytes,
          .length =
              arrow::internal::checked_cast<const arrow::FixedSizeBinaryType&>(type).byte_width()};
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const std::int32_t precision =
          arrow::internal::checked_cast<const arrow::DecimalType&>(type).precision();
      if (precision <= kInt32DecimalDigits) {
        return PhysicalType{.kind = PhysicalKind::kInt32};
      }
      if (precision <= kInt64DecimalDigits) {
        return PhysicalType{.kind = PhysicalKind::kInt64};
      }
      return PhysicalType{.kind = PhysicalKind::kFixedBytes,
                          .length = arrow::DecimalType::DecimalSize(precision)};
    }
    case arrow::Type::DICTIONARY:
      return BloomPhysicalType(
          *arrow::internal::checked_cast<const arrow::DictionaryType&>(type).value_type());
    case arrow::Type::EXTENSION:
      return BloomPhysicalType(
          *arrow::internal::checked_cast<const arrow::ExtensionType&>(type).storage_type());
    default:
      return std::nullopt;
  }
}

Result<std::vector<std::uint64_t>> BloomHashes(const arrow::Array& values) {
  const std::optional<PhysicalType> stored = BloomPhysicalType(*values.type());
  if (!stored) {
    return MakeError(ErrorKind::kUnsupported, "bloom filters do not hold values of type {}",
                     values.type()->ToString());
  }
  switch (values.type_id()) {
    case arrow::Type::INT8:
      return HashNumbers<arrow::Int8Type, std::int32_t>(values);
    case arrow::Type::INT16:
      return HashNumbers<arrow::Int16Type, std::int32_t>(values);
    case arrow::Type::UINT8:
      return HashNumbers<arrow::UInt8Type, std::int32_t>(values);
    case arrow::Type::UINT16:
      return HashNumbers<arrow::UInt16Type, std::int32_t>(values);
    case arrow::Type::INT32:
    case arrow::Type::UINT32:
    case arrow::Type::DATE32:
      return HashNumbers<arrow::Int32Type, std::int32_t>(values);
    case arrow::Type::INT64:
    case arrow::Type::UINT64:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
      return HashNumbers<arrow::Int64Type, std::int64_t>(values);
    case arrow::Type::FLOAT:
      return HashFloats<float>(values);
    case arrow::Type::DOUBLE:
      return HashFloats<double>(values);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return HashViews<arrow::BinaryArray>(values);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return HashViews<arrow::LargeBinaryArray>(values);
    case arrow::Type::FIXED_SIZE_BINARY:
      return HashViews<arrow::FixedSizeBinaryArray>(values);
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return HashDecimals(values, *stored);
    case arrow::Type::DICTIONARY:
      return HashDictionary(arrow::internal::checked_cast<const arrow::DictionaryArray&>(values));
    case arrow::Type::EXTENSION:
      return BloomHashes(
          *arrow::internal::checked_cast<const arrow::ExtensionArray&>(values).storage());
    default:
      SL_CHECK(false && "BloomPhysicalType allows a type that BloomHashes does not hash");
      return std::vector<std::uint64_t>{};
  }
}

}  // namespace strandline::format
