#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace strandline::pipeline::ingest {

// One row of a landing unit: which of its files, and which row of that. Ordered as STATE.md rule 22
// wants it: the lowest file first, in it the lowest position.
class RowId {
 public:
  static constexpr std::size_t kFileCountMax = std::size_t{1} << 24;
  static constexpr std::int64_t kFileRowsMax = std::int64_t{1} << 40;

  RowId() = default;
  // `file` < kFileCountMax, 0 <= `row` < kFileRowsMax: checked where files are opened and counted.
  RowId(std::size_t file, std::int64_t row)
      : value_((static_cast<std::uint64_t>(file) << 40) | static_cast<std::uint64_t>(row)) {}

  std::size_t file() const { return static_cast<std::size_t>(value_ >> 40); }
  std::int64_t row() const {
    return static_cast<std::int64_t>(value_ & ((std::uint64_t{1} << 40) - 1));
  }

  friend auto operator<=>(const RowId&, const RowId&) = default;

 private:
  std::uint64_t value_ = 0;
};

}  // namespace strandline::pipeline::ingest
