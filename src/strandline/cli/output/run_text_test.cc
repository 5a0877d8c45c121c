#include "strandline/cli/output/run_text.h"

#include <gtest/gtest.h>

#include "strandline/base/time_text.h"

namespace strandline::cli {
namespace {

pipeline::PlannedUnit UnitOfOrders() {
  pipeline::PlannedUnit unit;
  unit.table = {.levels = {"shop"}, .table = "orders"};
  unit.window.start = ParseTimestamp("2026-11-30T05Z").value();
  return unit;
}

TEST(ProgressText, SaysRowsBytesRateAndTimeLeft) {
  struct Case {
    std::string name;
    pipeline::IngestProgress progress;
    double seconds;
    std::string text;
  };
  const Case cases[] = {
      {"nothing read yet",
       {.rows = 0, .bytes = 0, .bytes_total = 566'000'000},
       0.5,
       "shop.orders 2026-11-30T05:00Z: 0 rows, 0 B of 566 MB"},
      {"no time has passed",
       {.rows = 10, .bytes = 1000, .bytes_total = 566'000'000},
       0,
       "shop.orders 2026-11-30T05:00Z: 10 rows, 1 kB of 566 MB"},
      {"a quarter in two seconds",
       {.rows = 3'125'000, .bytes = 100'000'000, .bytes_total = 400'000'000},
       2,
       "shop.orders 2026-11-30T05:00Z: 3,125,000 rows, 100 MB of 400 MB, 50 MB/s, 6 s left"},
      {"all of it",
       {.rows = 12'500'000, .bytes = 400'000'000, .bytes_total = 400'000'000},
       8,
       "shop.orders 2026-11-30T05:00Z: 12.5 M rows, 400 MB of 400 MB, 50 MB/s, 0 s left"},
      {"more than was listed",
       {.rows = 1, .bytes = 500, .bytes_total = 400},
       1,
       "shop.orders 2026-11-30T05:00Z: 1 row, 500 B of 400 B, 500 B/s, 0 s left"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ProgressText(UnitOfOrders(), c.progress, c.seconds), c.text);
  }
}

}  // namespace
}  // namespace strandline::cli
