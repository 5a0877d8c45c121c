#include "strandline/table/write/internal/leaf_metrics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/api.h>
#include <arrow/util/bit_run_reader.h>
#include <arrow/util/checked_cast.h>

#include "strandline/base/check.h"

namespace strandline::table {
namespace {

using arrow::internal::checked_cast;

constexpr std::int32_t kLongDecimalDigits = 18;

// Calls `visit(first, count)` for each run of values that are not null.
template <typename Visit>
void VisitRuns(const arrow::Array& values, const Visit& visit) {
  if (values.length() == 0) {
    return;
  }
  if (values.null_count() == 0) {
    visit(std::int64_t{0}, values.length());
    return;
  }
  arrow::internal::VisitSetBitRunsVoid(values.null_bitmap_data(), values.offset(), values.length(),
                                       visit);
}

template <typename T>
struct MinMax {
  T min;
  T max;
};

// Several independent pairs, so that one comparison needs not wait for the one before; written as
// selections, so that they become conditional moves (or minimum instructions) and no branches. A
// NaN is never selected.
template <typename T, typename At>
void Widen(MinMax<T>& so_far, std::int64_t count, const At& at) {
  constexpr std::size_t kLanes = 4;
  std::array<T, kLanes> min;
  std::array<T, kLanes> max;
  min.fill(so_far.min);
  max.fill(so_far.max);
  std::int64_t i = 0;
  for (; i + static_cast<std::int64_t>(kLanes) <= count; i += kLanes) {
#pragma GCC unroll 4  // Keeps the pairs in registers.
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const T value = at(i + static_cast<std::int64_t>(lane));
      min[lane] = value < min[lane] ? value : min[lane];
      max[lane] = value > max[lane] ? value : max[lane];
    }
  }
  for (; i < count; ++i) {
    const T value = at(i);
    min[0] = value < min[0] ? value : min[0];
    max[0] = value > max[0] ? value : max[0];
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    so_far.min = min[lane] < so_far.min ? min[lane] : so_far.min;
    so_far.max = max[lane] > so_far.max ? max[lane] : so_far.max;
  }
}

// int32 and int64, and what is stored as them.
template <typename T>
class IntegerMetrics final : public LeafMetrics {
 public:
  void Add(const arrow::Array& values) override {
    const T* raw = values.data()->GetValues<T>(1);
    VisitRuns(values, [&](std::int64_t first, std::int64_t count) {
      const T* run = raw + first;
      Widen(range_, count, [run](std::int64_t i) { return run[i]; });
      any_ = true;
    });
  }

  std::optional<ValueBounds> bounds() const override {
    if (!any_) {
      return std::nullopt;
    }
    return ValueBounds{.lower = range_.min, .upper = range_.max};
  }

 private:
  bool any_ = false;
  MinMax<T> range_ = {std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
};

template <typename T>
class FloatMetrics final : public LeafMetrics {
 public:
  void Add(const arrow::Array& values) override {
    const T* raw = values.data()->GetValues<T>(1);
    VisitRuns(values, [&](std::int64_t first, std::int64_t count) {
      const T* run = raw + first;
      Widen(range_, count, [run](std::int64_t i) { return run[i]; });
      nan_count_ += std::count_if(run, run + count, [](T value) { return std::isnan(value); });
      value_count_ += count;
    });
  }

  std::int64_t nan_count() const override { return nan_count_; }

  std::optional<ValueBounds> bounds() const override {
    if (value_count_ == nan_count_) {
      return std::nullopt;
    }
    return ValueBounds{.lower = range_.min == T{0} ? -T{0} : range_.min,
                       .upper = range_.max == T{0} ? T{0} : range_.max};
  }

 private:
  std::int64_t value_count_ = 0;  // NaNs included.
  std::int64_t nan_count_ = 0;
  MinMax<T> range_ = {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()};
};

// Decimals of Arrow lie as 16 bytes, little-endian. Where the precision allows no more, comparing
// the lower eight is enough: the upper ones repeat the sign.
template <typename T>
class DecimalMetrics final : public LeafMetrics {
 public:
  void Add(const arrow::Array& values) override {
    const std::uint8_t* raw =
        values.data()->GetValues<std::uint8_t>(1, 0) + values.offset() * kWidth;
    VisitRuns(values, [&](std::int64_t first, std::int64_t count) {
      const std::uint8_t* run = raw + first * kWidth;
      Widen(range_, count, [run](std::int64_t i) {
        T value;
        std::memcpy(&value, run + i * kWidth, sizeof(value));
        return value;
      });
      any_ = true;
    });
  }

  std::optional<ValueBounds> bounds() const override {
    if (!any_) {
      return std::nullopt;
    }
    return ValueBounds{.lower = Int128{range_.min}, .upper = Int128{range_.max}};
  }

 private:
  static constexpr std::int64_t kWidth = sizeof(Int128);

  static constexpr T Highest() {
    if constexpr (sizeof(T) == sizeof(std::int64_t)) {
      return std::numeric_limits<std::int64_t>::max();
    } else {
      // numeric_limits knows no Int128 in strict mode.
      return (Int128{1} << 126) - 1 + (Int128{1} << 126);
    }
  }

  bool any_ = false;
  MinMax<T> range_ = {Highest(), -Highest() - 1};
};

class BooleanMetrics final : public LeafMetrics {
 public:
  void Add(const arrow::Array& values) override {
    const auto& typed = checked_cast<const arrow::BooleanArray&>(values);
    const std::int64_t true_count = typed.true_count();
    any_true_ = any_true_ || true_count > 0;
    any_false_ = any_false_ || true_count < values.length() - values.null_count();
  }

  std::optional<ValueBounds> bounds() const override {
    if (!any_true_ && !any_false_) {
      return std::nullopt;
    }
    return ValueBounds{.lower = !any_false_, .upper = any_true_};
  }

 private:
  bool any_true_ = false;
  bool any_false_ = false;
};

// The smallest and the largest of byte strings. Their first eight bytes, as a number, settle nearly
// every comparison.
class BytesRange {
 public:
  // `end` is where the buffer around `data` ends: bytes up to there may be loaded.
  void Offer(const char* data, std::size_t size, const char* end) {
    const std::uint64_t prefix = Prefix(data, size, end);
    if (!any_) {
      any_ = true;
      min_.assign(data, size);
      max_.assign(data, size);
      min_prefix_ = prefix;
      max_prefix_ = prefix;
      return;
    }
    if (prefix <= min_prefix_ && (prefix < min_prefix_ || Compare(data, size, min_) < 0)) {
      min_.assign(data, size);
      min_prefix_ = prefix;
    }
    if (prefix >= max_prefix_ && (prefix > max_prefix_ || Compare(data, size, max_) > 0)) {
      max_.assign(data, size);
      max_prefix_ = prefix;
    }
  }

  bool any() const { return any_; }
  const std::string& min() const { return min_; }
  const std::string& max() const { return max_; }

 private:
  static constexpr std::size_t kPrefixBytes = sizeof(std::uint64_t);

  // The first eight bytes, zeros for those that are missing, ordered as the bytes are. Short
  // values, the most frequent ones, are loaded with what follows them and cut: copying a varying
  // number of bytes costs more than all the rest.
  static std::uint64_t Prefix(const char* data, std::size_t size, const char* end) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t bytes = 0;
    if (end - data < static_cast<std::ptrdiff_t>(kPrefixBytes)) [[unlikely]] {
      std::memcpy(&bytes, data, std::min(size, kPrefixBytes));
    } else {
      std::memcpy(&bytes, data, kPrefixBytes);
      if (size < kPrefixBytes) {
        bytes &= (std::uint64_t{1} << (8U * size)) - 1U;
      }
    }
    return __builtin_bswap64(bytes);
  }

  // The order of two byte strings of the same prefix.
  static int Compare(const char* data, std::size_t size, const std::string& other) {
    if (size <= kPrefixBytes && other.size() <= kPrefixBytes) {
      // All bytes are in the prefix; the longer one has zeros there.
      return size < other.size() ? -1 : static_cast<int>(size > other.size());
    }
    return std::string_view(data, size).compare(other);
  }

  bool any_ = false;
  std::string min_;
  std::string max_;
  std::uint64_t min_prefix_ = 0;
  std::uint64_t max_prefix_ = 0;
};

// Strings and binaries with 32-bit offsets. `Kept` is std::string or Bytes.
template <typename Kept>
class BytesMetrics final : public LeafMetrics {
 public:
  void Add(const arrow::Array& values) override {
    const auto& typed = checked_cast<const arrow::BinaryArray&>(values);
    const std::int32_t* offsets = typed.raw_value_offsets();
    const std::shared_ptr<arrow::Buffer>& buffer = typed.value_data();
    const bool has_bytes = buffer != nullptr && buffer->data() != nullptr;
    const char* data = has_bytes ? reinterpret_cast<const char*>(buffer->data()) : "";
    const char* end = data + (has_bytes ? buffer->size() : 0);
    VisitRuns(values, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) {
        range_.Offer(data + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i]), end);
      }
    });
  }

  std::optional<ValueBounds> bounds() const override {
    if (!range_.any()) {
      return std::nullopt;
    }
    return ValueBounds{.lower = Kept{range_.min()}, .upper = Kept{range_.max()}};
  }

 private:
  BytesRange range_;
};

class FixedBytesMetrics final : public LeafMetrics {
 public:
  void Add(const arrow::Array& values) override {
    const auto& typed = checked_cast<const arrow::FixedSizeBinaryArray&>(values);
    const auto width = static_cast<std::size_t>(typed.byte_width());
    VisitRuns(values, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) {
        const auto* value = reinterpret_cast<const char*>(typed.GetValue(i));
        range_.Offer(value, width, value + width);
      }
    });
  }

  std::optional<ValueBounds> bounds() const override {
    if (!range_.any()) {
      return std::nullopt;
    }
    return ValueBounds{.lower = Bytes{range_.min()}, .upper = Bytes{range_.max()}};
  }

 private:
  BytesRange range_;
};

}  // namespace

std::unique_ptr<LeafMetrics> MakeLeafMetrics(const Type& type) {
  switch (type.id) {
    case TypeId::kBoolean:
      return std::make_unique<BooleanMetrics>();
    case TypeId::kInt:
    case TypeId::kDate:
      return std::make_unique<IntegerMetrics<std::int32_t>>();
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return std::make_unique<IntegerMetrics<std::int64_t>>();
    case TypeId::kFloat:
      return std::make_unique<FloatMetrics<float>>();
    case TypeId::kDouble:
      return std::make_unique<FloatMetrics<double>>();
    case TypeId::kDecimal:
      if (type.precision <= kLongDecimalDigits) {
        return std::make_unique<DecimalMetrics<std::int64_t>>();
      }
      return std::make_unique<DecimalMetrics<Int128>>();
    case TypeId::kString:
      return std::make_unique<BytesMetrics<std::string>>();
    case TypeId::kBinary:
      return std::make_unique<BytesMetrics<Bytes>>();
    case TypeId::kUuid:
    case TypeId::kFixed:
      return std::make_unique<FixedBytesMetrics>();
    case TypeId::kUnknown:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      break;
  }
  SL_CHECK(false && "only primitive columns have leaf metrics");
  return nullptr;
}

}  // namespace strandline::table
