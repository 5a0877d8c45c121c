#include "strandline/pipeline/ingest/internal/partition_router.h"

#include <limits>

#include <arrow/api.h>

#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/arrow/arrow_value.h"
#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"

namespace strandline::pipeline::ingest {
namespace {

using ::strandline::testing::ArrayOf;
using ::strandline::testing::IsOk;
using table::TransformKind;

// A schema of one column of each of some types, and a spec over it.
struct Layout {
  table::Schema schema;
  table::PartitionSpec spec;

  void Add(const std::string& name, table::Type type, TransformKind kind,
           std::int32_t parameter = 0) {
    const auto id = table::FieldId(static_cast<std::int32_t>(schema.fields.size()) + 1);
    table::NestedField column;
    column.id = id;
    column.name = name;
    column.type = std::move(type);
    schema.fields.push_back(std::move(column));
    table::PartitionField field;
    field.source_id = id;
    field.field_id = table::FieldId(999 + id.value());
    field.name = name + "_part";
    field.transform.kind = kind;
    field.transform.parameter = parameter;
    spec.fields.push_back(std::move(field));
  }

  std::vector<int> columns() const {
    std::vector<int> columns;
    for (std::size_t i = 0; i < schema.fields.size(); ++i) {
      columns.push_back(static_cast<int>(i));
    }
    return columns;
  }
};

// The tuples of all rows, as the router tells them.
std::vector<table::PartitionTuple> RouteAll(const Layout& layout, const arrow::ArrayVector& arrays,
                                            PartitionNumbers& numbers) {
  PartitionRouter router(layout.spec, layout.schema, layout.columns(), numbers);
  const auto batch =
      arrow::RecordBatch::Make(table::ArrowSchema(layout.schema), arrays.front()->length(), arrays);
  const Result<std::vector<PartitionNumber>> routed = router.Route(*batch);
  EXPECT_THAT(routed, IsOk());
  std::vector<table::PartitionTuple> tuples;
  for (std::size_t i = 0; i < routed->size(); ++i) {
    const PartitionNumber number = (*routed)[i];
    if (number == kNoPartition) {
      tuples.emplace_back();
      continue;
    }
    tuples.push_back(numbers.TupleOf(number));
    const Result<table::PartitionTuple> direct =
        PartitionOfRow(layout.spec, layout.schema, *batch, static_cast<std::int64_t>(i));
    EXPECT_THAT(direct, IsOk());
    EXPECT_EQ(tuples.back(), *direct) << "row " << i;
  }
  return tuples;
}

TEST(PartitionRouter, AgreesWithTheTransformsRowByRow) {
  const std::string times =
      "[-1, 0, 3599999999, 3600000000, null, 3600000001, -3600000000, -3600000001, 86399999999, "
      "86400000000, 2678399999999, 2678400000000, 0, 31535999999999, 31536000000000]";
  for (const TransformKind kind :
       {TransformKind::kHour, TransformKind::kDay, TransformKind::kMonth, TransformKind::kYear,
        TransformKind::kIdentity, TransformKind::kVoid}) {
    Layout layout;
    layout.Add("ts", table::PrimitiveType(table::TypeId::kTimestamptz), kind);
    PartitionNumbers numbers;
    RouteAll(layout, {ArrayOf(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), times)}, numbers);
  }
}

TEST(PartitionRouter, CombinesFieldsAndGivesEqualTuplesOneNumber) {
  Layout layout;
  layout.Add("day", table::PrimitiveType(table::TypeId::kDate), TransformKind::kMonth);
  layout.Add("name", table::PrimitiveType(table::TypeId::kString), TransformKind::kTruncate, 1);
  layout.Add("id", table::PrimitiveType(table::TypeId::kLong), TransformKind::kBucket, 4);
  PartitionNumbers numbers;

  const std::vector<table::PartitionTuple> tuples =
      RouteAll(layout,
               {ArrayOf(arrow::date32(), "[0, 30, 31, null, 0]"),
                ArrayOf(arrow::utf8(), R"(["ab", "ac", "ab", null, "az"])"),
                ArrayOf(arrow::int64(), "[7, 7, 7, null, 7]")},
               numbers);

  EXPECT_EQ(tuples[0], tuples[1]);
  EXPECT_EQ(tuples[0], tuples[4]);
  EXPECT_EQ(numbers.count(), 3U);
}

TEST(PartitionRouter, ForgetsValuesRatherThanRememberAllOfThem) {
  Layout layout;
  layout.Add("id", table::PrimitiveType(table::TypeId::kLong), TransformKind::kBucket, 16);
  arrow::Int64Builder builder;
  for (std::int64_t i = 0; i < 200'000; ++i) {
    ASSERT_TRUE(builder.Append(i).ok());
  }
  PartitionNumbers numbers;

  RouteAll(layout, {builder.Finish().ValueOrDie()}, numbers);

  EXPECT_EQ(numbers.count(), 16U);
}

TEST(PartitionRouter, TimesThatLeaveTheTransformHaveNoPartition) {
  Layout layout;
  layout.Add("ts", table::PrimitiveType(table::TypeId::kTimestamp), TransformKind::kHour);
  arrow::TimestampBuilder builder(arrow::timestamp(arrow::TimeUnit::MICRO),
                                  arrow::default_memory_pool());
  ASSERT_TRUE(builder
                  .AppendValues({0, std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::min(), 1})
                  .ok());
  PartitionNumbers numbers;

  const std::vector<table::PartitionTuple> tuples =
      RouteAll(layout, {builder.Finish().ValueOrDie()}, numbers);

  EXPECT_EQ(tuples[1], table::PartitionTuple());
  EXPECT_EQ(tuples[2], table::PartitionTuple());
  EXPECT_EQ(tuples[0], tuples[3]);
  EXPECT_EQ(numbers.count(), 1U);
}

TEST(PartitionRouter, AnUnpartitionedTableHasOnePartition) {
  Layout layout;
  layout.Add("id", table::PrimitiveType(table::TypeId::kLong), TransformKind::kIdentity);
  layout.spec.fields.clear();
  PartitionNumbers numbers;
  PartitionRouter router(layout.spec, layout.schema, {}, numbers);
  const auto batch = arrow::RecordBatch::Make(table::ArrowSchema(layout.schema), 2,
                                              {ArrayOf(arrow::int64(), "[1, null]")});

  SL_ASSERT_OK_AND_ASSIGN(const std::vector<PartitionNumber> routed, router.Route(*batch));

  EXPECT_THAT(routed, ::testing::ElementsAre(0, 0));
  EXPECT_EQ(numbers.TupleOf(0), table::PartitionTuple());
}

}  // namespace
}  // namespace strandline::pipeline::ingest
