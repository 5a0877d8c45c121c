#include <roaring/roaring64map.hh>

#include "strandline/base/check.h"
#include "strandline/table/deletes/position_deletes.h"

namespace strandline::table {
namespace {

std::uint64_t Unsigned(std::int64_t position) {
  SL_CHECK(position >= 0);
  return static_cast<std::uint64_t>(position);
}

}  // namespace

struct PositionSet::Bitmap {
  Roaring64Map map;
};

PositionSet::PositionSet() : bitmap_(std::make_unique<Bitmap>()) {}
PositionSet::~PositionSet() = default;
PositionSet::PositionSet(PositionSet&&) noexcept = default;
PositionSet& PositionSet::operator=(PositionSet&&) noexcept = default;

void PositionSet::Add(std::int64_t position) { bitmap_->map.add(Unsigned(position)); }

void PositionSet::AddAll(const PositionSet& other) { bitmap_->map |= other.bitmap_->map; }

bool PositionSet::Contains(std::int64_t position) const {
  return position >= 0 && bitmap_->map.contains(Unsigned(position));
}

bool PositionSet::empty() const { return bitmap_->map.isEmpty(); }

std::int64_t PositionSet::size() const {
  return static_cast<std::int64_t>(bitmap_->map.cardinality());
}

std::int64_t PositionSet::CountIn(std::int64_t first, std::int64_t count) const {
  if (count <= 0) {
    return 0;
  }
  const std::uint64_t before = first == 0 ? 0 : bitmap_->map.rank(Unsigned(first - 1));
  return static_cast<std::int64_t>(bitmap_->map.rank(Unsigned(first + count - 1)) - before);
}

std::vector<std::int64_t> PositionSet::Positions() const {
  std::vector<std::int64_t> positions;
  positions.reserve(bitmap_->map.cardinality());
  for (const std::uint64_t position : bitmap_->map) {
    positions.push_back(static_cast<std::int64_t>(position));
  }
  return positions;
}

std::vector<std::int64_t> PositionSet::PositionsIn(std::int64_t first, std::int64_t count) const {
  std::vector<std::int64_t> positions;
  if (count <= 0 || bitmap_->map.isEmpty()) {
    return positions;
  }
  auto position = bitmap_->map.begin();
  if (!position.move(Unsigned(first))) {
    return positions;
  }
  const std::uint64_t end = Unsigned(first + count);
  for (; position != bitmap_->map.end() && *position < end; ++position) {
    positions.push_back(static_cast<std::int64_t>(*position));
  }
  return positions;
}

}  // namespace strandline::table
