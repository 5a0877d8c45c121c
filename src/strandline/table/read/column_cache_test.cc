#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/base/parallel.h"
#include "strandline/io/counting_file_io.h"
#include "strandline/io/faulty_file_io.h"
#include "strandline/table/read/scan_reader.h"
#include "tests/support/manifest_tables.h"
#include "tests/support/matchers.h"
#include "tests/support/scan_files.h"

namespace strandline::table {
namespace {

using ::strandline::testing::BatchWith;
using ::strandline::testing::Column;
using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::strandline::testing::MemoryFiles;
using ::strandline::testing::ReadLines;
using ::strandline::testing::WithId;
using ::strandline::testing::WriteTask;
using ::testing::ElementsAre;

constexpr FieldId kId{1};
constexpr FieldId kName{2};
constexpr FieldId kLate{3};
constexpr std::int64_t kPlenty = 1 << 30;

Schema ThreeColumns(TypeId id_type = TypeId::kInt) {
  Schema schema;
  schema.fields = {Column(1, "id", PrimitiveType(id_type)),
                   Column(2, "name", PrimitiveType(TypeId::kString)),
                   Column(3, "late", PrimitiveType(TypeId::kLong))};
  return schema;
}

TableMetadata UnpartitionedTable() {
  TableMetadata metadata;
  metadata.location = "mem://lake/t";
  metadata.partition_specs = {PartitionSpec{}};
  return metadata;
}

// One file of six rows in two row groups; it has no column `late`.
Result<ScanTask> WriteSixRows(io::FileIo& io) {
  return WriteTask(io, "mem://a",
                   BatchWith({WithId(1, "id", arrow::int32()), WithId(2, "name", arrow::utf8())},
                             {"[0, 1, 2, 3, 4, 5]", R"(["a", "b", null, "d", "e", "f"])"}),
                   3);
}

Result<std::vector<std::string>> Read(io::FileIo& io, const ScanTask& task, ColumnCache& cache,
                                      std::vector<std::string> columns,
                                      const Schema& schema = ThreeColumns(),
                                      std::int64_t batch_rows = 65536) {
  ScanReadOptions options;
  options.columns = std::move(columns);
  options.cache = &cache;
  options.batch_rows = batch_rows;
  std::unique_ptr<format::BatchSource> source =
      SL_TRY(OpenScan(io, UnpartitionedTable(), schema, {task}, options));
  return ReadLines(std::move(source));
}

TEST(ColumnCache, DecodesASharedColumnOnce) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteSixRows(*files.io));
  ColumnCache cache(kPlenty);
  cache.Announce({kId, kName});
  cache.Announce({kName, kLate});

  SL_ASSERT_OK_AND_ASSIGN(const auto first, Read(*files.io, task, cache, {"id", "name"}));
  EXPECT_EQ(cache.chunks_decoded(), 2);  // `name` of two row groups; `id` has no other user.
  EXPECT_EQ(cache.chunks_reused(), 0);
  cache.Release({kId, kName});
  EXPECT_GT(cache.bytes_kept(), 0);
  SL_ASSERT_OK_AND_ASSIGN(const auto second, Read(*files.io, task, cache, {"name", "late"}));
  cache.Release({kName, kLate});

  EXPECT_THAT(first, ElementsAre("0 a", "1 b", "2 null", "3 d", "4 e", "5 f"));
  EXPECT_THAT(second, ElementsAre("a null", "b null", "null null", "d null", "e null", "f null"));
  EXPECT_EQ(cache.chunks_decoded(), 2);
  EXPECT_EQ(cache.chunks_reused(), 2);
  EXPECT_EQ(cache.bytes_kept(), 0);
}

TEST(ColumnCache, ReadsTheBytesOfASharedColumnOnce) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteSixRows(*files.io));
  io::CountingFileIo counting(*files.io);
  ColumnCache cache(kPlenty);
  cache.Announce({kId});
  cache.Announce({kId});
  const auto bytes_of_a_scan = [&](std::vector<std::string> columns) {
    const std::int64_t before = counting.bytes_read();
    EXPECT_THAT(Read(counting, task, cache, std::move(columns)), IsOk());
    return counting.bytes_read() - before;
  };

  const std::int64_t footer_only = bytes_of_a_scan({});
  EXPECT_GT(bytes_of_a_scan({"id"}), footer_only);
  EXPECT_EQ(bytes_of_a_scan({"id"}), footer_only);
}

TEST(ColumnCache, GivesViewsOfWhatItKeeps) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteSixRows(*files.io));
  ColumnCache cache(kPlenty);
  cache.Announce({kId});
  cache.Announce({kId});
  std::vector<const void*> buffers;
  for (int scan = 0; scan < 2; ++scan) {
    SL_ASSERT_OK_AND_ASSIGN(auto source, OpenScan(*files.io, UnpartitionedTable(), ThreeColumns(),
                                                  {task}, {.columns = {"id"}, .cache = &cache}));
    SL_ASSERT_OK_AND_ASSIGN(auto stream, source->OpenPart(1));
    SL_ASSERT_OK_AND_ASSIGN(const auto batch, stream->Next());
    buffers.push_back(batch->column_data(0)->buffers[1]->data());
  }

  EXPECT_EQ(buffers[0], buffers[1]);
}

TEST(ColumnCache, KeepsNothingThatNobodyElseWants) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteSixRows(*files.io));
  ColumnCache cache(kPlenty);
  cache.Announce({kId});

  EXPECT_THAT(Read(*files.io, task, cache, {"id", "name"}), IsOk());

  EXPECT_EQ(cache.bytes_kept(), 0);
  EXPECT_EQ(cache.chunks_decoded(), 0);
}

TEST(ColumnCache, ReadsAgainWhatItHasNoRoomFor) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteSixRows(*files.io));
  ColumnCache cache(0);
  cache.Announce({kId});
  cache.Announce({kId});

  SL_ASSERT_OK_AND_ASSIGN(const auto first, Read(*files.io, task, cache, {"id"}));
  SL_ASSERT_OK_AND_ASSIGN(const auto second, Read(*files.io, task, cache, {"id"}));

  EXPECT_EQ(first, second);
  EXPECT_EQ(cache.bytes_kept(), 0);
  EXPECT_EQ(cache.chunks_reused(), 0);
  EXPECT_EQ(cache.chunks_decoded(), 4);
}

TEST(ColumnCache, ServesBatchesOfAnySize) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteSixRows(*files.io));
  ColumnCache cache(kPlenty);
  cache.Announce({kName});
  cache.Announce({kName});
  SL_ASSERT_OK_AND_ASSIGN(const auto expected,
                          Read(*files.io, task, cache, {"name"}, ThreeColumns(), 2));

  for (const std::int64_t batch_rows : {1, 2, 3, 100}) {
    SCOPED_TRACE(batch_rows);
    SL_ASSERT_OK_AND_ASSIGN(
        const auto lines, Read(*files.io, task, cache, {"name", "id"}, ThreeColumns(), batch_rows));
    ASSERT_EQ(lines.size(), 6U);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(lines[i], fmt::format("{} {}", expected[i], i));
    }
  }
}

TEST(ColumnCache, KeepsTypesOfDifferentSchemasApart) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteSixRows(*files.io));
  ColumnCache cache(kPlenty);
  cache.Announce({kId});
  cache.Announce({kId});

  SL_ASSERT_OK_AND_ASSIGN(const auto ints, Read(*files.io, task, cache, {"id"}));
  SL_ASSERT_OK_AND_ASSIGN(const auto longs,
                          Read(*files.io, task, cache, {"id"}, ThreeColumns(TypeId::kLong)));

  EXPECT_EQ(ints, longs);
  EXPECT_EQ(cache.chunks_reused(), 0);
}

TEST(ColumnCache, AFailedReadSpoilsNothing) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteSixRows(*files.io));
  io::FaultyFileIo io(*files.io);
  SL_ASSERT_OK_AND_ASSIGN(
      auto source, OpenScan(io, UnpartitionedTable(), ThreeColumns(), {task}, {.columns = {"id"}}));
  ColumnCache cache(kPlenty);
  cache.Announce({kId});
  cache.Announce({kId});

  bool failed_once = false;
  for (std::int64_t call = 1;; ++call) {
    io.FailCall(call);
    const auto lines = Read(io, task, cache, {"id"});
    if (lines) {
      EXPECT_THAT(*lines, ElementsAre("0", "1", "2", "3", "4", "5"));
      break;
    }
    EXPECT_THAT(lines, Fails(ErrorKind::kUnavailable, ::testing::_));
    failed_once = true;
  }
  EXPECT_TRUE(failed_once);
}

TEST(ColumnCache, LetsThreadsShareWhatOneOfThemDecodes) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteSixRows(*files.io));
  constexpr std::size_t kScans = 8;
  ColumnCache cache(kPlenty);
  for (std::size_t i = 0; i < kScans; ++i) {
    cache.Announce({kId, kName});
  }
  std::vector<std::vector<std::string>> lines(kScans);

  const Status read = ParallelFor(kScans, 4, [&](std::size_t scan) -> Status {
    lines[scan] = SL_TRY(Read(*files.io, task, cache, {"id", "name"}));
    return {};
  });

  ASSERT_THAT(read, IsOk());
  for (const auto& of_scan : lines) {
    EXPECT_EQ(of_scan, lines.front());
    EXPECT_EQ(of_scan.size(), 6U);
  }
  EXPECT_EQ(cache.chunks_decoded(), 4);
  EXPECT_EQ(cache.chunks_reused(), static_cast<std::int64_t>(4 * (kScans - 1)));
}

}  // namespace
}  // namespace strandline::table
