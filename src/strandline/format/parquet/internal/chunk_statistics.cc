#include "strandline/format/parquet/internal/chunk_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <parquet/statistics.h>

namespace strandline::format {
namespace {

enum class Side { kMin, kMax };

// Writers disagree about NaN and about the sign of zero in bounds; the specification tells readers
// to ignore the one and to widen the other.
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift (ColumnOrder)
template <typename T>
std::optional<std::string> FloatBound(std::string_view bytes, Side side) {
  if (bytes.size() != sizeof(T)) {
    return std::nullopt;
  }
  T value{};
  std::memcpy(&value, bytes.data(), sizeof(T));
  if (std::isnan(value)) {
    return std::nullopt;
  }
  if (value == T{0}) {
    value = side == Side::kMin ? -T{0} : T{0};
  }
  std::string bound(sizeof(T), '\0');
  std::memcpy(bound.data(), &value, sizeof(T));
  return bound;
}

bool IsDecimal(const parquet::ColumnDescriptor& column) {
  return (column.logical_type() != nullptr && column.logical_type()->is_decimal()) ||
         column.converted_type() == parquet::ConvertedType::DECIMAL;
}

std::optional<std::string> Bound(const parquet::ColumnDescriptor& column, std::string bytes,
                                 Side side) {
  std::size_t size = bytes.size();
  switch (column.physical_type()) {
    case parquet::Type::BOOLEAN:
      size = 1;
      break;
    case parquet::Type::INT32:
      size = sizeof(std::int32_t);
      break;
    case parquet::Type::INT64:
      size = sizeof(std::int64_t);
      break;
    case parquet::Type::FLOAT:
      return FloatBound<float>(bytes, side);
    case parquet::Type::DOUBLE:
      return FloatBound<double>(bytes, side);
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      // Cut bounds of byte strings are bounds; cut decimals are other numbers.
      if (IsDecimal(column)) {
        size = static_cast<std::size_t>(column.type_length());
      }
      break;
    default:
      break;
  }
  if (bytes.size() != size || (IsDecimal(column) && size == 0)) {
    return std::nullopt;
  }
  const bool is_little_endian = column.physical_type() == parquet::Type::INT32 ||
                                column.physical_type() == parquet::Type::INT64;
  if (IsDecimal(column) && is_little_endian) {
    std::reverse(bytes.begin(), bytes.end());
  }
  return bytes;
}

}  // namespace

ChunkStatistics StatisticsOf(const parquet::ColumnChunkMetaData& chunk,
                             const parquet::ColumnDescriptor& column) {
  ChunkStatistics result;
  const std::shared_ptr<parquet::EncodedStatistics> encoded = chunk.encoded_statistics();
  if (encoded == nullptr) {
    return result;
  }
  if (encoded->has_null_count && encoded->null_count >= 0) {
    result.null_count = encoded->null_count;
  }
  if (encoded->has_min) {
    result.min = Bound(column, encoded->min(), Side::kMin);
  }
  if (encoded->has_max) {
    result.max = Bound(column, encoded->max(), Side::kMax);
  }
  // Who got one side wrong (a NaN that was compared) has not earned trust in the other.
  if ((encoded->has_min && !result.min) || (encoded->has_max && !result.max)) {
    result.min.reset();
    result.max.reset();
  }
  return result;
}

}  // namespace strandline::format
