#include "strandline/pipeline/ingest/internal/batch_cache.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

namespace strandline::pipeline::ingest {
namespace {

constexpr std::int64_t kRows = 100;
constexpr std::int64_t kBytes = 8 * kRows;  // Of its column; row numbers are as large again.

std::unique_ptr<format::LandedBatch> Batch() {
  arrow::Int64Builder builder;
  for (std::int64_t row = 0; row < kRows; ++row) {
    builder.Append(row).ok();
  }
  auto batch = std::make_unique<format::LandedBatch>();
  batch->rows = arrow::RecordBatch::Make(arrow::schema({arrow::field("n", arrow::int64())}), kRows,
                                         {builder.Finish().ValueOrDie()});
  batch->row_indexes.resize(kRows);
  return batch;
}

TEST(BatchCache, GivesACompleteFileOnce) {
  BatchCache cache(2, 100 * kBytes);
  cache.Add(1, Batch());
  cache.Add(1, Batch());
  EXPECT_FALSE(cache.Take(0)) << "nothing was added";
  cache.Complete(1);
  const auto batches = cache.Take(1);
  ASSERT_TRUE(batches);
  EXPECT_EQ(batches->size(), 2U);
  EXPECT_FALSE(cache.Take(1)) << "it has left";
}

TEST(BatchCache, AFileThatWasNotReadToItsEndIsNotGiven) {
  BatchCache cache(1, 100 * kBytes);
  cache.Add(0, Batch());
  EXPECT_FALSE(cache.Take(0));
}

TEST(BatchCache, ForgetsAFileThatDoesNotFitAndKeepsTheOthers) {
  BatchCache cache(2, 5 * kBytes);
  cache.Add(0, Batch());
  cache.Complete(0);
  cache.Add(1, Batch());
  cache.Add(1, Batch());  // Over the limit: file 1 goes, and takes its bytes with it.
  cache.Add(1, Batch());
  cache.Complete(1);
  EXPECT_TRUE(cache.has_room());
  EXPECT_FALSE(cache.Take(1));
  EXPECT_TRUE(cache.Take(0));
}

TEST(BatchCache, KeepsNothingWithoutMemory) {
  BatchCache cache(1, 0);
  EXPECT_FALSE(cache.has_room());
  cache.Add(0, Batch());
  cache.Complete(0);
  EXPECT_FALSE(cache.Take(0));
}

}  // namespace
}  // namespace strandline::pipeline::ingest
