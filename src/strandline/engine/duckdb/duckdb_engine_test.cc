#include "strandline/engine/duckdb/duckdb_engine.h"

#include <filesystem>

#include <arrow/api.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/engine/memory_relation.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "tests/support/engine_test.h"
#include "tests/support/matchers.h"

namespace strandline::engine {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::UnorderedElementsAreArray;

using DuckDbEngineTest = EngineTest;

TEST_F(DuckDbEngineTest, NamesItself) {
  EXPECT_THAT(engine_->name(), MatchesRegex("duckdb [0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST_F(DuckDbEngineTest, ReadsEveryPartOnce) {
  AddTable({"ads", "t"}, "select range as a, range % 3 as k from range(100000)");

  EXPECT_THAT(Texts("select count(*), sum(a), min(a), max(a) from ads.t"),
              ElementsAre("100000|4999950000|0|99999"));
  EXPECT_THAT(Texts("select k, count(*) from ads.t group by k order by k"),
              ElementsAre("0|33334", "1|33333", "2|33333"));
}

TEST_F(DuckDbEngineTest, ResolvesNamesAsACatalogWould) {
  AddTable({"ads", "t"}, "select 1 as a, {'f': 2} as s");
  AddTable({"ads", "t", "snapshots"}, "select 3 as a");
  AddTable({"A b", "c\"d"}, "select 4 as \"E f\"");
  AddTable({"other", "t"}, "select 5 as a");
  AddTable({"plain"}, "select 6 as a");
  struct Case {
    std::string sql;
    std::string row;
  };
  const std::vector<Case> cases = {
      {"select a from ads.t", "1"},
      {"select t.a from ads.t", "1"},
      {"select ads.t.a from ads.t", "1"},
      {"select ADS.T.A from Ads.T", "1"},
      {"select ads . /* why */ t . a from ads -- x\n . t", "1"},
      {"select t.s.f, s.f, ads.t.s.f from ads.t", "2|2|2"},
      {"select x.a from ads.t x", "1"},
      {"select x.a from ads.t as x", "1"},
      {"select y from ads.t as x(y, z)", "1"},
      {"select t.* from ads.t", "1|{f:int32 = 2}"},
      {"select snapshots.a, ads.t.snapshots.a from ads.t.snapshots", "3|3"},
      {"select s.a from ads.t.snapshots s", "3"},
      {"select t.a, snapshots.a from ads.t, ads.t.snapshots", "1|3"},
      {"select \"c\"\"d\".\"E f\", \"A b\".\"c\"\"d\".\"E f\" from \"A b\".\"c\"\"d\"", "4|4"},
      {"select x.a, y.a from ads.t x join other.t y on x.a < y.a", "1|5"},
      {"select a from plain", "6"},
      {"with t as (select 7 as a) select t.a, x.a from t, ads.t x", "7|1"},
      {"with plain as (select * from plain) select a from plain", "6"},
      {"select (select max(a) from other.t), exists(select 1 from ads.t where a = 9)", "5|false"},
      {"from ads.t select a", "1"},
      {"table plain", "6"},
      {"select a from ads.t;;", "1"},
      {"select a from ads.t -- the end", "1"},
      {"select t.a from ads.t tablesample 100%", "1"},
      {"select a from (select * from ads.t union all select a, null from other.t) order by a desc "
       "limit 1",
       "5"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.sql);
    EXPECT_THAT(Texts(c.sql), ElementsAre(c.row));
  }
}

TEST_F(DuckDbEngineTest, AsksForTheColumnsItNeeds) {
  const auto spy = AddTable({"t"}, "select 1 as a, 2 as b, 3 as c");

  ASSERT_THAT(Rows("select c from t where a = 1"), IsOk());
  EXPECT_THAT(spy->columns(), UnorderedElementsAreArray({"a", "c"}));
  ASSERT_THAT(Rows("select count(*) from t"), IsOk());
  EXPECT_THAT(spy->columns(), IsEmpty());
}

TEST_F(DuckDbEngineTest, HidesBookkeepingUnlessItIsNamed) {
  AddTable({"t"}, "select 1 as a, 2 as _strand_unit, 3 as b");

  EXPECT_THAT(Texts("select * from t"), ElementsAre("1|3"));
  EXPECT_THAT(Texts("select * from t where '_strand_unit' <> ''"), ElementsAre("1|3"));
  EXPECT_THAT(Texts("select * from t where _STRAND_unit > 0"), ElementsAre("1|2|3"));
  EXPECT_THAT(Texts("select * from t where t.\"_strand_unit\" > 0"), ElementsAre("1|2|3"));
  EXPECT_THAT(Rows("select strand_unit from t"),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("1:8")));
}

// Every type goes out of the engine and, as a relation, into it again.
TEST_F(DuckDbEngineTest, CarriesEveryTypeInBothDirections) {
  struct Case {
    std::string sql;
    std::string type;
    std::string text;  // As the engine prints it.
  };
  const std::vector<Case> cases = {
      {"true", "bool", "true"},
      {"42::int", "int32", "42"},
      {"(-9223372036854775808)::bigint", "int64", "-9223372036854775808"},
      {"1.5::float", "float", "1.5"},
      {"'nan'::double", "double", "nan"},
      {"-0.0::double", "double", "-0.0"},
      {"12345.6789::decimal(9,4)", "decimal128(9, 4)", "12345.6789"},
      {"-1.5::decimal(4,1)", "decimal128(4, 1)", "-1.5"},
      {"-0.01::decimal(38,2)", "decimal128(38, 2)", "-0.01"},
      {"date '1969-12-31'", "date32[day]", "1969-12-31"},
      {"time '23:59:59.999999'", "time64[us]", "23:59:59.999999"},
      {"timestamp '1969-12-31 23:59:59.999999'", "timestamp[us]", "1969-12-31 23:59:59.999999"},
      {"timestamptz '2026-11-30 05:00:00+02'", "timestamp[us, tz=UTC]", "2026-11-30 03:00:00+00"},
      {"'größe'", "string", "größe"},
      {"''", "string", ""},
      {"'\\x00\\xFF'::blob", "binary", "\\x00\\xFF"},
      {"'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'::uuid", "fixed_size_binary[16]",
       "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
      {"[1, null, 3]", "list<element: int32>", "[1, NULL, 3]"},
      {"{'a': 1, 'B c': ['x']}", "struct<a: int32, B c: list<element: string>>",
       "{'a': 1, 'B c': [x]}"},
      {"map {'k': 1.5, 'l': null}", "map<string, decimal128(2, 1)>", "{k=1.5, l=NULL}"},
      {"[{'t': timestamptz '2026-11-30 05:00:00+00', 'u': "
       "'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'::uuid}]",
       "list<element: struct<t: timestamp[us, tz=UTC], u: fixed_size_binary[16]>>",
       "[{'t': '2026-11-30 05:00:00+00', 'u': f81d4fae-7dec-11d0-a765-00a0c91e6bf6}]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.sql);
    Statement first;
    first.sql = "select " + c.sql + " as v union all select null";
    SL_ASSERT_OK_AND_ASSIGN(const Batches batches, Run(first));
    ASSERT_FALSE(batches.empty());
    const std::shared_ptr<arrow::Schema> schema = batches[0]->schema();
    EXPECT_EQ(schema->field(0)->type()->ToString(), c.type);
    EXPECT_THAT(table::IcebergField(*schema->field(0)), IsOk());

    Statement second;
    second.sql = "select v::varchar, typeof(v) from t order by v is null";
    second.relations = {{{"t"}, MakeMemoryRelation(schema, batches)}};
    SL_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> texts, Rows(second));
    ASSERT_EQ(texts.size(), 2U);
    EXPECT_THAT(texts[0], ::testing::StartsWith(c.text + "|"));
    EXPECT_THAT(texts[1], ::testing::StartsWith("null|"));

    second.sql = "select v from t order by v is null";
    EXPECT_EQ(Texts(second), Texts(first));
  }
}

TEST_F(DuckDbEngineTest, TakesArrowsOtherEncodings) {
  const std::shared_ptr<arrow::DataType> dictionary =
      arrow::dictionary(arrow::int8(), arrow::utf8());
  arrow::StringBuilder words;
  ASSERT_TRUE(words.AppendValues({"x", "y"}).ok());
  arrow::Int8Builder indexes;
  ASSERT_TRUE(indexes.AppendValues({1, 0, 1}).ok());
  ASSERT_TRUE(indexes.AppendNull().ok());
  const auto encoded =
      arrow::DictionaryArray::FromArrays(dictionary, *indexes.Finish(), *words.Finish());
  arrow::LargeStringBuilder large;
  ASSERT_TRUE(large.AppendValues(std::vector<std::string>{"a", "b", "c", "d"}).ok());
  arrow::StringViewBuilder view;
  for (const char* text : {"short", "a text too long to be kept inline", "", "z"}) {
    ASSERT_TRUE(view.Append(text).ok());
  }
  const auto schema =
      arrow::schema({arrow::field("d", dictionary), arrow::field("l", arrow::large_utf8()),
                     arrow::field("v", arrow::utf8_view())});
  world_ = {
      {{"t"},
       MakeMemoryRelation(schema, {arrow::RecordBatch::Make(
                                      schema, 4, {*encoded, *large.Finish(), *view.Finish()})})}};

  EXPECT_THAT(
      Texts("select d, l, v from t order by l"),
      ElementsAre("y|a|short", "x|b|a text too long to be kept inline", "y|c|", "null|d|z"));
}

// Batches with dictionaries of their own, longer than a vector, cut out of longer ones.
TEST_F(DuckDbEngineTest, ReadsADictionaryAsTheStringsInIt) {
  const std::shared_ptr<arrow::DataType> dictionary =
      arrow::dictionary(arrow::int32(), arrow::utf8());
  const auto schema =
      arrow::schema({arrow::field("n", arrow::int64()), arrow::field("encoded", dictionary),
                     arrow::field("plain", arrow::utf8())});
  constexpr std::int64_t kRows = 5000;
  Batches batches;
  for (std::int64_t batch = 0; batch < 4; ++batch) {
    arrow::Int64Builder numbers;
    arrow::StringDictionary32Builder encoded;
    arrow::StringBuilder plain;
    for (std::int64_t row = 0; row < kRows; ++row) {
      const bool is_null = batch != 1 && row % 7 == 0;
      const std::string text = fmt::format("{} of batch {}{}", row % 5, batch % 3,
                                           row % 2 == 0 ? " and too long to be inline" : "");
      ASSERT_TRUE(numbers.Append(row).ok());
      ASSERT_TRUE((is_null ? encoded.AppendNull() : encoded.Append(text)).ok());
      ASSERT_TRUE((is_null ? plain.AppendNull() : plain.Append(text)).ok());
    }
    const arrow::ArrayVector arrays = {*numbers.Finish(), *encoded.Finish(), *plain.Finish()};
    batches.push_back(arrow::RecordBatch::Make(schema, kRows, arrays)->Slice(batch * 3));
  }
  world_ = {{{"t"}, MakeMemoryRelation(schema, batches)}};
  struct Case {
    std::string sql;  // The same of `encoded` and of `plain`.
  };
  const std::vector<Case> cases = {
      {"select {}, count(*), sum(n) from t group by all order by all"},
      {"select {}, n % 3, count(*) from t group by all order by all"},
      {"select n, {} from t where {} like '%too long%' order by all"},
      {"select n, {} from t where {} is null order by all"},
      {"select {} from t where {} = '1 of batch 2'"},
      {"select count(distinct {}), min({}), max({}) from t"},
      {"select x.{}, count(*) from t x join t y on x.{} = y.{} and x.n = y.n group by all "
       "order by all"},
      {"select {} from t order by n, {}"},
      {"select string_agg({} order by n, {}) from t where n < 20"},
      {"select substr({}, 1, 1) || n from t order by all"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.sql);
    const auto with = [&](std::string_view column) {
      std::string sql = c.sql;
      for (std::size_t at = sql.find("{}"); at != std::string::npos; at = sql.find("{}")) {
        sql.replace(at, 2, column);
      }
      return Rows(sql);
    };
    SL_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> encoded, with("encoded"));
    SL_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> plain, with("plain"));
    EXPECT_THAT(encoded, Not(IsEmpty()));
    EXPECT_EQ(encoded, plain);
  }
}

TEST_F(DuckDbEngineTest, CastsWhatIcebergCannotHold) {
  struct Case {
    std::string sql;
    std::string type;
    std::string row;
  };
  const std::vector<Case> cases = {
      {"sum(i::bigint) as v from range(3) r(i)", "int64", "3"},
      {"9223372036854775807::hugeint as v", "int64", "9223372036854775807"},
      {"255::utinyint as v", "int64", "255"},
      {"65535::usmallint as v", "int64", "65535"},
      {"4294967295::uinteger as v", "int64", "4294967295"},
      {"1::ubigint as v", "int64", "1"},
      {"1::uhugeint as v", "int64", "1"},
      {"1::tinyint as v", "int32", "1"},
      {"1::smallint as v", "int32", "1"},
      {"null as v", "int32", "null"},
      {"'b'::enum('a', 'b') as v", "string", "b"},
      {"'[1]'::json as v", "string", "[1]"},
      {"timestamp_s '2026-11-30 05:00:00' as v", "timestamp[us]", "2026-11-30 05:00:00.000000"},
      {"[1::hugeint] as v", "list<element: int64>", "[1]"},
      {"array_value(1, 2) as v", "list<element: int32>", "[1,2]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.sql);
    SL_ASSERT_OK_AND_ASSIGN(const Batches batches, Run(World("select " + c.sql + " -- x")));
    ASSERT_EQ(batches.size(), 1U);
    EXPECT_EQ(batches[0]->schema()->field(0)->name(), "v");
    EXPECT_EQ(batches[0]->schema()->field(0)->type()->ToString(), c.type);
    if (!c.type.starts_with("list")) {
      EXPECT_EQ(RowText(*batches[0], 0), c.row);
    }
  }
}

TEST_F(DuckDbEngineTest, KeepsOrderAndNamesUnderCasts) {
  EXPECT_THAT(Texts("select i::hugeint as i from range(5) r(i) order by i desc limit 3"),
              ElementsAre("4", "3", "2"));
  SL_ASSERT_OK_AND_ASSIGN(const Batches batches,
                          Run(World("select 1::hugeint as \"a\"\"b\", 2 as x, 3 as x")));
  EXPECT_THAT(batches[0]->schema()->field_names(), ElementsAre("a\"b", "x", "x"));
}

TEST_F(DuckDbEngineTest, NeverWrapsANumberThatDoesNotFit) {
  EXPECT_THAT(
      Rows("select sum(i) as total from (values (9223372036854775807), (1)) v(i)"),
      Fails(ErrorKind::kInvalidArgument, AllOf(HasSubstr("`total`"), HasSubstr("out of range"))));
  EXPECT_THAT(Rows("select 18446744073709551615::ubigint as v"),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("out of range")));
}

TEST_F(DuckDbEngineTest, RefusesTypesByName) {
  struct Case {
    std::string sql;
    std::string name;
  };
  const std::vector<Case> cases = {
      {"interval 1 day", "an interval"},
      {"'101'::bit", "a bit string"},
      {"union_value(k := 1)", "a union"},
      {"'05:00:00+01'::timetz", "a time with a zone"},
      {"timestamp_ns '2026-11-30 05:00:00'", "a timestamp in nanoseconds"},
      {"{'x': [interval 1 day]}", "an interval"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.sql);
    EXPECT_THAT(Rows("select 1 as a, " + c.sql + " as odd"),
                Fails(ErrorKind::kUnsupported, AllOf(HasSubstr("`odd`"), HasSubstr(c.name))));
  }
}

TEST_F(DuckDbEngineTest, DescribesWithoutReading) {
  const auto spy = AddTable({"t"}, "select 1 as a, 'x' as b");

  SL_ASSERT_OK_AND_ASSIGN(const std::shared_ptr<arrow::Schema> schema,
                          engine_->Describe(World("select count(*) as n, b from t group by b")));

  EXPECT_EQ(schema->ToString(), "n: int64\nb: string");
  EXPECT_THAT(spy->filters(), IsEmpty());
}

TEST_F(DuckDbEngineTest, ReplacesParametersByTheirValues) {
  AddTable({"t"},
           "select timestamptz '2026-11-30 05:00:00+00' + interval (range) hour as event_time from "
           "range(3)");
  Statement statement = World(
      "select count(*), $window_start from t where event_time>=$window_start and "
      "event_time<$window_end - interval "
      "30 minute");
  statement.parameters["window_start"] = Timestamp(std::chrono::seconds(1796014800));
  statement.parameters["window_end"] = Timestamp(std::chrono::seconds(1796022000));

  EXPECT_THAT(Texts(statement), ElementsAre("2|2026-11-30 05:00:00.000000Z"));

  statement.sql = "select\n $windowstart";
  EXPECT_THAT(Rows(statement), Fails(ErrorKind::kInvalidArgument,
                                     HasSubstr("2:2: there is no parameter `$windowstart`")));
  statement.sql = "select ?";
  EXPECT_THAT(Rows(statement), Fails(ErrorKind::kInvalidArgument, HasSubstr("`?`")));
}

TEST_F(DuckDbEngineTest, SaysWhatIsWrongAndWhere) {
  AddTable({"ads", "impressions"}, "select 1 as campaign_id, 'abc' as name");
  struct Case {
    std::string sql;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"selec 1", "1:1: syntax error at or near \"selec\""},
      {"select *\nfrom ads.impresions",
       "2:6: there is no table `ads.impresions`: did you mean `ads.impressions`?"},
      {"select * from nowhere", "1:15: there is no table `nowhere`"},
      {"select campain_id\nfrom ads.impressions",
       "1:8: there is no column `campain_id`: did you mean `campaign_id`?"},
      {"select 1 from ads.impressions x,\n ads.impressions y where x.nothing = 1", "2:26: "},
      {"select summ(campaign_id) from ads.impressions",
       "1:8: there is no function `summ`: did you mean `sum`?"},
      {"select 'é', ads.impressions.campaign_id, bad from ads.impressions",
       "1:42: there is no column `bad`"},
      {"select sum(campaign_id) as s, name::int as n from ads.impressions group by 2", "'abc'"},
      {"select name + 1 from ads.impressions", "1:13: No function matches"},
      {"select campaign_id from ads.impressions group by name", "1:8: "},
      {"select error('my own words')", "my own words"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.sql);
    EXPECT_THAT(Rows(c.sql), Fails(ErrorKind::kInvalidArgument,
                                   AllOf(HasSubstr(c.message), Not(HasSubstr("Error:")),
                                         Not(HasSubstr("strandline")), Not(HasSubstr("\n")),
                                         Not(HasSubstr("exception")))));
  }
}

TEST_F(DuckDbEngineTest, ReadsNothingButItsRelations) {
  const std::filesystem::path file = std::filesystem::path(spill_directory_) / "secret.csv";
  std::filesystem::create_directories(spill_directory_);
  const std::string name = file.string();
  const std::vector<std::string> statements = {
      "select * from '" + name + "'",
      "select * from read_csv('" + name + "')",
      "select * from read_csv_auto('" + name + "')",
      "select * from read_parquet('" + name + "')",
      "select * from parquet_metadata('" + name + "')",
      "select * from read_json('" + name + "')",
      "select * from read_text('" + name + "')",
      "select * from read_blob('" + name + "')",
      "select * from glob('/*')",
      "select * from sniff_csv('" + name + "')",
      "select (select count(*) from glob('/*'))",
      "select * from read_csv('https://example.com/x.csv')",
      "select getenv('HOME')",
      "select current_setting('temp_directory')",
      "select getvariable('x')",
      "select current_query()",
      "select * from duckdb_settings()",
      "select * from duckdb_tables()",
      "select * from duckdb_secrets()",
      "select * from information_schema.tables",
      "select * from pg_catalog.pg_class",
      "select * from sqlite_master",
      "select * from query('select 1')",
      "select * from query_table('t')",
      "select * from json_execute_serialized_sql('{}')",
      "select * from arrow_scan(1, 2, 3)",
      "select * from strandline_scan(1)",
      "select * from pragma_version()",
      "select * from enable_logging()",
      "copy (select 1) to '" + name + "'",
      "attach '" + name + "' as x",
      "install httpfs",
      "load httpfs",
      "pragma version",
      "set threads = 1",
      "set enable_external_access = true",
      "create table x(i int)",
      "create view v as select 1",
      "select 1; copy (select 1) to '" + name + "'",
      "call pragma_version()",
      "export database '" + name + "'",
      "explain analyze select 1",
      "begin",
      "use main",
  };
  for (const std::string& sql : statements) {
    SCOPED_TRACE(sql);
    EXPECT_THAT(Rows(sql), Fails(ErrorKind::kInvalidArgument, MatchesRegex("[0-9]+:[0-9]+: .*")));
  }
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(DuckDbEngineTest, ComputesWithTableFunctionsThatReadNothing) {
  EXPECT_THAT(Texts("select * from range(2) order by 1"), ElementsAre("0", "1"));
  EXPECT_THAT(Texts("select * from unnest([1, 2]) order by 1"), ElementsAre("1", "2"));
  EXPECT_THAT(Texts("select value::int from json_each('[5]')"), ElementsAre("5"));
}

// ../shared/cases C146: the zone of the host has no say.
TEST_F(DuckDbEngineTest, KeepsTimeInUtc) {
  EXPECT_THAT(Texts("select date_trunc('day', timestamptz '2026-11-30 23:30:00-02:00'), "
                    "(timestamptz '2026-11-30 23:30:00+00')::date, "
                    "timezone('Europe/Amsterdam', timestamptz '2026-07-01 00:00:00+00')"),
              ElementsAre("2026-12-01 00:00:00.000000Z|2026-11-30|2026-07-01 02:00:00.000000"));
}

}  // namespace
}  // namespace strandline::engine
