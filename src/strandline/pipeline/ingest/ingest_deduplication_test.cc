#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "strandline/pipeline/ingest/ingest.h"
#include "tests/support/ingest_world.h"
#include "tests/support/matchers.h"

namespace strandline::pipeline {
namespace {

using ::strandline::testing::IngestWorld;
using ::strandline::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr const char* kHour5 = "2026-11-30T05Z";
constexpr const char* kHour6 = "2026-11-30T06Z";

// A key's hash that says next to nothing: almost every key shares it with others.
Hash128 WeakHash(std::string_view key) {
  return {.high = std::uint64_t{0xab} << 56, .low = key.size() % 2};
}

// `rows` lines of hour 5, and two more hours back; ids are numbers from `first` on, so that files
// with overlapping numbers hold duplicates.
std::string Lines(std::int64_t first, std::int64_t rows) {
  std::string lines;
  for (std::int64_t i = first; i < first + rows; ++i) {
    lines +=
        fmt::format("{{\"id\": \"event {}\", \"ts\": \"2026-11-30T{:02}:{:02}:00Z\", \"v\": {}}}\n",
                    i, i % 50 == 0 ? 3 + i % 2 : 5, i % 60, i % 7 == 0 ? i % 10 : i);
  }
  return lines;
}

// What an ingest must give however it is done.
struct Answer {
  std::vector<std::string> rows;
  IngestCounts counts;
};

// Two hours with duplicates inside and between them.
Answer TwoHours(IngestWorld& world) {
  world.Land(kHour5, "a.jsonl", Lines(0, 3000));
  world.Land(kHour5, "b.jsonl", Lines(2500, 3000) + "bad\n");
  world.Land(kHour5, "c.jsonl", Lines(100, 50) + Lines(100, 50));
  EXPECT_THAT(world.Run(kHour5), IsOk());
  world.Land(kHour6, "a.jsonl", Lines(5000, 1000));
  world.Land(kHour6, "b.jsonl", Lines(20, 10) + Lines(5400, 1000));
  const Result<IngestResult> result = world.Run(kHour6);
  EXPECT_THAT(result, IsOk());
  return {.rows = world.Rows(), .counts = result ? result->counts : IngestCounts()};
}

class IngestDeduplication : public ::testing::Test {
 protected:
  void SetUp() override {
    IngestWorld world;
    expected_ = TwoHours(world);
    ASSERT_THAT(expected_.rows, SizeIs(6400));
    ASSERT_EQ(expected_.counts.rows_in, 2010);
    ASSERT_EQ(expected_.counts.rows_duplicate, 500 + 10 + 600);
  }

  static void ExpectSameRows(const Answer& answer, const Answer& expected) {
    EXPECT_EQ(answer.rows, expected.rows);
    EXPECT_EQ(answer.counts.rows_published, expected.counts.rows_published);
    EXPECT_EQ(answer.counts.rows_duplicate, expected.counts.rows_duplicate);
    EXPECT_EQ(answer.counts.rows_conflicting, expected.counts.rows_conflicting);
    EXPECT_EQ(answer.counts.keys_asked, expected.counts.keys_asked);
  }

  Answer expected_;
};

TEST_F(IngestDeduplication, SpillingGivesTheSameRows) {
  IngestWorld world;
  world.options().memory_limit_bytes = 1;

  ExpectSameRows(TwoHours(world), expected_);
}

TEST_F(IngestDeduplication, OneThreadAndManyGiveTheSameRows) {
  for (const int threads : {1, 7}) {
    IngestWorld world;
    world.options().threads = threads;

    ExpectSameRows(TwoHours(world), expected_);
  }
}

TEST_F(IngestDeduplication, WithoutFiltersTheRowsAreEqualAndMoreIsRead) {
  // An hour whose keys are all new, so that only filters can tell.
  const auto ask_for_new_keys = [](IngestWorld& world) {
    TwoHours(world);
    world.Land("2026-11-30T07Z", "a.jsonl", Lines(1'000'000, 5));
    const Result<IngestResult> result = world.Run("2026-11-30T07Z");
    EXPECT_THAT(result, IsOk());
    return Answer{.rows = world.Rows(), .counts = result ? result->counts : IngestCounts()};
  };
  IngestWorld with;
  const Answer filtered = ask_for_new_keys(with);
  IngestWorld without;
  without.options().use_bloom_filters = false;

  const Answer unfiltered = ask_for_new_keys(without);

  ExpectSameRows(unfiltered, filtered);
  EXPECT_EQ(unfiltered.counts.filter_hits, unfiltered.counts.keys_asked);
  EXPECT_EQ(unfiltered.counts.false_positives, 5);
  EXPECT_GT(unfiltered.counts.verify_bytes, filtered.counts.verify_bytes);
}

TEST_F(IngestDeduplication, NoFalsePositiveEverDropsARow) {
  IngestWorld world;
  world.options().for_tests.every_filter_hits = true;

  const Answer answer = TwoHours(world);

  ExpectSameRows(answer, expected_);
  EXPECT_EQ(answer.counts.filter_hits, answer.counts.keys_asked);
  constexpr std::int64_t kPublishedBefore = 500 + 10 + 100;
  EXPECT_EQ(answer.counts.false_positives, answer.counts.keys_asked - kPublishedBefore);
}

TEST_F(IngestDeduplication, KeysThatShareAHashAreComparedByteByByte) {
  IngestWorld world;
  world.options().for_tests.hash_key = &WeakHash;

  ExpectSameRows(TwoHours(world), expected_);
}

TEST_F(IngestDeduplication, NeitherFiltersNorHashesNorMemoryMatterForTheRows) {
  IngestWorld world;
  world.options().for_tests.hash_key = &WeakHash;
  world.options().for_tests.every_filter_hits = true;
  world.options().memory_limit_bytes = 1;
  world.options().threads = 3;

  ExpectSameRows(TwoHours(world), expected_);
}

TEST_F(IngestDeduplication, AnyTypeOfKeyIsFoundAgain) {
  struct Case {
    const char* type;
    std::vector<std::string> values;  // All different.
  };
  const Case cases[] = {
      {"int", {"0", "-1", "2147483647"}},
      {"long", {"0", "-9223372036854775808"}},
      {"boolean", {"true", "false"}},
      {"float", {"0.5", "0.0", "-1.25"}},
      {"double", {"0.1", "0.0", "1e300"}},
      {"decimal(4, 2)", {"12.5", "-12.5"}},
      {"decimal(18, 2)", {"12.5", "9999999999999999.99"}},
      {"decimal(38, 0)", {"12", "99999999999999999999999999999999999999"}},
      {"date", {"\"2026-11-30\"", "\"1969-12-31\""}},
      {"time", {"\"00:00\"", "\"23:59:59.999999\""}},
      {"timestamp", {"\"2026-11-30T05:00\"", "\"1969-12-31T23:59:59.999999\""}},
      {"timestamptz", {"\"2026-11-30T05:00Z\"", "\"2026-11-30T05:00:00.000001Z\""}},
      {"string", {"\"\"", "\"a\"", "\"é\""}},
      {"uuid",
       {"\"00000000-0000-0000-0000-000000000000\"", "\"00000000-0000-0000-0000-000000000001\""}},
  };
  for (const Case& c : cases) {
    for (const bool use_bloom_filters : {true, false}) {
      SCOPED_TRACE(fmt::format("{}, filters {}", c.type, use_bloom_filters));
      IngestWorld world;
      world.options().use_bloom_filters = use_bloom_filters;
      world.AddColumn("k", c.type);
      world.source().key = {"k"};
      std::string lines;
      for (const std::string& value : c.values) {
        lines += fmt::format("{{\"k\": {}, \"ts\": \"2026-11-30T05:00Z\"}}\n", value);
      }
      world.Land(kHour5, "a.jsonl", lines + lines);

      SL_ASSERT_OK_AND_ASSIGN(const IngestResult first, world.Run(kHour5));
      SL_ASSERT_OK_AND_ASSIGN(const IngestResult again, world.Run(kHour5));

      const auto count = static_cast<std::int64_t>(c.values.size());
      EXPECT_EQ(first.counts.rows_published, count);
      EXPECT_EQ(again.counts.rows_published, 0);
      EXPECT_EQ(again.counts.rows_duplicate, 2 * count);
      EXPECT_EQ(again.counts.false_positives, 0);
    }
  }
}

TEST_F(IngestDeduplication, ZerosOfBothSignsAreOneKey) {
  IngestWorld world;
  world.AddColumn("k", "double");
  world.source().key = {"k"};
  world.Land(kHour5, "a.jsonl", "{\"k\": 0.0, \"ts\": \"2026-11-30T05:00Z\"}\n");
  ASSERT_THAT(world.Run(kHour5), IsOk());
  world.Land(kHour6, "a.jsonl",
             "{\"k\": -0.0, \"ts\": \"2026-11-30T05:00Z\"}\n"
             "{\"k\": -0.0, \"ts\": \"2026-11-30T06:00Z\"}\n");

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult result, world.Run(kHour6));

  EXPECT_EQ(result.counts.rows_duplicate, 2);
}

TEST_F(IngestDeduplication, OneKeyAHundredThousandTimesIsStillQuick) {
  IngestWorld world;
  std::string lines;
  for (int i = 0; i < 100'000; ++i) {
    lines += "{\"id\": \"x\", \"ts\": \"2026-11-30T05:00Z\", \"v\": 1}\n";
  }
  world.Land(kHour5, "a.jsonl", lines);
  ASSERT_THAT(world.Run(kHour5), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const IngestResult again, world.Run(kHour5));

  EXPECT_EQ(again.counts.rows_duplicate, 100'000);
  EXPECT_THAT(world.Rows(), ElementsAre("x 2026-11-30T05:00Z 1"));
}

}  // namespace
}  // namespace strandline::pipeline
