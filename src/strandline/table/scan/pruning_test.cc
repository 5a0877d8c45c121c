// What manifests' summaries, partitions and metrics prove, case by case.

#include <cmath>
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include "strandline/table/scan/expression.h"
#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using enum ExpressionKind;

const double kNan = std::numeric_limits<double>::quiet_NaN();

// One column `x` in the tests below, and one partition field made from it where there is one.
constexpr FieldId kX{1};

Schema SchemaOf(const Type& type) {
  NestedField field;
  field.id = kX;
  field.name = "x";
  field.type = type;
  Schema schema;
  schema.fields = {field};
  return schema;
}

PartitionSpec SpecOf(const std::string& transform) {
  const Result<Transform> parsed = ParseTransform(transform);
  return PartitionSpec{.id = SpecId(0), .fields = {{kX, FieldId(1000), "x_part", parsed.value()}}};
}

Value Text(std::string text) { return Value(std::move(text)); }
Value Int(std::int32_t number) { return Value(number); }
Value Long(std::int64_t number) { return Value(number); }
Value Decimal(std::int64_t unscaled) { return Value(Int128{unscaled}); }

Expression X(ExpressionKind kind, std::vector<Value> literals = {}) {
  return Predicate(kind, "x", std::move(literals));
}

// What a file's metrics say of x. Absent members are left out of the metrics.
struct Metrics {
  std::optional<Value> lower = std::nullopt;
  std::optional<Value> upper = std::nullopt;
  std::optional<std::int64_t> nulls = std::nullopt;
  std::optional<std::int64_t> nans = std::nullopt;
};

constexpr std::int64_t kRows = 10;

DataFile FileWith(const Type& type, const Metrics& metrics) {
  DataFile file;
  file.record_count = kRows;
  file.value_counts = {{kX, kRows}};
  if (metrics.nulls) {
    file.null_value_counts = {{kX, *metrics.nulls}};
  }
  if (metrics.nans) {
    file.nan_value_counts = {{kX, *metrics.nans}};
  }
  if (metrics.lower) {
    file.lower_bounds = {{kX, SerializeValue(type, *metrics.lower)}};
  }
  if (metrics.upper) {
    file.upper_bounds = {{kX, SerializeValue(type, *metrics.upper)}};
  }
  return file;
}

// "may" answers whether any row can match, "must" whether all surely do.
struct Answer {
  bool may;
  bool must;
  friend bool operator==(const Answer&, const Answer&) = default;
  friend void PrintTo(const Answer& answer, std::ostream* out) {
    *out << "may " << answer.may << " must " << answer.must;
  }
};
constexpr Answer kNone{false, false};
constexpr Answer kSome{true, false};
constexpr Answer kAll{true, true};

Answer Ask(const Expression& expression, const Type& type, const PartitionSpec& spec,
           const DataFile& file) {
  const Schema schema = SchemaOf(type);
  EXPECT_THAT(CheckExpression(expression, schema), testing::IsOk());
  return {FileMayMatch(expression, schema, spec, file),
          FileMustMatch(expression, schema, spec, file)};
}

TEST(Pruning, ComparesBoundsOfFiles) {
  const Metrics ten_to_twenty{Long(10), Long(20), 0};
  struct Case {
    const char* name;
    Expression expression;
    Answer answer;
  };
  const std::vector<Case> cases = {
      {"below the lower bound", X(kLess, {Long(10)}), kNone},
      {"just above the lower bound", X(kLess, {Long(11)}), kSome},
      {"all below", X(kLess, {Long(21)}), kAll},
      {"up to below", X(kLessOrEqual, {Long(9)}), kNone},
      {"up to the lower bound", X(kLessOrEqual, {Long(10)}), kSome},
      {"up to the upper bound", X(kLessOrEqual, {Long(20)}), kAll},
      {"above the upper bound", X(kGreater, {Long(20)}), kNone},
      {"above almost all", X(kGreater, {Long(19)}), kSome},
      {"above less than all", X(kGreater, {Long(9)}), kAll},
      {"from above", X(kGreaterOrEqual, {Long(21)}), kNone},
      {"from the upper bound", X(kGreaterOrEqual, {Long(20)}), kSome},
      {"from the lower bound", X(kGreaterOrEqual, {Long(10)}), kAll},
      {"equal below", X(kEqual, {Long(9)}), kNone},
      {"equal to the lower bound", X(kEqual, {Long(10)}), kSome},
      {"equal above", X(kEqual, {Long(21)}), kNone},
      {"unequal to something inside", X(kNotEqual, {Long(15)}), kSome},
      {"unequal to something outside", X(kNotEqual, {Long(21)}), kAll},
      {"in some", X(kIn, {Long(1), Long(15)}), kSome},
      {"in none", X(kIn, {Long(1), Long(25)}), kNone},
      {"in nothing", X(kIn, {}), kNone},
      {"not in some", X(kNotIn, {Long(1), Long(15)}), kSome},
      {"not in any", X(kNotIn, {Long(1), Long(25)}), kAll},
      {"null", X(kIsNull), kNone},
      {"not null", X(kNotNull), kAll},
      {"both sides", And({X(kGreater, {Long(9)}), X(kLess, {Long(10)})}), kNone},
      {"either side", Or({X(kGreater, {Long(20)}), X(kLess, {Long(11)})}), kSome},
      {"not below", Not(X(kLess, {Long(10)})), kAll},
      {"not both", Not(And({X(kLess, {Long(5)}), X(kLess, {Long(15)})})), kAll},
      {"not null or below", Not(Or({X(kIsNull), X(kLess, {Long(10)})})), kAll},
      {"an empty and", And({}), kAll},
      {"an empty or", Or({}), kNone},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Type type = PrimitiveType(TypeId::kLong);
    EXPECT_EQ(Ask(c.expression, type, {}, FileWith(type, ten_to_twenty)), c.answer);
  }
}

TEST(Pruning, KnowsNothingWithoutBounds) {
  const Type type = PrimitiveType(TypeId::kLong);
  for (const ExpressionKind kind :
       {kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kEqual, kNotEqual, kIn, kNotIn}) {
    SCOPED_TRACE(static_cast<int>(kind));
    EXPECT_EQ(Ask(X(kind, {Long(5)}), type, {}, FileWith(type, {})), kSome);
  }
  EXPECT_EQ(Ask(X(kIsNull), type, {}, FileWith(type, {})), kSome);
  EXPECT_EQ(Ask(X(kNotNull), type, {}, FileWith(type, {})), kSome);
}

// C073: a comparison with null is unknown, and so is its negation.
TEST(Pruning, NullsMatchNoComparison) {
  const Type type = PrimitiveType(TypeId::kLong);
  const DataFile all_null = FileWith(type, {.nulls = kRows});
  const DataFile some_null = FileWith(type, {Long(1), Long(2), 3});

  EXPECT_EQ(Ask(X(kNotEqual, {Long(5)}), type, {}, all_null), kNone);
  EXPECT_EQ(Ask(Not(X(kEqual, {Long(5)})), type, {}, all_null), kNone);
  EXPECT_EQ(Ask(X(kNotIn, {Long(5)}), type, {}, all_null), kNone);
  EXPECT_EQ(Ask(X(kIsNull), type, {}, all_null), kAll);
  EXPECT_EQ(Ask(X(kNotNull), type, {}, all_null), kNone);
  EXPECT_EQ(Ask(X(kNotEqual, {Long(5)}), type, {}, some_null), kSome);
  EXPECT_EQ(Ask(Not(X(kEqual, {Long(5)})), type, {}, some_null), kSome);
}

// C084: `x < 200` over bounds 1..100 of a column whose nulls nobody counted.
TEST(Pruning, DoesNotProveAnythingForAllRowsWithoutCounts) {
  const Type type = PrimitiveType(TypeId::kLong);
  const Expression below = X(kLess, {Long(200)});
  const Type real = PrimitiveType(TypeId::kDouble);

  EXPECT_EQ(Ask(below, type, {}, FileWith(type, {Long(1), Long(100)})), kSome);
  EXPECT_EQ(Ask(below, type, {}, FileWith(type, {Long(1), Long(100), 0})), kAll);
  EXPECT_EQ(Ask(below, type, {}, FileWith(type, {Long(1), Long(100), 1})), kSome);
  EXPECT_EQ(Ask(X(kLess, {Value(200.0)}), real, {}, FileWith(real, {Value(1.0), Value(2.0), 0})),
            kSome);
  EXPECT_EQ(Ask(X(kLess, {Value(200.0)}), real, {}, FileWith(real, {Value(1.0), Value(2.0), 0, 0})),
            kAll);
}

// C082. NaN is above every number for some engines and beside them for others.
TEST(Pruning, IsSafeWithNan) {
  const Type type = PrimitiveType(TypeId::kDouble);
  const Value five(5.0);
  const DataFile all_nan = FileWith(type, {.nulls = 0, .nans = kRows});
  const DataFile with_nan = FileWith(type, {Value(1.0), Value(2.0), 0, 1});
  const DataFile nan_unknown = FileWith(type, {Value(1.0), Value(2.0), 0});
  const DataFile without_nan = FileWith(type, {Value(1.0), Value(2.0), 0, 0});
  struct Case {
    const char* name;
    const DataFile& file;
    Expression expression;
    Answer answer;
  };
  const std::vector<Case> cases = {
      {"NaN may be above", with_nan, X(kGreater, {five}), kSome},
      {"NaN may be above, uncounted", nan_unknown, X(kGreater, {five}), kSome},
      {"no NaN is above", without_nan, X(kGreater, {five}), kNone},
      {"NaN is not below", all_nan, X(kLess, {five}), kNone},
      {"NaN is not equal", all_nan, X(kEqual, {five}), kNone},
      {"NaN may be unequal", all_nan, X(kNotEqual, {five}), kSome},
      {"below, but for NaN", with_nan, X(kLess, {five}), kSome},
      {"NaN where all are", all_nan, X(kIsNan), kAll},
      {"NaN where some are", with_nan, X(kIsNan), kSome},
      {"NaN where none is", without_nan, X(kIsNan), kNone},
      {"not NaN where all are", all_nan, X(kNotNan), kNone},
      {"not NaN where none is", without_nan, X(kNotNan), kAll},
      {"equal to NaN", without_nan, X(kEqual, {Value(kNan)}), kNone},
      {"equal to NaN where all are", all_nan, X(kEqual, {Value(kNan)}), kAll},
      {"below NaN", without_nan, X(kLess, {Value(kNan)}), kAll},
      {"above NaN", all_nan, X(kGreater, {Value(kNan)}), kNone},
      {"in a list with NaN", all_nan, X(kIn, {five, Value(kNan)}), kAll},
      {"in a list with NaN, none there", without_nan, X(kIn, {five, Value(kNan)}), kNone},
      {"not in a list with NaN", all_nan, X(kNotIn, {five, Value(kNan)}), kNone},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Ask(c.expression, type, {}, c.file), c.answer);
  }
}

TEST(Pruning, DoesNotBelieveNanInBounds) {
  const Type type = PrimitiveType(TypeId::kDouble);
  const DataFile lower_is_nan = FileWith(type, {Value(kNan), Value(2.0), 0, 0});
  const DataFile upper_is_nan = FileWith(type, {Value(1.0), Value(kNan), 0, 0});

  for (const DataFile& file : {lower_is_nan, upper_is_nan}) {
    EXPECT_EQ(Ask(X(kGreater, {Value(5.0)}), type, {}, file), kSome);
    EXPECT_EQ(Ask(X(kLess, {Value(0.0)}), type, {}, file), kSome);
  }
}

TEST(Pruning, TakesZerosOfBothSignsAsEqual) {
  const Type type = PrimitiveType(TypeId::kDouble);
  const DataFile negative = FileWith(type, {Value(-1.0), Value(-0.0), 0, 0});
  const DataFile positive = FileWith(type, {Value(0.0), Value(1.0), 0, 0});

  EXPECT_EQ(Ask(X(kEqual, {Value(0.0)}), type, {}, negative), kSome);
  EXPECT_EQ(Ask(X(kEqual, {Value(-0.0)}), type, {}, positive), kSome);
  EXPECT_EQ(Ask(X(kLess, {Value(0.0)}), type, {}, negative), kSome);
  EXPECT_EQ(Ask(X(kLess, {Value(0.0)}), type, {}, positive), kNone);
}

// C081 and its siblings: what cannot be right says nothing.
TEST(Pruning, IgnoresBrokenBounds) {
  const Type text = PrimitiveType(TypeId::kString);
  DataFile cut_character = FileWith(text, {Text("a"), Text("z"), 0});
  cut_character.lower_bounds = {{kX, "M\xC3"}};
  DataFile wrong_width = FileWith(PrimitiveType(TypeId::kLong), {Long(1), Long(2), 0});
  wrong_width.upper_bounds = {{kX, "abc"}};
  const DataFile wrong_order = FileWith(PrimitiveType(TypeId::kLong), {Long(9), Long(2), 0});

  EXPECT_EQ(Ask(X(kEqual, {Text("B")}), text, {}, cut_character), kSome);
  EXPECT_EQ(Ask(X(kGreater, {Long(5)}), PrimitiveType(TypeId::kLong), {}, wrong_width).may, true);
  EXPECT_EQ(Ask(X(kEqual, {Long(5)}), PrimitiveType(TypeId::kLong), {}, wrong_order), kSome);
}

TEST(Pruning, ReadsBoundsOfAColumnThatWasPromotedSince) {
  DataFile file = FileWith(PrimitiveType(TypeId::kInt), {Int(10), Int(20), 0});

  EXPECT_EQ(Ask(X(kGreater, {Long(20)}), PrimitiveType(TypeId::kLong), {}, file), kNone);
  EXPECT_EQ(Ask(X(kGreater, {Long(5)}), PrimitiveType(TypeId::kLong), {}, file), kAll);

  file = FileWith(PrimitiveType(TypeId::kFloat), {Value(1.5F), Value(2.5F), 0, 0});
  EXPECT_EQ(Ask(X(kGreater, {Value(3.0)}), PrimitiveType(TypeId::kDouble), {}, file), kNone);
  EXPECT_EQ(Ask(X(kGreater, {Value(1.0)}), PrimitiveType(TypeId::kDouble), {}, file), kAll);
}

TEST(Pruning, ComparesEveryPrimitiveType) {
  struct Case {
    const char* name;
    Type type;
    Value below;
    Value lower;
    Value upper;
    Value above;
  };
  const auto bytes = [](std::string text) { return Value(Bytes{std::move(text)}); };
  const std::vector<Case> cases = {
      {"int", PrimitiveType(TypeId::kInt), Int(-6), Int(-5), Int(7), Int(8)},
      {"long", PrimitiveType(TypeId::kLong), Long(-6), Long(-5), Long(7), Long(8)},
      {"float", PrimitiveType(TypeId::kFloat), Value(-1.5F), Value(-1.F), Value(2.F), Value(2.5F)},
      {"double", PrimitiveType(TypeId::kDouble), Value(-1.5), Value(-1.0), Value(2.0), Value(2.5)},
      {"decimal", DecimalType(38, 4), Decimal(-300), Decimal(-257), Decimal(129), Decimal(40'000)},
      {"date", PrimitiveType(TypeId::kDate), Int(-2), Int(-1), Int(1), Int(2)},
      {"time", PrimitiveType(TypeId::kTime), Long(0), Long(1), Long(2), Long(3)},
      {"timestamp", PrimitiveType(TypeId::kTimestamp), Long(-2), Long(-1), Long(1), Long(2)},
      {"timestamptz", PrimitiveType(TypeId::kTimestamptz), Long(-2), Long(-1), Long(1), Long(2)},
      {"string", PrimitiveType(TypeId::kString), Text("Z"), Text("a"), Text("\xC3\xA9"),
       Text("\xF0\x9F\x98\x80")},
      {"uuid", PrimitiveType(TypeId::kUuid), bytes(std::string(16, '\x10')),
       bytes(std::string(16, '\x7F')), bytes(std::string(16, '\x80')),
       bytes(std::string(16, '\xF0'))},
      {"fixed", FixedType(2), bytes("aa"), bytes("ab"), bytes("\xC0\x01"), bytes("\xC0\x02")},
      {"binary", PrimitiveType(TypeId::kBinary), bytes(""), bytes("a"), bytes("\xFF"),
       bytes("\xFF\x01")},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const DataFile file = FileWith(c.type, {c.lower, c.upper, 0, 0});
    EXPECT_EQ(Ask(X(kEqual, {c.below}), c.type, {}, file), kNone);
    EXPECT_EQ(Ask(X(kEqual, {c.lower}), c.type, {}, file), kSome);
    EXPECT_EQ(Ask(X(kEqual, {c.upper}), c.type, {}, file), kSome);
    EXPECT_EQ(Ask(X(kEqual, {c.above}), c.type, {}, file), kNone);
    EXPECT_EQ(Ask(X(kGreater, {c.below}), c.type, {}, file), kAll);
    EXPECT_EQ(Ask(X(kLess, {c.above}), c.type, {}, file), kAll);
    EXPECT_EQ(Ask(X(kGreater, {c.upper}), c.type, {}, file), kNone);
    EXPECT_EQ(Ask(X(kLess, {c.lower}), c.type, {}, file), kNone);
  }
}

TEST(Pruning, ComparesBooleans) {
  const Type type = PrimitiveType(TypeId::kBoolean);
  const DataFile all_true = FileWith(type, {Value(true), Value(true), 0});

  EXPECT_EQ(Ask(X(kEqual, {Value(true)}), type, {}, all_true), kAll);
  EXPECT_EQ(Ask(X(kEqual, {Value(false)}), type, {}, all_true), kNone);
  EXPECT_EQ(Ask(X(kNotEqual, {Value(true)}), type, {}, all_true), kNone);
}

TEST(Pruning, ComparesPrefixes) {
  const Type type = PrimitiveType(TypeId::kString);
  const DataFile file = FileWith(type, {Text("abc"), Text("abz"), 0});
  struct Case {
    const char* name;
    Expression expression;
    Answer answer;
  };
  const std::vector<Case> cases = {
      {"a prefix of all", X(kStartsWith, {Text("ab")}), kAll},
      {"the empty prefix", X(kStartsWith, {Text("")}), kAll},
      {"a prefix of some", X(kStartsWith, {Text("abd")}), kSome},
      {"a prefix below", X(kStartsWith, {Text("aa")}), kNone},
      {"a prefix above", X(kStartsWith, {Text("ac")}), kNone},
      {"longer than the bounds", X(kStartsWith, {Text("abcdef")}), kSome},
      {"not a prefix of all", X(kNotStartsWith, {Text("ab")}), kNone},
      {"not a prefix above", X(kNotStartsWith, {Text("ac")}), kAll},
      {"not a prefix of some", X(kNotStartsWith, {Text("abd")}), kSome},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Ask(c.expression, type, {}, file), c.answer);
  }
}

TEST(Pruning, AFileWithoutRowsMatchesNothing) {
  DataFile file;
  file.record_count = 0;

  EXPECT_FALSE(FileMayMatch(AlwaysTrue(), SchemaOf(PrimitiveType(TypeId::kLong)), {}, file));
}

// C085. Counts of a nested type belong to its leaves, if to anything.
TEST(Pruning, ProvesNothingAboutNestedColumns) {
  const Type list = ListType(FieldId(2), PrimitiveType(TypeId::kLong), false);
  DataFile file;
  file.record_count = kRows;
  file.value_counts = {{kX, 30}, {FieldId(2), 30}};
  file.null_value_counts = {{kX, 0}, {FieldId(2), 0}};

  EXPECT_EQ(Ask(X(kIsNull), list, {}, file), kSome);
  EXPECT_EQ(Ask(X(kNotNull), list, {}, file), kSome);
}

TEST(Pruning, CountsOfAStructsFieldCountOnlyWhenTheyCoverEveryRow) {
  NestedField inner;
  inner.id = FieldId(2);
  inner.name = "a";
  inner.type = PrimitiveType(TypeId::kLong);
  const Type type = StructType({inner});
  const Expression is_null = Predicate(kIsNull, "x.a");
  DataFile file;
  file.record_count = kRows;
  file.null_value_counts = {{FieldId(2), 0}};
  file.value_counts = {{FieldId(2), kRows}};

  EXPECT_EQ(Ask(is_null, type, {}, file), kNone);
  file.value_counts = {{FieldId(2), kRows - 2}};  // Two structs are null.
  EXPECT_EQ(Ask(is_null, type, {}, file), kSome);
  file.value_counts.clear();
  EXPECT_EQ(Ask(is_null, type, {}, file), kSome);
}

// Every transform, through a file's partition value: no metrics there.
TEST(Pruning, AsksPartitionValues) {
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

TEST(Pruning, PutsPartitionAndMetricsTogether) {
  const Type type = PrimitiveType(TypeId::kTimestamptz);
  constexpr std::int64_t kHour = 3'600'000'000;
  DataFile file = FileWith(type, {.nulls = 0});
  file.partition = {Int(10)};

  // The partition has the bounds, the counts say that there is no null.
  EXPECT_EQ(Ask(X(kNotNull), type, SpecOf("hour"), file), kAll);
  EXPECT_EQ(Ask(X(kLess, {Long(11 * kHour)}), type, SpecOf("hour"), file), kAll);
}

TEST(Pruning, SourcesThatContradictEachOtherProveNothingForAllRows) {
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

TEST(Pruning, AsksSummariesOfManifests) {
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
TEST(Pruning, SummariesWithoutBoundsSayNothing) {
  const Schema schema = SchemaOf(PrimitiveType(TypeId::kLong));
  PartitionFieldSummary summary;
  summary.contains_null = false;
  summary.contains_nan = false;

  for (const Expression& expression : {X(kEqual, {Long(5)}), X(kIsNull), X(kNotNull)}) {
    EXPECT_TRUE(ManifestMayMatch(expression, schema, SpecOf("identity"), ManifestWith(summary)));
  }
}

// C112: contains_nan is left out by many, and false without having looked by some.
TEST(Pruning, SummariesMayAlwaysHideNan) {
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

TEST(Pruning, ManifestsWithoutFittingSummariesAreRead) {
  const Schema schema = SchemaOf(PrimitiveType(TypeId::kLong));
  ManifestFile broken = ManifestWith(Summary(PrimitiveType(TypeId::kLong), Long(1), Long(2)));
  broken.partitions[0].lower_bound = "?";

  EXPECT_TRUE(ManifestMayMatch(X(kEqual, {Long(5)}), schema, SpecOf("identity"), ManifestFile{}));
  EXPECT_TRUE(ManifestMayMatch(X(kLess, {Long(0)}), schema, SpecOf("identity"), broken));
}

}  // namespace
}  // namespace strandline::table
