#include "strandline/engine/sql_analysis.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::engine {
namespace {

using ::strandline::testing::Fails;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class AnalyzeSqlTest : public ::testing::Test {
 protected:
  void SetUp() override { SL_ASSERT_OK_AND_ASSIGN(parser_, SqlParser::Make()); }

  SqlAnalysis Analyze(std::string_view sql) {
    Result<SqlAnalysis> analysis = parser_->Analyze(sql, nullptr);
    EXPECT_THAT(analysis, testing::IsOk()) << sql;
    return analysis ? *analysis : SqlAnalysis{};
  }

  std::vector<std::string> Tables(std::string_view sql) {
    std::vector<std::string> names;
    for (const SqlTable& table : Analyze(sql).tables) {
      names.push_back(fmt::format("{}", fmt::join(table.path, ".")));
    }
    return names;
  }

  // `ads.t: a >= 3`, one a conjunct.
  std::vector<std::string> Conjuncts(std::string_view sql) {
    const SqlAnalysis analysis = Analyze(sql);
    std::vector<std::string> texts;
    for (const SqlConjunct& conjunct : analysis.conjuncts) {
      const SqlTable& table = analysis.tables.at(conjunct.table);
      std::string text =
          fmt::format("{}: {} {}", table.alias.empty() ? table.path.back() : table.alias,
                      conjunct.column, conjunct.op);
      for (const SqlLiteral& literal : conjunct.literals) {
        text += " " + literal.text;
      }
      texts.push_back(std::move(text));
    }
    return texts;
  }

  std::unique_ptr<SqlParser> parser_;
};

// ../shared/cases C199: an alias or a CTE's name is no table.
TEST_F(AnalyzeSqlTest, NamesOnlyRealTables) {
  struct Case {
    std::string name;
    std::string sql;
    std::vector<std::string> tables;
  };
  const std::vector<Case> cases = {
      {"no table", "select 1", {}},
      {"one part, two, three", "select * from a, b.c, d.e.f", {"a", "b.c", "d.e.f"}},
      {"quoted", "select * from \"A.b\".\"c d\"", {"A.b.c d"}},
      {"every mention counts", "select * from ads.t x join ads.t y using (k)", {"ads.t", "ads.t"}},
      {"a CTE", "with c as (select * from ads.t) select * from c", {"ads.t"}},
      {"a CTE in another's letters", "with C as (select * from ads.t) select * from c", {"ads.t"}},
      {"a CTE that reads the one before it",
       "with a as (select * from x.t), b as (select * from a) select * from b, a",
       {"x.t"}},
      {"a CTE is not seen before it is written",
       "with b as (select * from a), a as (select 1) select * from b",
       {"a"}},
      {"a CTE does not see itself", "with t as (select * from t) select * from t", {"t"}},
      {"a recursive one does",
       "with recursive r as (select 1 as n union all select n + 1 from r where n < 5) select * "
       "from r",
       {}},
      {"a nested CTE hides the outer one and ends with its query",
       "with c as (with c as (select * from x.inner_t) select * from c) select * from c, d.c",
       {"x.inner_t", "d.c"}},
      {"a nested CTE is not seen outside",
       "select * from (with c as (select 1) select * from c) s, c",
       {"c"}},
      {"a qualified name is never a CTE", "with t as (select 1) select * from ads.t", {"ads.t"}},
      {"aliases in a union",
       "select x.a from ads.t x union all select x.a from ads.u x union all by name select 1",
       {"ads.t", "ads.u"}},
      {"parenthesised joins",
       "select * from ((ads.a x join ads.b y on x.k = y.k) join ads.c z on z.k = y.k)",
       {"ads.a", "ads.b", "ads.c"}},
      {"subqueries in expressions",
       "select (select max(a) from q.a), exists(select 1 from q.b), case when x in (select y from "
       "q.c) then 1 end from q.d where x = any(select z from q.e) order by (select 1 from q.f)",
       {"q.a", "q.b", "q.c", "q.d", "q.e", "q.f"}},
      {"a lateral join and a pivot",
       "select * from a.t, lateral (select * from a.u where u.x = t.x) l, (from a.v pivot (sum(b) "
       "for c in (1, 2)))",
       {"a.t", "a.u", "a.v"}},
      {"from first", "from ads.t", {"ads.t"}},
      {"the word table", "table ads.t", {"ads.t"}},
      {"a file's name is a table's name too", "select * from 'x.csv'", {"x.csv"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Tables(c.sql), c.tables);
  }
}

TEST_F(AnalyzeSqlTest, SaysWhereATableStands) {
  const SqlAnalysis analysis = Analyze("select 'é',\n  a from\n  ads.t as x");

  ASSERT_EQ(analysis.tables.size(), 1U);
  EXPECT_EQ(analysis.tables[0].at.line, 3);
  EXPECT_EQ(analysis.tables[0].at.column, 3);
  EXPECT_EQ(analysis.tables[0].alias, "x");
}

TEST_F(AnalyzeSqlTest, ListsEveryCallInTheOrderOfTheText) {
  const SqlAnalysis analysis = Analyze(
      "select count(*), SUM(distinct a), list(x order by y), row_number() over (order by b), a + "
      "b, "
      "current_timestamp, \"current_date\", list_filter(l, lambda v: abs(v) > 1) from t, range(3) "
      "r "
      "having now() > max(z)");

  std::vector<std::string> calls;
  for (const SqlFunction& f : analysis.functions) {
    calls.push_back(f.name + (f.distinct ? " distinct" : "") + (f.ordered ? " ordered" : "") +
                    (f.windowed ? " windowed" : ""));
  }
  EXPECT_THAT(calls, ElementsAre("count_star", "sum distinct", "list ordered",
                                 "row_number ordered windowed", "current_timestamp", "list_filter",
                                 "abs", "range", "now", "max"));
  EXPECT_THAT(analysis.table_functions, ElementsAre("range"));
  EXPECT_EQ(analysis.functions[1].at.column, 18);
}

TEST_F(AnalyzeSqlTest, NamesTheColumnsRead) {
  struct Case {
    std::string name;
    std::string sql;
    std::vector<std::string> columns;
    bool all = false;
  };
  const std::vector<Case> cases = {
      // ../shared/cases C200: an output's name is no input.
      {"an output's name is no column", "select name as namex from t", {"name"}},
      {"letters and repetitions", "select A, a, t.a, ads.t.B from ads.t", {"a", "b"}},
      {"a struct's field is its struct", "select s.f, t.r.g from t", {"s", "r"}},
      {"a join's columns", "select a from t join u using (k)", {"a", "k"}},
      {"a lambda's parameter is none", "select list_filter(l, x -> x > y) from t", {"l", "y"}},
      {"counting rows reads none", "select count(*) from t", {}},
      {"a star reads all", "select * exclude (a) from t", {"a"}, true},
      {"so does a row as a value", "select t from ads.t", {"t"}, true},
      {"and a natural join", "select a from t natural join u", {"a"}, true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const SqlAnalysis analysis = Analyze(c.sql);
    EXPECT_THAT(analysis.column_names, ::testing::UnorderedElementsAreArray(c.columns));
    EXPECT_EQ(analysis.reads_all_columns, c.all);
  }
}

TEST_F(AnalyzeSqlTest, NamesThePlainOutputs) {
  EXPECT_THAT(Analyze("select a, t.b, count(*) as n, c + 1 from t").output_names,
              ElementsAre("a", "b", "n", ""));
  EXPECT_THAT(Analyze("(select a from t) union all select b from t").output_names,
              ElementsAre("a"));
  EXPECT_THAT(Analyze("with c as (select x from t) select y from c").output_names,
              ElementsAre("y"));
}

TEST_F(AnalyzeSqlTest, NamesParametersOnce) {
  EXPECT_THAT(Analyze("select $a, $b, $a, '$c', $$d$$ -- $e").parameters, ElementsAre("a", "b"));
}

TEST_F(AnalyzeSqlTest, FindsLimitsAndSamples) {
  struct Case {
    std::string name;
    std::string sql;
    int column = 0;  // 0: none.
    bool ordered = false;
  };
  const std::vector<Case> cases = {
      {"none", "select a from t order by a", 0},
      {"a limit", "select a from t limit 3", 23},
      {"with an order", "select a from t order by a limit 3", 34, true},
      {"an offset", "select a from t offset 3", 24},
      {"distinct on", "select distinct on (a) b from t", 21},
      {"plain distinct is none", "select distinct a from t", 0},
      {"the unordered one counts",
       "select * from (select a from t order by a limit 3), (select b from t limit 4)", 76},
      {"an order outside does not help", "select * from (select b from t limit 4) order by b", 38},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const SqlAnalysis analysis = Analyze(c.sql);
    EXPECT_EQ(analysis.limit_at ? analysis.limit_at->column : 0, c.column);
    EXPECT_EQ(analysis.limit_has_order, c.ordered);
  }
  EXPECT_TRUE(Analyze("select a from t tablesample 10%").sample_at.has_value());
  EXPECT_TRUE(Analyze("select a from t using sample 10 rows").sample_at.has_value());
  EXPECT_FALSE(Analyze("select sample from t").sample_at.has_value());
}

TEST_F(AnalyzeSqlTest, RefusesWhatIsNotOneSelect) {
  struct Case {
    std::string name;
    std::string sql;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"nothing", "", "1:1: there is no statement"},
      {"only a comment", "-- x", "1:1: there is no statement"},
      {"a mistake", "select a\nfrm t x", "2:5: syntax error at or near \"t\""},
      {"an end too early", "select a from", "1:14: syntax error at end of input"},
      {"two statements", "select 1;\n drop view v", "this is not a SELECT"},
      {"two selects", "select 1;\n select 2", "2:2: a second statement starts here"},
      {"an insert", " insert into t values (1)", "1:2: this is not a SELECT"},
      {"attach", "attach 'x.db'", "this is not a SELECT"},
      {"copy", "copy (select 1) to 'x'", "this is not a SELECT"},
      {"pragma", "pragma version", "this is not a SELECT"},
      {"set", "set threads = 1", "this is not a SELECT"},
      {"install", "install httpfs", "this is not a SELECT"},
      {"explain", "explain select 1", "this is not a SELECT"},
      {"call", "call pragma_version()", "this is not a SELECT"},
      {"show", "show tables", "only one SELECT can be run here"},
      {"describe inside", "select * from (describe ads.t)", "only one SELECT can be run here"},
      {"text that is not UTF-8", "select '\xff'", "not UTF-8"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(parser_->Analyze(c.sql, nullptr),
                Fails(ErrorKind::kInvalidArgument, HasSubstr(c.message)));
  }
}

TEST_F(AnalyzeSqlTest, RefusesTimeTravelByName) {
  EXPECT_THAT(parser_->Analyze("select * from ads.t at (version => 3)", nullptr),
              Fails(ErrorKind::kUnsupported, HasSubstr("1:15: time travel")));
}

TEST_F(AnalyzeSqlTest, GivesThePlaceOfAnError) {
  SqlPosition at;

  EXPECT_THAT(AnalyzeSql("select a\nfrm t x", &at),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("2:5")));

  EXPECT_EQ(at.line, 2);
  EXPECT_EQ(at.column, 5);
}

TEST_F(AnalyzeSqlTest, FindsComparisonsThatMustHold) {
  struct Case {
    std::string name;
    std::string where;  // Of `select 1 from ads.t where ...`.
    std::vector<std::string> conjuncts;
  };
  const std::vector<Case> cases = {
      {"every operator",
       "a = 1 and b <> 2 and c < 3 and d <= 4 and e > 5 and f >= 6",
       {"t: a = 1", "t: b <> 2", "t: c < 3", "t: d <= 4", "t: e > 5", "t: f >= 6"}},
      {"a constant on the left", "1 < a and 2 >= b", {"t: a > 1", "t: b <= 2"}},
      {"nested ands", "(a = 1 and (b = 2 and c = 3))", {"t: a = 1", "t: b = 2", "t: c = 3"}},
      {"between", "a between 1 and 2", {"t: a >= 1", "t: a <= 2"}},
      {"in", "a in (1, -2, 3)", {"t: a in 1 -2 3"}},
      {"null", "a is null and b is not null", {"t: a is null", "t: b is not null"}},
      {"qualified", "t.a = 1 and ads.t.b = 2", {"t: a = 1", "t: b = 2"}},
      {"decimals",
       "a = 1.50 and b = -0.5 and c = .25",
       {"t: a = 1.50", "t: b = -0.5", "t: c = 0.25"}},
      {"floating point", "a < 1e3", {"t: a < 1000.0"}},
      {"strings", "a = 'it''s'", {"t: a = it's"}},
      {"booleans", "a = true and b = false", {"t: a = true", "t: b = false"}},
      {"typed strings",
       "a >= timestamptz '2026-11-30 05:00:00Z' and b < date '2026-12-01' and c < "
       "'2026-12-01'::timestamp",
       {"t: a >= 2026-11-30 05:00:00Z", "t: b < 2026-12-01", "t: c < 2026-12-01"}},
      {"parameters",
       "a >= $from and a < cast($to as timestamptz)",
       {"t: a >= $from", "t: a < $to"}},
      {"casts of numbers", "a = 3::bigint", {"t: a = 3"}},

      {"or", "a = 1 or b = 2", {}},
      {"not", "not (a = 1 and b = 2)", {}},
      {"not in", "a not in (1, 2)", {}},
      {"not between", "a not between 1 and 2", {}},
      {"two columns", "a = b", {}},
      {"an expression of the column", "a + 1 = 2 and abs(b) = 1 and c::int = 3", {}},
      {"an expression of constants", "a = 1 + 1", {}},
      {"null as a value", "a = null and b in (1, null)", {}},
      {"a subquery", "a in (select 1)", {}},
      {"is distinct from", "a is distinct from 1 and b is not distinct from 2", {}},
      {"another table's name", "u.a = 1", {}},
      {"a try_cast", "a = try_cast('x' as date)", {}},
      {"a case", "case when a = 1 then true end", {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Conjuncts("select 1 from ads.t where " + c.where), c.conjuncts);
  }
}

TEST_F(AnalyzeSqlTest, GivesComparisonsOnlyToTablesThatSurelyObeyThem) {
  struct Case {
    std::string name;
    std::string sql;
    std::vector<std::string> conjuncts;
  };
  const std::vector<Case> cases = {
      {"an inner join's both sides",
       "select 1 from a.t x join a.u y on x.k = y.k and y.c > 2 where x.a = 1",
       {"x: a = 1", "y: c > 2"}},
      {"a comma", "select 1 from t, u where t.a = 1 and u.b = 2", {"t: a = 1", "u: b = 2"}},
      {"a name without its table may be either's",
       "select 1 from t join u using (k) where a = 1",
       {"t: a = 1", "u: a = 1"}},
      {"the nullable side is left alone",
       "select 1 from t left join u on t.k = u.k where t.a = 1 and u.b is null",
       {"t: a = 1"}},
      {"the ON of a left join binds its right side",
       "select 1 from t left join u on t.k = u.k and u.b = 2 and t.a = 1",
       {"u: b = 2"}},
      {"a right join",
       "select 1 from t right join u on u.b = 2 and t.a = 1 where u.c = 3 and t.d = 4",
       {"u: c = 3", "t: a = 1"}},
      {"a full join",
       "select 1 from t full join u on t.a = 1 and u.b = 2 where t.c = 1 and u.d = 2",
       {}},
      {"a semi join",
       "select 1 from t semi join u on t.k = u.k and u.b = 2 where t.a = 1 and c = 3",
       {"t: a = 1", "t: c = 3", "u: b = 2"}},
      {"an anti join",
       "select 1 from t anti join u on u.b = 2 and t.c = 3 where t.a = 1",
       {"t: a = 1", "u: b = 2"}},
      {"an as-of join needs its whole right side",
       "select 1 from t asof join u on t.x >= u.x where t.a = 1 and u.b = 2",
       {"t: a = 1"}},
      {"a positional join needs all", "select 1 from t positional join u where t.a = 1", {}},
      {"an inner join below an outer one",
       "select 1 from t left join (u join v on v.c = 3) on t.k = u.k where v.d = 1",
       {"v: c = 3"}},
      {"inside a CTE and a subquery",
       "with c as (select * from t where a = 1) select * from c, (select * from u where b = 2) s "
       "where c.z = 3 and s.y = 4",
       {"t: a = 1", "u: b = 2"}},
      {"each part of a union for itself",
       "select 1 from t where a = 1 union all select 1 from t where a = 2",
       {"t: a = 1", "t: a = 2"}},
      {"having is none", "select a from t group by a having a = 1", {}},
      {"qualify is none", "select a from t qualify a = 1", {}},
      {"a sample comes first", "select 1 from t tablesample 10% where a = 1", {}},
      {"a block's sample too", "select 1 from t where a = 1 using sample 10 rows", {}},
      {"renamed columns", "select 1 from t as x(b, a) where a = 1", {}},
      {"a pivot", "select 1 from t pivot (sum(b) for c in (1, 2)) where a = 1", {}},
      {"an outer table's column in a subquery",
       "select (select 1 from u where t.a = 1 and u.b = 2) from t",
       {"u: b = 2"}},
      {"one name twice", "select 1 from a.t join b.t on true where t.x = 1", {}},
      {"an alias hides the name", "select 1 from a.t x where t.a = 1 and x.b = 2", {"x: b = 2"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(Conjuncts(c.sql), ::testing::UnorderedElementsAreArray(c.conjuncts));
  }
}

TEST_F(AnalyzeSqlTest, SurvivesDeepAndBrokenText) {
  std::string deep = "select ";
  for (int i = 0; i < 900; ++i) {
    deep += "(1+";
  }
  deep += "1" + std::string(900, ')');
  const Result<SqlAnalysis> answer = parser_->Analyze(deep, nullptr);
  EXPECT_TRUE(answer.has_value() || answer.error().kind == ErrorKind::kInvalidArgument);

  std::uint32_t seed = 11;
  const std::string good =
      "with c as (select a, 'b' from ads.t where x in (1,2)) select * from c -- e";
  for (int round = 0; round < 500; ++round) {
    std::string bad = good;
    for (int i = 0; i < 3; ++i) {
      seed = seed * 1664525U + 1013904223U;
      bad[(seed >> 8U) % bad.size()] = static_cast<char>(' ' + (seed >> 24U) % 95);
    }
    SCOPED_TRACE(bad);
    const Result<SqlAnalysis> result = parser_->Analyze(bad, nullptr);
    if (!result) {
      EXPECT_THAT(result.error().message, ::testing::MatchesRegex("[0-9]+:[0-9]+: .*"));
    }
  }
}

}  // namespace
}  // namespace strandline::engine
