#include "strandline/quality/unique.h"

#include <set>

#include <arrow/api.h>

#include "strandline/base/rng.h"
#include "tests/support/matchers.h"

namespace strandline::quality {
namespace {

using ::strandline::testing::Fails;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Rows in memory, a batch a part.
class Batches final : public format::BatchSource {
 public:
  explicit Batches(std::vector<std::shared_ptr<arrow::RecordBatch>> batches)
      : batches_(std::move(batches)), schema_(batches_.front()->schema()) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  std::size_t part_count() const override { return batches_.size(); }
  Result<std::unique_ptr<format::BatchStream>> OpenPart(std::size_t part) override {
    class One final : public format::BatchStream {
     public:
      explicit One(std::shared_ptr<arrow::RecordBatch> batch) : batch_(std::move(batch)) {}
      Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
        return std::exchange(batch_, nullptr);
      }

     private:
      std::shared_ptr<arrow::RecordBatch> batch_;
    };
    return std::make_unique<One>(batches_[part]);
  }

 private:
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches_;
  std::shared_ptr<arrow::Schema> schema_;
};

std::shared_ptr<arrow::Array> Texts(const std::vector<std::optional<std::string>>& values) {
  arrow::StringBuilder builder;
  for (const auto& value : values) {
    SL_CHECK((value ? builder.Append(*value) : builder.AppendNull()).ok());
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Longs(const std::vector<std::int64_t>& values) {
  arrow::Int64Builder builder;
  SL_CHECK(builder.AppendValues(values).ok());
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::RecordBatch> Batch(const arrow::ArrayVector& columns) {
  arrow::FieldVector fields;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    fields.push_back(arrow::field("c" + std::to_string(i), columns[i]->type()));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), columns.front()->length(), columns);
}

UniqueResult Count(const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
                   UniqueOptions options = {}) {
  Batches source(batches);
  Result<UniqueResult> result = CountRepeatedKeys(source, options, std::stop_token());
  SL_CHECK(result.has_value());
  return *std::move(result);
}

TEST(CountRepeatedKeys, CountsRowsBeyondTheFirstOfTheirKey) {
  const UniqueResult result =
      Count({Batch({Texts({"a", "b", "a"})}), Batch({Texts({"b", "b", "c"})})});

  EXPECT_EQ(result.rows, 6);
  EXPECT_EQ(result.repeated_keys, 2);
  EXPECT_EQ(result.extra_rows, 3);
  EXPECT_THAT(result.samples, SizeIs(2));
}

TEST(CountRepeatedKeys, NullsAreNoKeysAndEmptyTextsAre) {
  const UniqueResult result = Count({Batch({Texts({std::nullopt, std::nullopt, "", ""})})});

  EXPECT_EQ(result.rows, 2);
  EXPECT_EQ(result.extra_rows, 1);
}

TEST(CountRepeatedKeys, SeveralColumnsAreOneKey) {
  EXPECT_EQ(Count({Batch({Texts({"a", "ab"}), Texts({"bc", "c"})})}).extra_rows, 0)
      << "not their texts in a row";
  EXPECT_EQ(Count({Batch({Texts({"a", "a"}), Longs({1, 1})})}).extra_rows, 1);
  EXPECT_EQ(Count({Batch({Texts({"a", "a"}), Longs({1, 2})})}).extra_rows, 0);
}

TEST(CountRepeatedKeys, SlicedBatchesAreReadAtTheirOffset) {
  const auto batch = Batch({Longs({7, 1, 2, 7})});
  EXPECT_EQ(Count({batch->Slice(1, 2)}).extra_rows, 0);
  EXPECT_EQ(Count({batch}).extra_rows, 1);
}

TEST(CountRepeatedKeys, LittleMemoryReadsTheKeysOftenAndCountsTheSame) {
  SeededRng rng(7);
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  std::set<std::int64_t> distinct;
  constexpr int kBatches = 20;
  constexpr int kRows = 5000;
  for (int i = 0; i < kBatches; ++i) {
    std::vector<std::int64_t> values;
    for (int row = 0; row < kRows; ++row) {
      values.push_back(static_cast<std::int64_t>(rng.Next() % 90'000));
      distinct.insert(values.back());
    }
    batches.push_back(Batch({Longs(values)}));
  }
  const auto expected =
      static_cast<std::int64_t>(kBatches * kRows) - static_cast<std::int64_t>(distinct.size());

  for (const std::int64_t memory : {std::int64_t{1} << 30, std::int64_t{1}}) {
    const UniqueResult result = Count(batches, {.threads = 2,
                                                .memory_limit_bytes = memory,
                                                .rows_expected = kBatches * kRows,
                                                .samples_max = 5});
    EXPECT_EQ(result.rows, kBatches * kRows);
    EXPECT_EQ(result.extra_rows, expected);
    EXPECT_THAT(result.samples, SizeIs(5));
  }
}

TEST(CountRepeatedKeys, StopsWhenAsked) {
  Batches source({Batch({Texts({"a"})})});
  std::stop_source stop;
  stop.request_stop();

  EXPECT_THAT(CountRepeatedKeys(source, {}, stop.get_token()),
              Fails(ErrorKind::kCancelled, HasSubstr("stopped")));
}

}  // namespace
}  // namespace strandline::quality
