#include "strandline/pipeline/ingest/internal/bucket_store.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "tests/support/matchers.h"

namespace strandline::pipeline::ingest {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::HasSubstr;

std::string TempDirectory() {
  return (std::filesystem::temp_directory_path() / "strandline-bucket-store-test").string();
}

// The records of a bucket, which end in semicolons, sorted.
std::vector<std::string> RecordsOf(BucketStore& store, std::size_t bucket) {
  const Result<std::string> bytes = store.Take(bucket);
  EXPECT_THAT(bytes, IsOk());
  std::vector<std::string> records;
  for (std::size_t begin = 0; begin < bytes->size();) {
    const std::size_t end = bytes->find(';', begin) + 1;
    records.push_back(bytes->substr(begin, end - begin));
    begin = end;
  }
  std::ranges::sort(records);
  return records;
}

TEST(BucketStore, GivesBackWhatSeveralThreadsWroteWhetherItSpillsOrNot) {
  for (const std::int64_t memory_bytes_max :
       {std::int64_t{0}, std::int64_t{1} << 20, std::int64_t{1} << 30}) {
    BucketStore store(memory_bytes_max, TempDirectory());
    std::vector<std::vector<std::string>> expected(BucketStore::kBucketCount);
    for (int i = 0; i < 200'000; ++i) {
      expected[static_cast<std::size_t>(i * 7 % 256)].push_back(
          fmt::format("{} {};", i, i * i % 13));
    }
    {
      std::vector<std::jthread> threads;
      for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
          BucketStore::Writer writer(store);
          for (int i = thread; i < 200'000; i += 4) {
            EXPECT_THAT(writer.Append(static_cast<std::size_t>(i * 7 % 256), fmt::format("{} ", i),
                                      fmt::format("{};", i * i % 13)),
                        IsOk());
          }
          EXPECT_THAT(writer.Finish(), IsOk());
        });
      }
    }

    EXPECT_EQ(store.spilled_bytes() > 0, memory_bytes_max < (1 << 30));
    for (std::size_t bucket = 0; bucket < BucketStore::kBucketCount; ++bucket) {
      std::ranges::sort(expected[bucket]);
      ASSERT_EQ(RecordsOf(store, bucket), expected[bucket]) << bucket;
      EXPECT_EQ(RecordsOf(store, bucket), std::vector<std::string>()) << "taken already";
    }
  }
}

TEST(BucketStore, TakesRecordsLargerThanItsBlocks) {
  BucketStore store(0, TempDirectory());
  BucketStore::Writer writer(store);
  const std::string large(1 << 20, 'x');

  ASSERT_THAT(writer.Append(3, "small"), IsOk());
  ASSERT_THAT(writer.Append(3, large, "tail"), IsOk());
  ASSERT_THAT(writer.Finish(), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const std::string bytes, store.Take(3));
  EXPECT_EQ(bytes.size(), 5 + large.size() + 4);
}

TEST(BucketStore, LeavesNoFileBehindAndTouchesNoDiskWithoutNeed) {
  const std::string directory = TempDirectory() + "-names";
  std::filesystem::remove_all(directory);
  {
    BucketStore store(1 << 30, directory);
    BucketStore::Writer writer(store);
    ASSERT_THAT(writer.Append(0, "x"), IsOk());
    ASSERT_THAT(writer.Finish(), IsOk());
    EXPECT_FALSE(std::filesystem::exists(directory));
  }
  BucketStore store(0, directory);
  BucketStore::Writer writer(store);
  ASSERT_THAT(writer.Append(0, "x"), IsOk());
  ASSERT_THAT(writer.Finish(), IsOk());

  EXPECT_TRUE(std::filesystem::is_empty(directory))
      << "the file has no name, even while it is used";
}

TEST(BucketStore, SaysWhereItCouldNotSpillTo) {
  BucketStore store(0, "/proc/no-such-folder");
  BucketStore::Writer writer(store);
  ASSERT_THAT(writer.Append(0, "x"), IsOk());

  EXPECT_THAT(writer.Finish(), Fails(ErrorKind::kUnavailable, HasSubstr("/proc/no-such-folder")));
}

}  // namespace
}  // namespace strandline::pipeline::ingest
