// What the metrics of files prove, case by case.

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
using ::strandline::testing::pruning::kX;
using ::strandline::testing::pruning::Long;
using ::strandline::testing::pruning::Metrics;
using ::strandline::testing::pruning::SchemaOf;
using ::strandline::testing::pruning::Text;
using ::strandline::testing::pruning::X;
using enum ExpressionKind;

const double kNan = std::numeric_limits<double>::quiet_NaN();

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

}  // namespace
}  // namespace strandline::table
