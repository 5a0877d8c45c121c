#include <atomic>

#include <arrow/api.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/engine/duckdb/duckdb_engine.h"
#include "strandline/engine/memory_relation.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/arrow/arrow_value.h"
#include "strandline/table/scan/bound_expression.h"
#include "tests/support/engine_test.h"
#include "tests/support/matchers.h"

namespace strandline::engine {
namespace {

using ::strandline::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAreArray;

// The table's schema as Iceberg sees it, with ids by position.
table::Schema IcebergSchemaOf(const arrow::Schema& schema) {
  table::Schema result;
  for (int i = 0; i < schema.num_fields(); ++i) {
    const Result<table::NestedField> field = table::IcebergField(*schema.field(i));
    EXPECT_THAT(field, IsOk());
    result.fields.push_back(*field);
    result.fields.back().id = table::FieldId{i + 1};
  }
  return result;
}

// Leaves out every row that the filter lets it leave out: as a scan would if each row were a file
// of its own with exact bounds.
class Pruning final : public Relation {
 public:
  Pruning(std::shared_ptr<arrow::Schema> schema, Batches batches)
      : schema_(std::move(schema)), batches_(std::move(batches)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::unique_ptr<format::BatchSource>> Open(const std::vector<std::string>& columns,
                                                    const table::Expression& filter) override {
    const table::Schema iceberg = IcebergSchemaOf(*schema_);
    const table::BoundExpression bound = SL_TRY(BindExpression(filter, iceberg));
    Batches kept;
    for (const std::shared_ptr<arrow::RecordBatch>& batch : batches_) {
      for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
        const bool may_match = table::Combine(bound, [&](const table::BoundPredicate& predicate) {
          const Result<table::Value> value =
              table::ValueAt(*batch->column(predicate.column.value() - 1), row, predicate.type);
          EXPECT_THAT(value, IsOk());
          return RangeMayMatch(predicate, table::ExactRange(*value));
        });
        if (may_match) {
          kept.push_back(batch->Slice(row, 1));
        } else {
          ++rows_left_out_;
        }
      }
    }
    return MakeMemoryRelation(schema_, std::move(kept))->Open(columns, table::AlwaysTrue());
  }

  int rows_left_out() const { return rows_left_out_; }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  Batches batches_;
  std::atomic<int> rows_left_out_ = 0;
};

class PushedFiltersTest : public EngineTest {
 protected:
  // What a relation with these columns is asked for by `select 1 from t where <where>`.
  std::string Pushed(std::string_view columns, std::string_view where) {
    const auto spy = std::make_shared<Spy>(Given(fmt::format("select {}", columns)));
    Statement statement;
    statement.sql = fmt::format("select count(*) from t where {}", where);
    statement.relations = {{{"t"}, spy}};
    statement.parameters["p"] = Timestamp(std::chrono::microseconds(1796014800000000));
    EXPECT_THAT(Rows(statement), IsOk()) << where;
    return spy->filters().empty() ? "not read"
                                  : ToString(spy->filters()[0], IcebergSchemaOf(*spy->schema()));
  }
};

TEST_F(PushedFiltersTest, GivesLiteralsOfTheColumnsType) {
  struct Case {
    std::string columns;
    std::string where;
    std::string filter;
  };
  const std::vector<Case> cases = {
      {"1::int as a", "a >= 3 and a < 5", "a >= 3 and a < 5"},
      {"1::bigint as a", "A = 30000000000", "a = 30000000000"},
      {"1.5::decimal(9,2) as a", "a between 1.5 and 2", "a >= 1.50 and a <= 2.00"},
      {"'x' as a", "a in ('x', 'it''s')", "a in (x, it's)"},
      {"true as a", "a = true", "a = true"},
      {"1::double as a", "a < 4 and a = 3", "a < 4 and a = 3"},
      {"current_date as a", "a >= date '2026-11-30'", "a >= 2026-11-30"},
      {"current_date as a", "a >= '2026-11-30'", "a >= 2026-11-30"},
      {"'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'::uuid as a",
       "a = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'", "a = f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
      {"now() as a", "a >= timestamptz '2026-11-30 05:00:00+00'", "a >= 2026-11-30T05:00Z"},
      {"now() as a", "a >= timestamptz '2026-11-30 05:00:00+02:00'", "a >= 2026-11-30T03:00Z"},
      {"now() as a", "a >= timestamptz '2026-11-30T05:00:00Z'", "a >= 2026-11-30T05:00Z"},
      {"now() as a", "a >= '2026-11-30 05:00:00.5'", "a >= 2026-11-30T05:00:00.500000Z"},
      {"now() as a", "a >= timestamp '2026-11-30 05:00:00'", "a >= 2026-11-30T05:00Z"},
      {"now() as a", "a >= date '2026-11-30'", "a >= 2026-11-30T00:00Z"},
      {"now() as a", "a >= $p", "a >= 2026-11-30T05:00Z"},
      {"now()::timestamp as a", "a >= '2026-11-30 05:00:00'", "a >= 2026-11-30T05:00"},
      {"[1] as a", "a is not null", "a is not null"},
      {"1 as a", "a is null", "a is null"},
      // Left to the engine alone: it does not compare them as values of the column's type, or sees
      // rows that bounds do not tell of.
      {"1::int as a", "a > 3000000000", "true"},
      {"1::int as a", "a = 1.5", "true"},
      {"1::bigint as a", "a > 1e3", "true"},
      {"1.5::decimal(9,2) as a", "a > 1.555", "true"},
      {"1::double as a", "a > 2", "true"},
      {"1::double as a", "a <> 2", "true"},
      {"1::double as a", "a < 1.5", "true"},
      {"1::double as a", "a = 0", "true"},
      {"1::float as a", "a < 16777217", "true"},
      {"current_date as a", "a >= timestamp '2026-11-30 05:00:00'", "true"},
      {"'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'::uuid as a",
       "a > 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'", "true"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.columns + " where " + c.where);
    EXPECT_EQ(Pushed(c.columns, c.where), c.filter);
  }
}

TEST_F(PushedFiltersTest, EachMentionHasItsOwnFilter) {
  const auto spy = AddTable({"ads", "t"}, "select range as a from range(10)");

  EXPECT_THAT(Texts("select x.a, y.a from ads.t x join ads.t y on x.a + 1 = y.a where x.a = 3"),
              ElementsAre("3|4"));

  const table::Schema schema = IcebergSchemaOf(*spy->schema());
  std::vector<std::string> filters;
  for (const table::Expression& filter : spy->filters()) {
    filters.push_back(ToString(filter, schema));
  }
  EXPECT_THAT(filters, UnorderedElementsAreArray({"a = 3", "true"}));
}

TEST_F(PushedFiltersTest, AreOffWhenAskedTo) {
  const auto spy = AddTable({"t"}, "select range as a from range(10)");
  Statement statement = World("select count(*) from t where a = 3");
  statement.push_filters = false;

  EXPECT_THAT(Texts(statement), ElementsAre("1"));

  EXPECT_EQ(spy->filters().at(0), table::AlwaysTrue());
}

TEST_F(PushedFiltersTest, AnOutputsNameIsNoColumn) {
  const auto spy = AddTable({"t"}, "select range as a, range + 1 as b from range(10)");

  // `b` in the WHERE is the column, `c` the output.
  EXPECT_THAT(Texts("select a as b, a * 2 as c from t where b = 3 and c = 4"), ElementsAre("2|4"));

  EXPECT_EQ(ToString(spy->filters().at(0), IcebergSchemaOf(*spy->schema())), "b = 3");
}

// The same rows come whether filters are pushed or not, over values at the edges.
TEST_F(PushedFiltersTest, NeverChangeTheRows) {
  const std::string rows =
      "select * from (values "
      "(1, 10::bigint, 1.5::double, 1.5::float, 1.50::decimal(9,2), 'a', true, date '2026-11-30', "
      "timestamptz '2026-11-30 05:00:00+00', timestamp '2026-11-30 05:00:00'), "
      "(-1, -10, 'nan', 'nan', -1.50, '', false, date '1969-12-31', "
      "timestamptz '1969-12-31 23:00:00+00', timestamp '1969-12-31 23:00:00'), "
      "(0, 0, -0.0, -0.0, 0, 'B', true, date '1970-01-01', "
      "timestamptz '1970-01-01 00:00:00+00', timestamp '1970-01-01 00:00:00'), "
      "(2147483647, 9223372036854775807, 'inf', 'inf', 9999999.99, 'é', null, date '2026-12-01', "
      "timestamptz '2026-11-30 05:59:59.999999+00', timestamp '2026-12-01 00:00:00'), "
      "(null, null, null, null, null, null, null, null, null, null)) "
      "v(i, l, d, f, n, s, b, day, moment, plain)";
  Statement given;
  given.sql = rows;
  SL_ASSERT_OK_AND_ASSIGN(const Batches batches, Run(given));
  const auto pruning = std::make_shared<Pruning>(batches.at(0)->schema(), batches);
  world_ = {{{"t"}, pruning}};
  const std::vector<std::string> columns = {"i", "l", "d",   "f",      "n",
                                            "s", "b", "day", "moment", "plain"};
  const std::vector<std::string> literals = {
      "0",          "-1",           "1.50",
      "2147483647", "1e0",          "'a'",
      "true",       "'2026-11-30'", "timestamp '2026-11-30 05:00:00'",
      "$p"};
  const std::vector<std::string> operators = {"=", "<>", "<", ">="};
  const auto compare = [this](const std::string& sql) {
    Statement pushed = World(sql);
    pushed.parameters["p"] = Timestamp(std::chrono::microseconds(1796014800000000));
    Statement plain = pushed;
    plain.push_filters = false;
    SCOPED_TRACE(sql);
    const std::vector<std::string> with = Texts(pushed);
    const std::vector<std::string> without = Texts(plain);
    const auto failed = [](const std::vector<std::string>& texts) {
      return !texts.empty() && texts.front().starts_with("failed: ");
    };
    // Which of several bad values a cast meets first depends on the threads.
    if (!failed(with) || !failed(without)) {
      EXPECT_EQ(with, without);
    }
  };

  for (const std::string& column : columns) {
    for (const std::string& literal : literals) {
      for (const std::string& op : operators) {
        compare(
            fmt::format("select x.* from t x where {} {} {} order by all", column, op, literal));
      }
      compare(
          fmt::format("select x.* from t x where {0} in ({1}, {1}) order by all", column, literal));
    }
    compare(fmt::format("select x.* from t x where {} is null order by all", column));
    compare(fmt::format(
        "select x.i, y.l from t x left join t y on x.i = y.i and y.l > 0 where y.{} is null "
        "order by all",
        column));
  }
  EXPECT_GT(pruning->rows_left_out(), 100);
}

TEST_F(PushedFiltersTest, NeverChangeTheRowsOfJoins) {
  Statement given;
  given.sql = "select range % 7 as k, range as v, range % 3 as z from range(40)";
  SL_ASSERT_OK_AND_ASSIGN(const Batches batches, Run(given));
  const auto pruning = std::make_shared<Pruning>(batches.at(0)->schema(), batches);
  world_ = {{{"t"}, pruning}, {{"u"}, pruning}};
  const std::vector<std::string> joins = {
      "join",      "left join", "right join",     "full join",  "semi join",
      "anti join", "asof join", "asof left join", "cross join", "positional join"};
  const std::vector<std::string> conditions = {
      "x.v > 3", "y.v > 30", "x.z = 1", "y.z is null", "x.k in (1, 2)", "y.k between 2 and 4"};
  for (const std::string& join : joins) {
    const bool left_only = join == "semi join" || join == "anti join";
    const bool bare = join == "cross join" || join == "positional join";
    for (const std::string& condition : conditions) {
      for (const bool in_where : {true, false}) {
        if ((bare && !in_where) || (left_only && in_where && condition.starts_with('y')) ||
            (join.starts_with("asof") && !in_where)) {
          continue;
        }
        const std::string on = bare ? ""
                               : join.starts_with("asof")
                                   ? "on x.k = y.k and x.v >= y.v + 5"
                                   : "on x.k = y.k" + (in_where ? "" : " and " + condition);
        Statement pushed = World(fmt::format("select x.*{} from t x {} u y {} {} order by all",
                                             left_only ? "" : ", y.*", join, on,
                                             in_where ? "where " + condition : ""));
        Statement plain = pushed;
        plain.push_filters = false;
        SCOPED_TRACE(pushed.sql);
        ASSERT_THAT(Rows(plain), IsOk());
        EXPECT_EQ(Texts(pushed), Texts(plain));
      }
    }
  }
  EXPECT_GT(pruning->rows_left_out(), 100);
}

}  // namespace
}  // namespace strandline::engine
