#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/bloom_filter.h>

#include "strandline/base/clock.h"
#include "strandline/base/rng.h"
#include "strandline/format/parquet/bloom_hash.h"
#include "strandline/format/parquet/internal/arrow_files.h"
#include "strandline/format/parquet/parquet_file.h"
#include "strandline/format/parquet/parquet_writer.h"
#include "strandline/io/memory_file_io.h"
#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"

namespace strandline::format {
namespace {

using ::strandline::testing::ArrayOf;
using ::strandline::testing::BatchOf;
using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::strandline::testing::WriteParquet;
using ::testing::HasSubstr;
using ::testing::IsNull;
using ::testing::NotNull;

class BloomFilterTest : public ::testing::Test {
 protected:
  // The filter of a file with the one column `values`.
  Result<std::unique_ptr<ParquetFile::BloomFilter>> FilterOver(
      const std::shared_ptr<arrow::Array>& values) {
    const std::string location = "memory://filters/" + std::to_string(++files_) + ".parquet";
    SL_TRY(WriteParquet(*io_, location, {BatchOf({{"key", values}})},
                        {.bloom_filter_columns = {"key"}}));
    const std::shared_ptr<const ParquetFile> file =
        SL_TRY(OpenParquetFile(*io_, location, std::nullopt));
    stored_type_ = file->schema()->field(0)->type();
    return file->ReadBloomFilter(0, 0);
  }

  FixedClock clock_{Timestamp{}};
  std::unique_ptr<io::FileIo> io_ = io::MakeMemoryFileIo(clock_);
  std::shared_ptr<arrow::DataType> stored_type_;
  int files_ = 0;
};

TEST_F(BloomFilterTest, HoldsEveryValueOfEveryType) {
  struct Case {
    std::string name;
    std::shared_ptr<arrow::DataType> type;
    std::string present;
    std::string absent;
  };
  const std::vector<Case> cases = {
      {"int", arrow::int32(), "[-2147483648, -1, 0, 1, null]", "[2, 77]"},
      {"long", arrow::int64(), "[-9223372036854775808, -1, 0, 5]", "[2, 77]"},
      {"float", arrow::float32(), "[1.5, -1.5, null, Inf]", "[2.5, 77]"},
      {"double", arrow::float64(), "[1.5, -1.5, null, -Inf]", "[2.5, 77]"},
      {"date", arrow::date32(), "[-1, 0, 20000]", "[1, 2]"},
      {"time", arrow::time64(arrow::TimeUnit::MICRO), "[0, 86399999999]", "[1, 2]"},
      {"timestamp", arrow::timestamp(arrow::TimeUnit::MICRO), "[-1, 0, 1764478800000000]", "[1]"},
      {"timestamptz", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[-1, 0, 1764478800000000]",
       "[1]"},
      {"string", arrow::utf8(), R"(["", "a", "•😀", null])", R"(["b", "aa"])"},
      {"binary", arrow::binary(), R"(["", "a", "\u0000x", null])", R"(["b"])"},
      {"fixed", arrow::fixed_size_binary(3), R"(["abc", "xyz", null])", R"(["abd"])"},
      {"uuid", arrow::fixed_size_binary(16), R"(["0123456789abcdef"])", R"(["0123456789abcdee"])"},
      {"decimal in an int32", arrow::decimal128(4, 2), R"(["-99.99", "0.00", "12.34", null])",
       R"(["12.35", "-0.01"])"},
      {"decimal of 9 digits", arrow::decimal128(9, 0), R"(["-999999999", "999999999"])",
       R"(["1"])"},
      {"decimal in an int64", arrow::decimal128(18, 4), R"(["-99999999999999.9999", "0.0001"])",
       R"(["0.0002"])"},
      {"decimal of 19 digits", arrow::decimal128(19, 2),
       R"(["-99999999999999999.99", "-0.01", "0.01"])", R"(["0.02", "-0.02"])"},
      {"decimal of 38 digits", arrow::decimal128(38, 0),
       R"(["-99999999999999999999999999999999999999", "-1", "1"])", R"(["2", "-2"])"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const std::shared_ptr<arrow::Array> present = ArrayOf(c.type, c.present);

    SL_ASSERT_OK_AND_ASSIGN(const auto filter, FilterOver(present));

    ASSERT_THAT(filter, NotNull());
    EXPECT_TRUE(stored_type_->Equals(*c.type));
    SL_ASSERT_OK_AND_ASSIGN(const auto hashes, BloomHashes(*present));
    for (std::int64_t row = 0; row < present->length(); ++row) {
      if (present->IsValid(row)) {
        EXPECT_TRUE(filter->MayContain(hashes[static_cast<std::size_t>(row)])) << "row " << row;
      }
    }
    // With so few values in it a filter has no false positives by chance.
    SL_ASSERT_OK_AND_ASSIGN(const auto others, BloomHashes(*ArrayOf(c.type, c.absent)));
    for (const std::uint64_t hash : others) {
      EXPECT_FALSE(filter->MayContain(hash));
    }
  }
}

TEST_F(BloomFilterTest, FindsAZeroUnderEitherSign) {
  for (const std::string zero : {"[-0.0]", "[0.0]"}) {
    for (const auto& type : {arrow::float32(), arrow::float64()}) {
      SCOPED_TRACE(type->ToString() + " " + zero);

      SL_ASSERT_OK_AND_ASSIGN(const auto filter, FilterOver(ArrayOf(type, zero)));

      SL_ASSERT_OK_AND_ASSIGN(const auto hashes, BloomHashes(*ArrayOf(type, "[-0.0, 0.0, 1.0]")));
      EXPECT_NE(hashes[0], hashes[1]);
      EXPECT_TRUE(filter->MayContain(hashes[0]));
      EXPECT_TRUE(filter->MayContain(hashes[1]));
      EXPECT_FALSE(filter->MayContain(hashes[2]));
    }
  }
}

TEST_F(BloomFilterTest, NeverRulesOutANan) {
  arrow::DoubleBuilder odd_nans;
  double payload = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t bits = 0;
  std::memcpy(&bits, &payload, sizeof(bits));
  bits |= 0x8000000000000123U;
  std::memcpy(&payload, &bits, sizeof(bits));
  ASSERT_TRUE(odd_nans.Append(payload).ok());
  const std::shared_ptr<arrow::Array> odd_nan = odd_nans.Finish().ValueOrDie();

  SL_ASSERT_OK_AND_ASSIGN(const auto filter, FilterOver(odd_nan));

  SL_ASSERT_OK_AND_ASSIGN(const auto plain, BloomHashes(*ArrayOf(arrow::float64(), "[NaN]")));
  SL_ASSERT_OK_AND_ASSIGN(const auto odd, BloomHashes(*odd_nan));
  EXPECT_TRUE(filter->MayContain(plain[0]));
  EXPECT_TRUE(filter->MayContain(odd[0]));
}

TEST_F(BloomFilterTest, HasTheSizeThatItsValuesNeed) {
  SeededRng rng(1);
  const auto strings = [&](int count) {
    arrow::StringBuilder builder;
    for (int i = 0; i < count; ++i) {
      EXPECT_TRUE(builder.Append(std::to_string(rng.Next())).ok());
    }
    return builder.Finish().ValueOrDie();
  };
  const std::shared_ptr<arrow::Array> few = strings(1000);

  SL_ASSERT_OK_AND_ASSIGN(const auto small, FilterOver(few));
  SL_ASSERT_OK_AND_ASSIGN(const auto large, FilterOver(strings(100000)));

  // About ten bits a value for 1 %, to the next power of two.
  EXPECT_LE(small->size_bytes(), 2048);
  EXPECT_GE(large->size_bytes(), 65536);
  EXPECT_LE(large->size_bytes(), 262144);
  SL_ASSERT_OK_AND_ASSIGN(const auto others, BloomHashes(*strings(10000)));
  const auto hits = std::count_if(others.begin(), others.end(),
                                  [&](std::uint64_t hash) { return small->MayContain(hash); });
  EXPECT_LT(hits, 300);  // 1 % promised, 3 % is far outside of chance.
}

TEST_F(BloomFilterTest, IsAbsentWhereNoneWasWritten) {
  ASSERT_THAT(WriteParquet(*io_, "memory://f/plain.parquet",
                           {BatchOf({{"key", ArrayOf(arrow::int32(), "[1]")},
                                     {"list", ArrayOf(arrow::list(arrow::int32()), "[[1]]")}})}),
              IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const auto file,
                          OpenParquetFile(*io_, "memory://f/plain.parquet", std::nullopt));

  SL_ASSERT_OK_AND_ASSIGN(const auto of_key, file->ReadBloomFilter(0, 0));
  SL_ASSERT_OK_AND_ASSIGN(const auto of_list, file->ReadBloomFilter(0, 1));

  EXPECT_THAT(of_key, IsNull());
  EXPECT_THAT(of_list, IsNull());
}

// A decimal of nine digits as another writer stores it: in fixed bytes. Its filter holds hashes of
// those bytes, and asking it with the hash of an int32 would find nothing.
TEST_F(BloomFilterTest, IsNotAskedAboutValuesStoredInAnotherWay) {
  const auto batch = BatchOf({{"key", ArrayOf(arrow::decimal128(9, 2), R"(["1.23", "-4.56"])")}});
  SL_ASSERT_OK_AND_ASSIGN(auto out, io_->Create("memory://f/foreign.parquet"));
  auto sink = std::make_shared<ArrowOutputFile>(std::move(out));
  parquet::WriterProperties::Builder properties;
  properties.enable_bloom_filter("key", parquet::BloomFilterOptions{.ndv = 10});
  const auto table = arrow::Table::FromRecordBatches({batch}).ValueOrDie();
  ASSERT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 100,
                                         properties.build())
                  .ok());
  ASSERT_THAT(sink->file().Close(), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const auto file,
                          OpenParquetFile(*io_, "memory://f/foreign.parquet", std::nullopt));
  SL_ASSERT_OK_AND_ASSIGN(const auto filter, file->ReadBloomFilter(0, 0));

  EXPECT_TRUE(file->schema()->field(0)->type()->Equals(arrow::decimal128(9, 2)));
  EXPECT_THAT(filter, IsNull());
}

TEST(BloomHashes, AgreeWithTheParquetLibrary) {
  parquet::BlockSplitBloomFilter library;
  library.Init(parquet::BlockSplitBloomFilter::kMinimumBloomFilterBytes);

  EXPECT_EQ(BloomHash("strandline"), library.Hash(std::string_view("strandline")));
  SL_ASSERT_OK_AND_ASSIGN(const auto longs, BloomHashes(*ArrayOf(arrow::int64(), "[7, -7]")));
  EXPECT_THAT(
      longs, ::testing::ElementsAre(library.Hash(std::int64_t{7}), library.Hash(std::int64_t{-7})));
  SL_ASSERT_OK_AND_ASSIGN(const auto bytes, BloomHashes(*ArrayOf(arrow::int8(), "[-7]")));
  EXPECT_THAT(bytes, ::testing::ElementsAre(library.Hash(std::int32_t{-7})));
}

TEST(BloomHashes, SeeThroughSlicesAndDictionaries) {
  const auto strings = ArrayOf(arrow::utf8(), R"(["x", "a", null, "b", "a"])")->Slice(1);
  const auto dictionary =
      arrow::DictionaryArray::FromArrays(ArrayOf(arrow::int8(), "[0, null, 1, 0]"),
                                         ArrayOf(arrow::utf8(), R"(["a", "b"])"))
          .ValueOrDie();

  SL_ASSERT_OK_AND_ASSIGN(const auto of_strings, BloomHashes(*strings));
  SL_ASSERT_OK_AND_ASSIGN(const auto of_dictionary, BloomHashes(*dictionary));

  EXPECT_THAT(of_strings,
              ::testing::ElementsAre(BloomHash("a"), 0, BloomHash("b"), BloomHash("a")));
  EXPECT_EQ(of_dictionary, of_strings);
  const auto decimals = ArrayOf(arrow::decimal128(20, 0), R"(["1", "-2", "3"])");
  SL_ASSERT_OK_AND_ASSIGN(const auto whole, BloomHashes(*decimals));
  SL_ASSERT_OK_AND_ASSIGN(const auto slice, BloomHashes(*decimals->Slice(1)));
  EXPECT_THAT(slice, ::testing::ElementsAre(whole[1], whole[2]));
}

TEST(BloomHashes, RefuseWhatFiltersCannotHold) {
  EXPECT_THAT(BloomHashes(*ArrayOf(arrow::boolean(), "[true]")),
              Fails(ErrorKind::kUnsupported, HasSubstr("bool")));
  EXPECT_THAT(BloomHashes(*ArrayOf(arrow::list(arrow::int32()), "[[1]]")),
              Fails(ErrorKind::kUnsupported, HasSubstr("list")));
  EXPECT_THAT(BloomHashes(*ArrayOf(arrow::timestamp(arrow::TimeUnit::SECOND), "[1]")),
              Fails(ErrorKind::kUnsupported, HasSubstr("timestamp[s]")));
}

}  // namespace
}  // namespace strandline::format
