#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/base/clock.h"
#include "strandline/base/rng.h"
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
using ::strandline::testing::ReadParquet;
using ::strandline::testing::WriteParquet;
using ::testing::HasSubstr;

constexpr char kLocation[] = "memory://t/whole.parquet";
constexpr char kBroken[] = "memory://t/broken.parquet";

// Reads a column of strings as dictionaries; every index must be one of its dictionary.
Status ReadDictionaries(const ParquetFile& file, int column) {
  for (int group = 0; group < file.row_group_count(); ++group) {
    const std::unique_ptr<BatchStream> stream = SL_TRY(
        file.Read({.row_groups = {group}, .columns = {column}, .dictionary_columns = {column}}));
    while (true) {
      const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
      if (batch == nullptr) {
        break;
      }
      const auto& encoded = static_cast<const arrow::DictionaryArray&>(*batch->column(0));
      for (std::int64_t row = 0; row < encoded.length(); ++row) {
        const std::int64_t index = encoded.IsNull(row) ? 0 : encoded.GetValueIndex(row);
        if (index < 0 || (index >= encoded.dictionary()->length() && encoded.IsValid(row))) {
          return MakeError(ErrorKind::kInvalidArgument, "a read gave index {} of {}", index,
                           encoded.dictionary()->length());
        }
      }
    }
  }
  return {};
}

// Reads everything that can be read of a file.
Status ReadAll(io::FileIo& io, const std::string& location) {
  const std::shared_ptr<const ParquetFile> file =
      SL_TRY(OpenParquetFile(io, location, std::nullopt));
  for (int group = 0; group < file->row_group_count(); ++group) {
    for (int column = 0; column < file->schema()->num_fields(); ++column) {
      static_cast<void>(file->chunk_bytes(group, column));
      static_cast<void>(file->chunk_statistics(group, column));
      static_cast<void>(file->dictionary_bytes(group, column));
      SL_TRY(file->ReadBloomFilter(group, column));
    }
  }
  for (int column = 0; column < file->schema()->num_fields(); ++column) {
    if (file->schema()->field(column)->type()->id() == arrow::Type::STRING) {
      SL_TRY(ReadDictionaries(*file, column));
    }
  }
  const std::shared_ptr<arrow::Table> table = SL_TRY(ReadParquet(io, location));
  if (table->num_rows() != file->row_count()) {
    return MakeError(ErrorKind::kInvalidArgument, "a read gave {} rows of {}", table->num_rows(),
                     file->row_count());
  }
  return {};
}

class ParquetCorruptionTest : public ::testing::Test {
 protected:
  // The bytes of a file that has a bit of everything.
  std::string WholeFile(Compression compression) {
    const auto batch = BatchOf({
        {"id", ArrayOf(arrow::int64(), "[1, 2, null, 4, 5, 6]")},
        {"name", ArrayOf(arrow::utf8(), R"(["a", "a", "b", null, "a", "c"])")},
        {"price",
         ArrayOf(arrow::decimal128(20, 2), R"(["1.00", "2.00", null, "-4.00", "5.00", "6.00"])")},
        {"tags", ArrayOf(arrow::list(arrow::utf8()),
                         R"([["x", "y"], [], null, ["z"], ["x"], ["y", null]])")},
        {"flag", ArrayOf(arrow::boolean(), "[true, false, null, true, true, true]")},
    });
    const auto written = WriteParquet(
        *io_, kLocation, {batch},
        {.compression = compression, .row_group_rows = 4, .bloom_filter_columns = {"id", "name"}});
    EXPECT_THAT(written, IsOk());
    auto file = OpenParquetFile(*io_, kLocation, std::nullopt);
    EXPECT_THAT(file, IsOk());
    rows_ = ReadParquet(*io_, kLocation).value();
    pages_end_ = static_cast<std::size_t>(written->row_group_offsets.back());
    for (int column = 0; column < batch->num_columns(); ++column) {
      pages_end_ += static_cast<std::size_t>((*file)->chunk_bytes(1, column));
    }
    auto bytes = io::ReadFile(*io_, kLocation);
    EXPECT_THAT(bytes, IsOk());
    EXPECT_THAT(io_->Delete(kLocation), IsOk());
    return std::move(bytes).value();
  }

  // What reading these bytes says.
  Status ReadBytes(std::string_view bytes) {
    EXPECT_THAT(io::WriteFile(*io_, kBroken, bytes), IsOk());
    Status status = ReadAll(*io_, kBroken);
    EXPECT_THAT(io_->Delete(kBroken), IsOk());
    return status;
  }

  FixedClock clock_{Timestamp{}};
  std::unique_ptr<io::FileIo> io_ = io::MakeMemoryFileIo(clock_);
  std::shared_ptr<arrow::Table> rows_;  // Of the last whole file.
  std::size_t pages_end_ = 0;           // Where the pages of its last chunk end.
};

TEST_F(ParquetCorruptionTest, EveryCutIsFound) {
  const std::string whole = WholeFile(Compression::kZstd);
  ASSERT_THAT(ReadBytes(whole), IsOk());

  for (std::size_t length = 0; length < whole.size(); ++length) {
    ASSERT_THAT(ReadBytes(whole.substr(0, length)), Fails(ErrorKind::kCorrupt, HasSubstr(kBroken)))
        << "cut to " << length << " of " << whole.size();
  }
}

TEST_F(ParquetCorruptionTest, NoDamageCrashesOrGivesAnotherNumberOfRows) {
  constexpr std::uint64_t kSeed = 20261130;
  constexpr int kRounds = 1000;
  SeededRng rng(kSeed);
  int found = 0;
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    const std::string whole = WholeFile(compression);
    for (int round = 0; round < kRounds; ++round) {
      std::string bytes = whole;
      for (std::uint64_t changes = 1 + rng.Next() % 3; changes > 0; --changes) {
        bytes[rng.Next() % bytes.size()] = static_cast<char>(rng.Next());
      }

      const Status status = ReadBytes(bytes);

      // Damage to values themselves can go unseen; whatever is seen has a kind and a name.
      if (!status) {
        ++found;
        EXPECT_TRUE(status.error().kind == ErrorKind::kCorrupt ||
                    status.error().kind == ErrorKind::kUnsupported)
            << ToString(status.error().kind) << ": " << status.error().message << "\nseed " << kSeed
            << " round " << round;
        EXPECT_THAT(status.error().message, HasSubstr(kBroken));
      }
    }
  }
  EXPECT_GT(found, kRounds / 2);
}

TEST_F(ParquetCorruptionTest, DamagedPagesNeverGiveOtherValues) {
  constexpr std::uint64_t kSeed = 7;
  SeededRng rng(kSeed);
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    const std::string whole = WholeFile(compression);
    for (int round = 0; round < 400; ++round) {
      std::string bytes = whole;
      const std::size_t place = 4 + rng.Next() % (pages_end_ - 4);
      bytes[place] = static_cast<char>(bytes[place] ^ (1 + rng.Next() % 255));
      ASSERT_THAT(io::WriteFile(*io_, kBroken, bytes), IsOk());

      const Result<std::shared_ptr<arrow::Table>> table = ReadParquet(*io_, kBroken);

      // Parts of a page's header do not matter: its own statistics are not read.
      if (table) {
        EXPECT_TRUE((*table)->Equals(*rows_)) << "seed " << kSeed << " byte " << place;
      }
      ASSERT_THAT(io_->Delete(kBroken), IsOk());
    }
  }
}

}  // namespace
}  // namespace strandline::format
