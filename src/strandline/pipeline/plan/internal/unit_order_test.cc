#include "strandline/pipeline/plan/internal/unit_order.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strandline::pipeline::planning {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;

const catalog::TableName kCounts{{"shop"}, "counts"};
const catalog::TableName kSums{{"shop"}, "sums"};

PlannedUnit Unit(int hour, UnitStatus status, const catalog::TableName& table = kCounts,
                 UnitAction action = UnitAction::kCompute) {
  PlannedUnit unit;
  unit.table = table;
  unit.action = action;
  unit.status = status;
  unit.window = {Timestamp(hours(hour)), Timestamp(hours(hour + 1))};
  return unit;
}

std::vector<std::string> Ordered(std::vector<PlannedUnit> units, int lateness_hours = 72) {
  OrderUnits(units, [lateness_hours](const catalog::TableName&) { return hours(lateness_hours); });
  std::vector<std::string> order;
  for (const PlannedUnit& unit : units) {
    order.push_back(
        fmt::format("{} {} {}", unit.table.table,
                    std::chrono::duration_cast<hours>(unit.window.start.time_since_epoch()).count(),
                    ToString(unit.status)));
  }
  return order;
}

TEST(OrderUnits, PutsIngestsFirstThenNewWindowsThenTheNewestRestatements) {
  EXPECT_THAT(Ordered({Unit(7, UnitStatus::kStaleInput), Unit(9, UnitStatus::kMissing),
                       Unit(8, UnitStatus::kStaleInput), Unit(8, UnitStatus::kPending, kSums),
                       Unit(9, UnitStatus::kStaleInput, kSums, UnitAction::kIngest)}),
              ElementsAre("sums 9 stale: input", "sums 8 pending", "counts 9 missing",
                          "counts 8 stale: input", "counts 7 stale: input"));
}

TEST(OrderUnits, KeepsUnitsOfOneWindowAsTheyCome) {
  EXPECT_THAT(
      Ordered({Unit(9, UnitStatus::kMissing, kSums), Unit(9, UnitStatus::kMissing, kCounts)}),
      ElementsAre("sums 9 missing", "counts 9 missing"));
}

TEST(OrderUnits, RestatesBeforeTheHorizonPasses) {
  // With two hours of lateness, window 5 is out of sight once window 7 is published.
  EXPECT_THAT(Ordered({Unit(6, UnitStatus::kMissing), Unit(7, UnitStatus::kMissing),
                       Unit(8, UnitStatus::kMissing), Unit(5, UnitStatus::kStaleInput),
                       Unit(6, UnitStatus::kStaleInput), Unit(7, UnitStatus::kStaleInput)},
                      2),
              ElementsAre("counts 6 missing", "counts 5 stale: input", "counts 7 missing",
                          "counts 6 stale: input", "counts 8 missing", "counts 7 stale: input"));
}

TEST(OrderUnits, OnlyItsOwnTablesNewWindowsPassARestatement) {
  EXPECT_THAT(
      Ordered({Unit(9, UnitStatus::kMissing, kSums), Unit(1, UnitStatus::kStaleInput, kCounts)}, 2),
      ElementsAre("sums 9 missing", "counts 1 stale: input"));
}

}  // namespace
}  // namespace strandline::pipeline::planning
