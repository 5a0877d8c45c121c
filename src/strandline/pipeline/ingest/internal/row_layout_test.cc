#include "strandline/pipeline/ingest/internal/row_layout.h"

#include <cmath>

#include <arrow/api.h>

#include "tests/support/ingest_world.h"
#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"

namespace strandline::pipeline::ingest {
namespace {

using ::strandline::testing::ArrayOf;
using ::strandline::testing::IngestWorld;
using ::strandline::testing::IsOk;
using ::testing::ElementsAre;

TEST(LayoutsOf, ReadsKeysFirstAndEverythingThen) {
  IngestWorld world;
  world.AddColumn("country", "string");
  world.AddColumn("updated", "long");
  world.source().key = {"v", "id"};
  world.source().keep_max_of = "updated";
  world.PartitionBy(table::TransformKind::kIdentity, "country");

  SL_ASSERT_OK_AND_ASSIGN(const UnitLayouts layouts, LayoutsOf(world.source(), world.table()));

  EXPECT_THAT(layouts.keys.schema->field_names(),
              ElementsAre("id", "ts", "v", "country", "updated"));
  EXPECT_THAT(layouts.keys.key, ElementsAre(2, 0));
  EXPECT_THAT(layouts.keys.partition, ElementsAre(1, 3));
  EXPECT_EQ(layouts.keys.order, 4);
  EXPECT_THAT(layouts.all.payload, ElementsAre(1, 3, 4));
  EXPECT_FALSE(layouts.all.schema->field(0)->nullable()) << "a key may not be null";
  EXPECT_FALSE(layouts.all.schema->field(1)->nullable()) << "nor may the time";
  EXPECT_TRUE(layouts.all.schema->field(3)->nullable());
}

TEST(LayoutsOf, LeavesOutOfTheFirstPassWhatOnlyTheSecondNeeds) {
  IngestWorld world;

  SL_ASSERT_OK_AND_ASSIGN(const UnitLayouts layouts, LayoutsOf(world.source(), world.table()));

  EXPECT_THAT(layouts.keys.schema->field_names(), ElementsAre("id", "ts"));
  EXPECT_THAT(layouts.all.schema->field_names(), ElementsAre("id", "ts", "v"));
}

TEST(OrderOf, GrowsWithTheValue) {
  struct Case {
    std::shared_ptr<arrow::DataType> type;
    std::string growing;
  };
  const Case cases[] = {
      {arrow::int32(), "[null, -2, -1, 0, 1]"},
      {arrow::int64(), "[null, -9223372036854775807, -1, 0, 9223372036854775807]"},
      {arrow::float32(), "[null, -1.5, -0.25, 0, 0.25, 1.5]"},
      {arrow::float64(), "[null, -1e300, -1, -1e-300, 0, 1e-300, 1, 1e300]"},
      {arrow::decimal128(18, 2), R"([null, "-1.00", "-0.01", "0.00", "0.01"])"},
      {arrow::date32(), "[null, -1, 0, 1]"},
      {arrow::time64(arrow::TimeUnit::MICRO), "[null, 0, 1]"},
      {arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[null, -1, 0, 1]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type->ToString());
    const auto array = ArrayOf(c.type, c.growing);
    for (std::int64_t row = 1; row < array->length(); ++row) {
      EXPECT_LT(OrderOf(*array, row - 1), OrderOf(*array, row)) << row;
    }
  }
}

TEST(OrderOf, NanIsLowestAndZerosAreEqual) {
  const std::vector<double> values = {std::nan(""), -INFINITY, -0.0, 0.0, INFINITY};
  const arrow::DoubleArray array(5, arrow::Buffer::FromVector(values));

  EXPECT_LT(OrderOf(array, 0), OrderOf(array, 1));
  EXPECT_EQ(OrderOf(array, 2), OrderOf(array, 3));
  EXPECT_LT(OrderOf(array, 3), OrderOf(array, 4));
}

}  // namespace
}  // namespace strandline::pipeline::ingest
