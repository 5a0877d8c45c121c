// What partition values and manifests' summaries prove, transform by transform.

#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include "strandline/table/scan/expression.h"
#include "tests/support/pruning_cases.h"

namespace strandline::table {
namespace {

using ::strandline::testing::pruning::Answer;
using ::strandline::testing::pruning::Ask;
using ::strandline::testing::pruning::Decimal;
using ::strandline::testing::pruning::FileWith;
using ::strandline::testing::pruning::Int;
using ::strandline::testing::pruning::kAll;
using ::strandline::testing::pruning::kNone;
using ::strandline::testing::pruning::kRows;
using ::strandline::testing::pruning::kSome;
using ::strandline::testing::pruning::Long;
using ::strandline::testing::pruning::SchemaOf;
using ::strandline::testing::pruning::SpecOf;
using ::strandline::testing::pruning::Text;
using ::strandline::testing::pruning::X;
using enum ExpressionKind;

// Every transform, through a file's partition value: no metrics there.
TEST(PartitionPruning, AsksPartitionValues) {
  const Type long_type = PrimitiveType(TypeId::kLong);
  const Type text = PrimitiveType(TypeId::kString);
  const Type binary = PrimitiveType(TypeId::kBinary);
  const Type time = PrimitiveType(TypeId::kTimestamptz);
  const Type date = PrimitiveType(TypeId::kDate);
  constexpr std::int64_t kHour = 3'600'000'000;
  constexpr std::int64_t kDay = 24 * kHour;
  struct Case {
    const char* name;
    Type type;
    const char* transform;
    Value partition;
    Expression expression;
    Answer answer;
  };
  const std::vector<Case> cases = {
      {"identity equal", long_type, "identity", Long(5), X(kEqual, {Long(5)}), kAll},
      {"identity unequal", long_type, "identity", Long(5), X(kEqual, {Long(6)}), kNone},
      {"identity of null", long_type, "identity", Value(), X(kEqual, {Long(6)}), kNone},
      {"identity is null", long_type, "identity", Value(), X(kIsNull), kAll},
      {"identity is not null", long_type, "identity", Long(5), X(kIsNull), kNone},
      {"an int partition of a column promoted since", long_type, "identity", Int(5),
       X(kEqual, {Long(5)}), kAll},

      {"bucket of another value", long_type, "bucket[16]", Int(3), X(kEqual, {Long(34)}), kSome},
      {"not the value's bucket", long_type, "bucket[16]", Int(4), X(kEqual, {Long(34)}), kNone},
      {"bucket of one of two", long_type, "bucket[16]", Int(3), X(kIn, {Long(34), Long(35)}),
       kSome},
      {"a range over buckets", long_type, "bucket[16]", Int(4), X(kLess, {Long(0)}), kSome},
      {"unequal over buckets", long_type, "bucket[16]", Int(3), X(kNotEqual, {Long(34)}), kSome},
      {"a null bucket", long_type, "bucket[16]", Value(), X(kEqual, {Long(34)}), kNone},
      {"a bucket has no nulls", long_type, "bucket[16]", Int(3), X(kIsNull), kNone},

      {"truncated numbers, inside", long_type, "truncate[10]", Long(-10), X(kEqual, {Long(-1)}),
       kSome},
      {"truncated numbers, above", long_type, "truncate[10]", Long(-10), X(kEqual, {Long(0)}),
       kNone},
      {"truncated numbers, below", long_type, "truncate[10]", Long(-10), X(kEqual, {Long(-11)}),
       kNone},
      {"truncated numbers, all below", long_type, "truncate[10]", Long(-10), X(kLess, {Long(0)}),
       kAll},
      {"truncated numbers, not all", long_type, "truncate[10]", Long(-10), X(kLess, {Long(-1)}),
       kSome},
      {"truncated at the end of the type", long_type, "truncate[10]",
       Long(std::numeric_limits<std::int64_t>::max() - 6),
       X(kEqual, {Long(std::numeric_limits<std::int64_t>::max())}), kSome},
      {"truncated decimals", DecimalType(9, 2), "truncate[50]", Decimal(1050),
       X(kEqual, {Decimal(1099)}), kSome},
      {"truncated decimals, above", DecimalType(9, 2), "truncate[50]", Decimal(1050),
       X(kEqual, {Decimal(1100)}), kNone},

      {"cut text, longer", text, "truncate[3]", Text("abc"), X(kEqual, {Text("abcdef")}), kSome},
      {"cut text, other", text, "truncate[3]", Text("abc"), X(kEqual, {Text("abd")}), kNone},
      {"cut text, a shorter one", text, "truncate[3]", Text("ab"), X(kEqual, {Text("ab")}), kAll},
      {"cut text, shorter is whole", text, "truncate[3]", Text("ab"), X(kEqual, {Text("abc")}),
       kNone},
      {"cut text, prefix of the same length", text, "truncate[3]", Text("abc"),
       X(kStartsWith, {Text("abc")}), kAll},
      {"cut text, longer prefix", text, "truncate[3]", Text("abc"), X(kStartsWith, {Text("abcd")}),
       kSome},
      {"cut text, other prefix", text, "truncate[3]", Text("abc"), X(kStartsWith, {Text("ac")}),
       kNone},
      {"cut text, not the prefix", text, "truncate[3]", Text("abc"),
       X(kNotStartsWith, {Text("abc")}), kNone},
      {"cut bytes", binary, "truncate[1]", Value(Bytes{"\xFF"}),
       X(kEqual, {Value(Bytes{"\xFF\xFF"})}), kSome},
      {"cut bytes, other", binary, "truncate[1]", Value(Bytes{"\xFE"}),
       X(kEqual, {Value(Bytes{"\xFF"})}), kNone},

      {"hour, its first moment", time, "hour", Int(10), X(kEqual, {Long(10 * kHour)}), kSome},
      {"hour, its last moment", time, "hour", Int(10), X(kEqual, {Long(11 * kHour - 1)}), kSome},
      {"hour, before", time, "hour", Int(10), X(kLess, {Long(10 * kHour)}), kNone},
      {"hour, after", time, "hour", Int(10), X(kGreaterOrEqual, {Long(11 * kHour)}), kNone},
      {"hour, all from its start", time, "hour", Int(10), X(kGreaterOrEqual, {Long(10 * kHour)}),
       kAll},
      {"hour, all before its end", time, "hour", Int(10), X(kLess, {Long(11 * kHour)}), kAll},
      {"hour, null", time, "hour", Value(), X(kLess, {Long(0)}), kNone},
      {"hours before 1970, floored", time, "hour", Int(-1), X(kEqual, {Long(-1)}), kSome},
      {"hours before 1970, rounded to zero by old Java", time, "hour", Int(0),
       X(kEqual, {Long(-1)}), kSome},
      {"hours before 1970, one more", time, "hour", Int(0), X(kEqual, {Long(-kHour - 1)}), kNone},
      {"day", time, "day", Int(1), X(kLess, {Long(kDay)}), kNone},
      {"day, inside", time, "day", Int(1), X(kLess, {Long(kDay + 1)}), kSome},
      {"month", time, "month", Int(1), X(kLess, {Long(31 * kDay)}), kNone},
      {"month, all inside", time, "month", Int(1), X(kLess, {Long(59 * kDay)}), kAll},
      {"year", time, "year", Int(2), X(kLess, {Long(730 * kDay)}), kNone},
      {"a leap year, its last day", time, "year", Int(2), X(kEqual, {Long(1095 * kDay)}), kSome},
      {"a leap year, the day after", time, "year", Int(2), X(kEqual, {Long(1096 * kDay)}), kNone},
      {"day of a date", date, "day", Int(-1), X(kEqual, {Int(-1)}), kAll},
      {"day of a date, the day before", date, "day", Int(-1), X(kEqual, {Int(-2)}), kNone},
      {"month of a date", date, "month", Int(1), X(kEqual, {Int(58)}), kSome},
      {"month of a date, after", date, "month", Int(1), X(kEqual, {Int(59)}), kNone},
      {"a month that no calendar has", date, "month", Int(2'000'000'000), X(kEqual, {Int(59)}),
       kSome},

      // C070: the null of a void field says nothing about the rows.
      {"void", long_type, "void", Value(), X(kEqual, {Long(5)}), kSome},
      {"void, null", long_type, "void", Value(), X(kIsNull), kSome},
      {"an unknown transform", long_type, "zorder[3]", Value(), X(kEqual, {Long(5)}), kSome},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    DataFile file;
    file.record_count = kRows;
    file.partition = {c.partition};
    EXPECT_EQ(Ask(c.expression, c.type, SpecOf(c.transform), file), c.answer);
  }
}

TEST(PartitionPruning, PutsPartitionAndMetricsTogether) {
  const Type type = PrimitiveType(TypeId::kTimestamptz);
  constexpr std::int64_t kHour = 3'600'000'000;
  DataFile file = FileWith(type, {.nulls = 0});
  file.partition = {Int(10)};

  // The partition has the bounds, the counts say that there is no null.
  EXPECT_EQ(Ask(X(kNotNull), type, SpecOf("hour"), file), kAll);
  EXPECT_EQ(Ask(X(kLess, {Long(11 * kHour)}), type, SpecOf("hour"), file), kAll);
}

TEST(PartitionPruning, SourcesThatContradictEachOtherProveNothingForAllRows) {
  const Type type = PrimitiveType(TypeId::kLong);
  DataFile file = FileWith(type, {Long(1), Long(2), 0});
  file.partition = {Long(100)};

  EXPECT_FALSE(Ask(X(kLess, {Long(50)}), type, SpecOf("identity"), file).must);
  EXPECT_FALSE(Ask(X(kGreater, {Long(50)}), type, SpecOf("identity"), file).must);
}

ManifestFile ManifestWith(const PartitionFieldSummary& summary) {
  ManifestFile manifest;
  manifest.partitions = {summary};
  return manifest;
}

PartitionFieldSummary Summary(const Type& type, const Value& lower, const Value& upper) {
  PartitionFieldSummary summary;
  summary.contains_nan = false;
  summary.lower_bound = SerializeValue(type, lower);
  summary.upper_bound = SerializeValue(type, upper);
  return summary;
}

TEST(PartitionPruning, AsksSummariesOfManifests) {
  const Type int_type = PrimitiveType(TypeId::kInt);
  const Type long_type = PrimitiveType(TypeId::kLong);
  const Type text = PrimitiveType(TypeId::kString);
  const Type time = PrimitiveType(TypeId::kTimestamptz);
  constexpr std::int64_t kHour = 3'600'000'000;
  struct Case {
    const char* name;
    Type type;
    const char* transform;
    PartitionFieldSummary summary;
    Expression expression;
    bool may;
  };
  const std::vector<Case> cases = {
      {"hours inside", time, "hour", Summary(int_type, Int(10), Int(12)),
       X(kEqual, {Long(13 * kHour - 1)}), true},
      {"hours after", time, "hour", Summary(int_type, Int(10), Int(12)),
       X(kGreaterOrEqual, {Long(13 * kHour)}), false},
      {"hours before", time, "hour", Summary(int_type, Int(10), Int(12)),
       X(kLess, {Long(10 * kHour)}), false},
      {"no nulls", time, "hour", Summary(int_type, Int(10), Int(12)), X(kIsNull), false},
      {"identity", text, "identity", Summary(text, Text("DE"), Text("FR")),
       X(kIn, {Text("AT"), Text("IT")}), false},
      {"identity inside", text, "identity", Summary(text, Text("DE"), Text("FR")),
       X(kIn, {Text("AT"), Text("ES")}), true},
      {"identity prefix", text, "identity", Summary(text, Text("DE"), Text("FR")),
       X(kStartsWith, {Text("I")}), false},
      {"a bucket inside", long_type, "bucket[16]", Summary(int_type, Int(2), Int(5)),
       X(kEqual, {Long(34)}), true},
      {"a bucket outside", long_type, "bucket[16]", Summary(int_type, Int(4), Int(15)),
       X(kEqual, {Long(34)}), false},
      {"truncated", long_type, "truncate[10]", Summary(long_type, Long(10), Long(30)),
       X(kEqual, {Long(39)}), true},
      {"truncated, above", long_type, "truncate[10]", Summary(long_type, Long(10), Long(30)),
       X(kEqual, {Long(40)}), false},
      {"void", long_type, "void", Summary(long_type, Long(10), Long(30)), X(kEqual, {Long(99)}),
       true},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ManifestMayMatch(c.expression, SchemaOf(c.type), SpecOf(c.transform),
                               ManifestWith(c.summary)),
              c.may);
  }
}

// C110: null bounds beside contains_null = false are what ClickHouse writes over any rows.
TEST(PartitionPruning, SummariesWithoutBoundsSayNothing) {
  const Schema schema = SchemaOf(PrimitiveType(TypeId::kLong));
  PartitionFieldSummary summary;
  summary.contains_null = false;
  summary.contains_nan = false;

  for (const Expression& expression : {X(kEqual, {Long(5)}), X(kIsNull), X(kNotNull)}) {
    EXPECT_TRUE(ManifestMayMatch(expression, schema, SpecOf("identity"), ManifestWith(summary)));
  }
}

// C112: contains_nan is left out by many, and false without having looked by some.
TEST(PartitionPruning, SummariesMayAlwaysHideNan) {
  const Type type = PrimitiveType(TypeId::kDouble);
  PartitionFieldSummary summary = Summary(type, Value(1.0), Value(2.0));

  for (const std::optional<bool> contains_nan : {std::optional<bool>(), std::optional(false)}) {
    summary.contains_nan = contains_nan;
    const ManifestFile manifest = ManifestWith(summary);
    EXPECT_TRUE(ManifestMayMatch(X(kIsNan), SchemaOf(type), SpecOf("identity"), manifest));
    EXPECT_TRUE(
        ManifestMayMatch(X(kGreater, {Value(5.0)}), SchemaOf(type), SpecOf("identity"), manifest));
    EXPECT_FALSE(
        ManifestMayMatch(X(kLess, {Value(0.5)}), SchemaOf(type), SpecOf("identity"), manifest));
  }
}

TEST(PartitionPruning, ManifestsWithoutFittingSummariesAreRead) {
  const Schema schema = SchemaOf(PrimitiveType(TypeId::kLong));
  ManifestFile broken = ManifestWith(Summary(PrimitiveType(TypeId::kLong), Long(1), Long(2)));
  broken.partitions[0].lower_bound = "?";

  EXPECT_TRUE(ManifestMayMatch(X(kEqual, {Long(5)}), schema, SpecOf("identity"), ManifestFile{}));
  EXPECT_TRUE(ManifestMayMatch(X(kLess, {Long(0)}), schema, SpecOf("identity"), broken));
}

}  // namespace
}  // namespace strandline::table
