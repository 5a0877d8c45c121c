#include "strandline/pipeline/ingest/internal/row_bytes.h"

#include <cmath>
#include <set>
#include <string>

#include <arrow/api.h>

#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"

namespace strandline::pipeline::ingest {
namespace {

using ::strandline::testing::ArrayOf;
using ::strandline::testing::BatchOf;
using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::HasSubstr;

std::vector<std::string> BytesOfRows(const arrow::RecordBatch& batch,
                                     const std::vector<int>& columns) {
  Result<RowBytes> bytes = RowBytes::OfColumns(batch, columns);
  EXPECT_THAT(bytes, IsOk());
  std::vector<std::string> rows;
  for (std::int64_t row = 0; row < batch.num_rows(); ++row) {
    rows.emplace_back(bytes->Of(row));
  }
  return rows;
}

TEST(RowBytes, DifferExactlyWhereValuesDo) {
  struct Case {
    std::shared_ptr<arrow::DataType> type;
    std::string different;  // Values that all differ.
  };
  const Case cases[] = {
      {arrow::boolean(), "[true, false, null]"},
      {arrow::int32(), "[0, 1, -1, null]"},
      {arrow::int64(), "[0, 256, -1, null]"},
      {arrow::float32(), "[0, 1.5, -1.5, null]"},
      {arrow::float64(), "[0, 1e-300, 1e300, null]"},
      {arrow::decimal128(38, 2), R"(["0.00", "0.01", "-0.01", null])"},
      {arrow::date32(), "[0, -1, null]"},
      {arrow::time64(arrow::TimeUnit::MICRO), "[0, 1, null]"},
      {arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[0, -1, null]"},
      {arrow::utf8(), R"(["", "a", "ab", null])"},
      {arrow::binary(), R"(["", "a", "ab", null])"},
      {arrow::fixed_size_binary(2), R"(["ab", "ac", null])"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type->ToString());
    const auto array = ArrayOf(c.type, c.different);
    // Sliced too: offsets must count.
    const auto padded =
        arrow::Concatenate({array, array, array}).ValueOrDie()->Slice(array->length());

    const std::vector<std::string> rows = BytesOfRows(*BatchOf({{"v", padded}}), {0});

    const auto count = static_cast<std::size_t>(array->length());
    EXPECT_EQ(std::set(rows.begin(), rows.end()).size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(rows[i], rows[i + count]);
    }
  }
}

TEST(RowBytes, ColumnsDoNotRunIntoEachOther) {
  const auto batch = BatchOf({{"a", ArrayOf(arrow::utf8(), R"(["ab", "a", "", null])")},
                              {"b", ArrayOf(arrow::utf8(), R"(["c", "bc", "abc", "abc"])")}});

  const std::vector<std::string> rows = BytesOfRows(*batch, {0, 1});

  EXPECT_EQ(std::set(rows.begin(), rows.end()).size(), 4U);
}

TEST(RowBytes, ZerosOfBothSignsAreOneValueAsAreAllNans) {
  const std::vector<double> values = {0.0, -0.0, std::nan("1"), -std::nan("2")};
  const auto array = std::make_shared<arrow::DoubleArray>(4, arrow::Buffer::FromVector(values));

  const std::vector<std::string> rows = BytesOfRows(*BatchOf({{"v", array}}), {0});

  EXPECT_EQ(rows[0], rows[1]);
  EXPECT_EQ(rows[2], rows[3]);
  EXPECT_NE(rows[0], rows[2]);
}

TEST(RowBytes, AKeyOfOneTextIsItsText) {
  const auto batch = BatchOf({{"a", ArrayOf(arrow::utf8(), R"(["x", "ab", ""])")->Slice(1)}});

  SL_ASSERT_OK_AND_ASSIGN(RowBytes key, RowBytes::OfKey(*batch, {0}));

  EXPECT_EQ(key.Of(0), "ab");
  EXPECT_EQ(key.Of(1), "");
}

TEST(RowBytes, RefusesNestedColumnsByName) {
  const auto batch = BatchOf({{"tags", ArrayOf(arrow::list(arrow::utf8()), "[[]]")}});

  EXPECT_THAT(RowBytes::OfColumns(*batch, {0}), Fails(ErrorKind::kUnsupported, HasSubstr("tags")));
}

}  // namespace
}  // namespace strandline::pipeline::ingest
