#include "strandline/engine/memory_relation.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::engine {
namespace {

using ::strandline::testing::Fails;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<arrow::Schema> TwoColumns() {
  return arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::utf8())});
}

std::shared_ptr<arrow::RecordBatch> Rows(const std::vector<std::int64_t>& numbers) {
  arrow::Int64Builder a;
  arrow::StringBuilder b;
  for (const std::int64_t number : numbers) {
    EXPECT_TRUE(a.Append(number).ok());
    EXPECT_TRUE(b.Append(std::to_string(number)).ok());
  }
  return arrow::RecordBatch::Make(TwoColumns(), static_cast<std::int64_t>(numbers.size()),
                                  {*a.Finish(), *b.Finish()});
}

TEST(MemoryRelation, GivesTheColumnsAskedForInThatOrder) {
  const std::shared_ptr<Relation> relation =
      MakeMemoryRelation(TwoColumns(), {Rows({1, 2}), Rows({3})});

  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<format::BatchSource> source,
                          relation->Open({"b", "a"}, table::AlwaysTrue()));

  EXPECT_THAT(source->schema()->field_names(), ElementsAre("b", "a"));
  ASSERT_EQ(source->part_count(), 2U);
  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<format::BatchStream> part, source->OpenPart(1));
  SL_ASSERT_OK_AND_ASSIGN(const std::shared_ptr<arrow::RecordBatch> batch, part->Next());
  ASSERT_NE(batch, nullptr);
  EXPECT_EQ(batch->column(1)->ToString(), Rows({3})->column(0)->ToString());
  SL_ASSERT_OK_AND_ASSIGN(const std::shared_ptr<arrow::RecordBatch> end, part->Next());
  EXPECT_EQ(end, nullptr);
}

TEST(MemoryRelation, CountsRowsWhenNoColumnIsAskedFor) {
  const std::shared_ptr<Relation> relation = MakeMemoryRelation(TwoColumns(), {Rows({1, 2})});

  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<format::BatchSource> source,
                          relation->Open({}, table::AlwaysTrue()));

  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<format::BatchStream> part, source->OpenPart(0));
  SL_ASSERT_OK_AND_ASSIGN(const std::shared_ptr<arrow::RecordBatch> batch, part->Next());
  ASSERT_NE(batch, nullptr);
  EXPECT_EQ(batch->num_columns(), 0);
  EXPECT_EQ(batch->num_rows(), 2);
}

TEST(MemoryRelation, NeverGivesAnEmptyBatch) {
  const std::shared_ptr<Relation> relation = MakeMemoryRelation(TwoColumns(), {Rows({})});

  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<format::BatchSource> source,
                          relation->Open({"a"}, table::AlwaysTrue()));

  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<format::BatchStream> part, source->OpenPart(0));
  SL_ASSERT_OK_AND_ASSIGN(const std::shared_ptr<arrow::RecordBatch> end, part->Next());
  EXPECT_EQ(end, nullptr);
}

TEST(MemoryRelation, RefusesAColumnItDoesNotHave) {
  EXPECT_THAT(MakeMemoryRelation(TwoColumns(), {})->Open({"c"}, table::AlwaysTrue()),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("`c`")));
}

TEST(MemoryRelation, KnowsItsRows) {
  SL_ASSERT_OK_AND_ASSIGN(const std::optional<std::int64_t> rows,
                          MakeMemoryRelation(TwoColumns(), {Rows({1, 2}), Rows({3})})
                              ->EstimateRows(table::AlwaysTrue()));

  EXPECT_EQ(rows, 3);
}

}  // namespace
}  // namespace strandline::engine
