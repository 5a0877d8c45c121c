#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

#include <fmt/format.h>

namespace strandline {

// A number that names something. Ids of different things have different types, so that two of them
// cannot be swapped by accident: using SnapshotId = Id<struct SnapshotIdTag>;
template <typename Tag, typename Rep = std::int64_t>
class Id {
 public:
  using rep = Rep;

  constexpr Id() = default;
  constexpr explicit Id(Rep value) : value_(value) {}

  constexpr Rep value() const { return value_; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  Rep value_ = 0;
};

}  // namespace strandline

template <typename Tag, typename Rep>
struct std::hash<strandline::Id<Tag, Rep>> {
  std::size_t operator()(strandline::Id<Tag, Rep> id) const noexcept {
    return std::hash<Rep>{}(id.value());
  }
};

template <typename Tag, typename Rep>
struct fmt::formatter<strandline::Id<Tag, Rep>> : fmt::formatter<Rep> {
  template <typename Context>
  auto format(strandline::Id<Tag, Rep> id, Context& context) const {
    return fmt::formatter<Rep>::format(id.value(), context);
  }
};
