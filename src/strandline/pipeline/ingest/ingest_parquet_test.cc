#include <string>
#include <vector>

#include <arrow/api.h>

#include "strandline/pipeline/ingest/ingest.h"
#include "tests/support/ingest_world.h"
#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"

namespace strandline::pipeline {
namespace {

using ::strandline::testing::ArrayOf;
using ::strandline::testing::BatchOf;
using ::strandline::testing::Fails;
using ::strandline::testing::IngestWorld;
using ::strandline::testing::IsOk;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kHour5 = "2026-11-30T05Z";
constexpr std::int64_t kHour5Millis = 1'796'014'800'000;

// Units whose files are Parquet.
class IngestParquet : public ::testing::Test {
 protected:
  IngestParquet() { world_.source().format = project::LandingFormat::kParquet; }

  void Land(const std::string& name,
            std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>> columns) {
    ASSERT_THAT(testing::WriteParquet(world_.io(), world_.LocationOf(kHour5, name),
                                      {BatchOf(std::move(columns))}),
                IsOk());
  }

  // So many milliseconds after the hour's start, each.
  static std::shared_ptr<arrow::Array> Times(const std::vector<std::int64_t>& millis) {
    arrow::TimestampBuilder builder(arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"),
                                    arrow::default_memory_pool());
    for (const std::int64_t after : millis) {
      EXPECT_TRUE(builder.Append(kHour5Millis + after).ok());
    }
    return builder.Finish().ValueOrDie();
  }

  IngestWorld world_;
};

TEST_F(IngestParquet, TakesColumnsByNameAndConvertsThem) {
  Land("a.parquet", {{"extra", ArrayOf(arrow::int64(), "[1, 2]")},
                     {"v", ArrayOf(arrow::int32(), "[10, null]")},
                     {"id", ArrayOf(arrow::utf8(), R"(["x", "y"])")},
                     {"ts", Times({0, 1})}});

  ASSERT_THAT(world_.Run(kHour5), IsOk());

  EXPECT_THAT(world_.Rows(),
              ElementsAre("x 2026-11-30T05:00Z 10", "y 2026-11-30T05:00:00.001000Z null"));
}

TEST_F(IngestParquet, BadRowsAreNamedByTheirNumber) {
  Land("a.parquet", {{"id", ArrayOf(arrow::utf8(), R"(["x", null, "z", "old"])")},
                     {"ts", Times({0, 1, 2, -1000LL * 3600 * 73})},
                     {"v", ArrayOf(arrow::uint64(), "[1, 2, 18446744073709551615, 4]")}});

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour5));

  EXPECT_EQ(result.counts.rows_quarantined, 3);
  EXPECT_THAT(world_.RowsOf(world_.quarantine(), {"position", "reason", "column"}),
              ElementsAre("1 null key id", "2 not a long v", "3 beyond lateness ts"));
  EXPECT_THAT(world_.Rows(), ElementsAre("x 2026-11-30T05:00Z 1"));
}

TEST_F(IngestParquet, AMissingColumnIsNullAndAMissingKeyFailsTheUnit) {
  Land("a.parquet", {{"id", ArrayOf(arrow::utf8(), R"(["x"])")}, {"ts", Times({0})}});
  ASSERT_THAT(world_.Run(kHour5), IsOk());
  EXPECT_THAT(world_.Rows(), ElementsAre("x 2026-11-30T05:00Z null"));

  Land("b.parquet", {{"v", ArrayOf(arrow::int64(), "[1]")}, {"ts", Times({0})}});
  EXPECT_THAT(world_.Run(kHour5), Fails(ErrorKind::kInvalidArgument,
                                        AllOf(HasSubstr("column id"), HasSubstr("b.parquet"))));
}

TEST_F(IngestParquet, AWrongTypeFailsTheUnitByFileAndColumn) {
  Land("a.parquet", {{"id", ArrayOf(arrow::utf8(), R"(["x"])")},
                     {"ts", Times({0})},
                     {"v", ArrayOf(arrow::utf8(), R"(["1"])")}});

  EXPECT_THAT(world_.Run(kHour5), Fails(ErrorKind::kInvalidArgument,
                                        AllOf(HasSubstr("column v"), HasSubstr("a.parquet"))));
  EXPECT_EQ(world_.StoredFileCount(), 0U);
}

TEST_F(IngestParquet, ACutFileFailsTheUnitByItsName) {
  Land("a.parquet", {{"id", ArrayOf(arrow::utf8(), R"(["x"])")}, {"ts", Times({0})}});
  SL_ASSERT_OK_AND_ASSIGN(const std::string whole,
                          io::ReadFile(world_.io(), world_.LocationOf(kHour5, "a.parquet")));
  world_.Land(kHour5, "b.parquet", std::string_view(whole).substr(0, whole.size() - 5));

  EXPECT_THAT(world_.Run(kHour5), Fails(ErrorKind::kCorrupt, HasSubstr("b.parquet")));
  EXPECT_EQ(world_.StoredFileCount(), 0U);
}

TEST_F(IngestParquet, TheWinnerIsTheSameHoweverFilesAreSharedOut) {
  for (const int threads : {1, 4}) {
    IngestWorld world;
    world.source().format = project::LandingFormat::kParquet;
    world.options().threads = threads;
    for (int file = 9; file >= 0; --file) {
      ASSERT_THAT(
          testing::WriteParquet(
              world.io(), world.LocationOf(kHour5, "part-" + std::to_string(file)),
              {BatchOf({{"id", ArrayOf(arrow::utf8(), R"(["same", "same"])")},
                        {"ts", Times({0, 0})},
                        {"v", ArrayOf(arrow::int64(), "[" + std::to_string(2 * file) + ", " +
                                                          std::to_string(2 * file + 1) + "]")}})}),
          IsOk());
    }

    SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world.Run(kHour5));

    EXPECT_EQ(result.counts.rows_duplicate, 19);
    EXPECT_EQ(result.counts.rows_conflicting, 19);
    EXPECT_THAT(world.Rows(), ElementsAre("same 2026-11-30T05:00Z 0"));
  }
}

TEST_F(IngestParquet, LateRowsOfAllThreadsShareOneFileAPartition) {
  world_.options().threads = 4;
  for (int file = 0; file < 8; ++file) {
    const std::string id = std::to_string(file);
    Land("part-" + id, {{"id", ArrayOf(arrow::utf8(), "[\"now " + id + "\", \"late " + id + "\"]")},
                        {"ts", Times({0, -1})}});
  }

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour5));

  EXPECT_EQ(result.counts.rows_published, 16);
  EXPECT_EQ(world_.FileCount(), 2U);
}

TEST_F(IngestParquet, FilesRollAtTheTargetSize) {
  auto metadata = *world_.Tables().table;
  metadata.properties["write.target-file-size-bytes"] = "1";
  world_.MutableTable() = std::make_shared<const table::TableMetadata>(metadata);
  for (int file = 0; file < 3; ++file) {
    Land(
        "part-" + std::to_string(file),
        {{"id", ArrayOf(arrow::utf8(), "[\"" + std::to_string(file) + "\"]")}, {"ts", Times({0})}});
  }

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world_.Run(kHour5));

  EXPECT_EQ(result.counts.rows_published, 3);
  EXPECT_EQ(world_.FileCount(), 3U);
}

}  // namespace
}  // namespace strandline::pipeline
