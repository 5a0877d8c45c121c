#include "strandline/pipeline/plan/internal/unit_order.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace strandline::pipeline::planning {
namespace {

enum class Rank { kIngest, kNewWindow, kRestatement };

bool IsNew(const PlannedUnit& unit) {
  return unit.status == UnitStatus::kMissing || unit.status == UnitStatus::kPending;
}

}  // namespace

void OrderUnits(
    std::vector<PlannedUnit>& units,
    const std::function<std::chrono::microseconds(const catalog::TableName& table)>& lateness_of) {
  std::map<catalog::TableName, Timestamp> newest_new;
  for (const PlannedUnit& unit : units) {
    if (unit.action == UnitAction::kCompute && IsNew(unit)) {
      Timestamp& newest = newest_new.try_emplace(unit.table, unit.window.start).first->second;
      newest = std::max(newest, unit.window.start);
    }
  }
  const auto key = [&](const PlannedUnit& unit) {
    const auto micros = unit.window.start.time_since_epoch().count();
    if (unit.action == UnitAction::kIngest) {
      return std::tuple(Rank::kIngest, micros, 0);
    }
    if (IsNew(unit)) {
      return std::tuple(Rank::kNewWindow, micros, 1);
    }
    const Timestamp due = unit.window.start + lateness_of(unit.table);
    const auto newest = newest_new.find(unit.table);
    if (newest != newest_new.end() && due <= newest->second) {
      return std::tuple(Rank::kNewWindow, std::int64_t{due.time_since_epoch().count()}, 0);
    }
    return std::tuple(Rank::kRestatement, -micros, 0);
  };
  std::ranges::stable_sort(
      units, [&key](const PlannedUnit& a, const PlannedUnit& b) { return key(a) < key(b); });
}

}  // namespace strandline::pipeline::planning
