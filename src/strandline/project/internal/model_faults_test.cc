#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/project/internal/project_folder.h"

// What is said of each fault in models/*.sql, and of files that do not go together.
namespace strandline::project::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Case {
  std::string name;
  std::string text;  // Stands in models/hourly.sql exactly once,
  std::string replacement;
  std::vector<std::string> problems;  // and this is what `validate` says of it then.
};

void CheckEach(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const ProjectFolder folder;
    folder.Replace("models/hourly.sql", c.text, c.replacement);

    EXPECT_THAT(folder.Problems(), ElementsAreArray(c.problems));
  }
}

// One model beside the small project, whose SELECT begins on line 5.
std::vector<std::string> ProblemsOfSql(const std::string& sql, const std::string& settings = "") {
  const ProjectFolder folder;
  folder.Write("models/m.sql",
               "/* strandline\ntable: web.m\nwindow: hour\n" + settings + "*/\n" + sql + "\n");
  return folder.Problems();
}

TEST(Model, SaysWhatIsWrongWithItsSettings) {
  const std::string at = "models/hourly.sql:";
  CheckEach({
      {"no settings",
       "/* strandline\n",
       "/* settings\n",
       {at + "1:1: a model begins with its settings in a comment: /* strandline, a line each, */"}},
      {"a slip of the hand says it once",
       "window: hour",
       "windw: hour",
       {at + "3:1: unknown setting `windw`: did you mean `window`?"}},
      {"no table", "table: web.hourly\n", "", {at + "2:1: a model needs the setting `table`"}},
      {"a window that is none",
       "window: hour",
       "window: month",
       {at + "3:9: `window` can not be `month`: there are `hour`, `day`"}},
      {"a syntax error",
       "time: hour",
       "time: hour: x",
       {at + "4:11: not valid YAML: illegal map value"}},
      {"a time that the SELECT does not give",
       "time: hour",
       "time: huor",
       {at + "4:7: `time` names the column `huor`, which this table does not have: did you mean "
             "`hour`?"}},
      {"a partition that the SELECT does not give",
       "time: hour",
       "partition: [hour(hour), pages]",
       {at +
        "4:25: `partition` names the column `pages`, which this table does not have: did you mean "
        "`page`?"}},
      {"a cast of a column that is not there",
       "time: hour",
       "columns: {csot: double}",
       {at +
        "4:11: `columns` names the column `csot`, which this table does not have: did you mean "
        "`cost`?"}},
      {"a cast to nothing",
       "time: hour",
       "columns: {cost: }",
       {at + "4:11: `cost` needs the type to cast it to"}},
      {"a check of a column that is not there",
       "[page]",
       "[page, pgae]",
       {at +
        "6:22: the check `not_null` names the column `pgae`, which this table does not have: did "
        "you mean `page`?"}},
      {"publishing what is incomplete",
       "time: hour",
       "publish_incomplete_after: 6h",
       {at + "4:1: `publish_incomplete_after` is not supported yet: a window is published when its "
             "inputs are complete"}},
      {"an engine of its own",
       "time: hour",
       "engine: spark",
       {at + "4:1: `engine` is not supported yet: every model runs on the project's engine"}},
      {"a view",
       "time: hour",
       "expose: view",
       {at + "4:1: `expose` is not supported yet: query hides bookkeeping columns by itself"}},
      {"a name of a quarantine",
       "web.hourly",
       "web.hourly__quarantine",
       {at +
        "2:8: `web.hourly__quarantine`: names ending in `__quarantine` belong to the tables that "
        "come with a source"}},
      {"a name of removed keys",
       "web.hourly",
       "web.hourly__removed",
       {at +
        "2:8: `web.hourly__removed`: names ending in `__removed` belong to the tables that come "
        "with a source"}},
      {"the table of a source",
       "web.hourly",
       "web.views",
       {at +
        "2:8: `web.views` is written by sources/views.yml already: a table has one writer, name "
        "another table"}},
      {"no SELECT",
       "select $window_start as hour, page, count(*) as clicks, sum(cost) as cost\nfrom "
       "web.clicks\ngroup by page\n",
       "",
       {at + "8:1: a model needs one SELECT after its settings"}},
  });
}

TEST(Model, SaysWhatIsWrongWithItsInputs) {
  const std::string at = "models/hourly.sql:";
  CheckEach({
      {"no mapping",
       "time: hour",
       "inputs: [web.clicks]",
       {at + "4:9: `inputs` is a mapping: a table's name, then how it is read"}},
      {"a table that the SELECT does not read",
       "time: hour",
       "inputs: {web.clikcs: {lookback: 1h}}",
       {at + "4:10: the SELECT does not read `web.clikcs`: did you mean `web.clicks`?"}},
      {"no settings",
       "time: hour",
       "inputs:\n  web.clicks:",
       {at + "5:3: `web.clicks` has no settings: give it some or leave it out, the SELECT names it "
             "already"}},
      {"a lookback that is none",
       "time: hour",
       "inputs: {web.clicks: {lookback: 1}}",
       {at +
        "4:33: `lookback`: not a duration: expected a whole number up to 100000 and a unit (s, m, "
        "h, d) such as 90s, 20m, 6h or 3d, found '1'"}},
      {"half a lookback",
       "time: hour",
       "inputs: {web.clicks: {lookback: {read: 1h}}}",
       {at + "4:33: `lookback` needs the setting `watch`"}},
      {"watching more than is read",
       "time: hour",
       "inputs: {web.clicks: {lookback: {read: 1h, watch: 2h}}}",
       {at + "4:33: `watch` is longer than `read`: what is not read cannot change the result"}},
      {"as of and a lookback",
       "time: hour",
       "inputs: {web.clicks: {as_of: latest, lookback: 1h}}",
       {at + "4:23: `as_of` reads the whole table: take out `lookback`"}},
      {"as of something else",
       "time: hour",
       "inputs: {web.clicks: {as_of: yesterday}}",
       {at + "4:30: `as_of` can not be `yesterday`: there are `latest`, `restate`"}},
      {"as of a span of validity",
       "time: hour",
       "inputs: {web.clicks: {as_of: {valid_at: [a, b]}}}",
       {at + "4:31: `valid_at` is not supported yet: use `as_of: latest` or `as_of: restate`"}},
      {"a span of validity",
       "time: hour",
       "inputs: {web.clicks: {valid_at: [a, b]}}",
       {at + "4:23: `valid_at` is not supported yet: use `as_of: latest` or `as_of: restate`"}},
      {"readiness",
       "time: hour",
       "inputs: {web.clicks: {ready: x}}",
       {at +
        "4:23: `ready` is not supported yet: an input is ready when its windows are published"}},
      {"a table that nobody makes",
       "web.clicks",
       "web.clikcs",
       {at + "9:6: no source or model of this project makes the table `web.clikcs`: did you mean "
             "`web.clicks`?"}},
      {"a table without its namespace",
       "web.clicks",
       "clicks",
       {at + "9:6: tables are named with their namespace: did you mean `web.clicks`?"}},
      {"a file",
       "web.clicks",
       "'landing/x.parquet'",
       {at +
        "9:6: `landing/x.parquet` is a file: a model reads tables only; let the file land through "
        "a source"}},
      {"a metadata table",
       "web.clicks",
       "web.clicks.snapshots",
       {at + "9:6: `web.clicks.snapshots` is a metadata table: it changes with every commit, so no "
             "window's result can follow from it"}},
      {"longer partitions than its window",
       "web.clicks",
       "web.views",
       {at +
        "9:6: warning: the partitions of `web.views` are longer than this model's window of one "
        "hour: any change in one makes every hour of it stale"}},
      {"itself",
       "web.clicks",
       "web.hourly",
       {at +
        "9:6: models depend on each other in a circle: web.hourly → web.hourly (each reads the "
        "next)"}},
  });
}

TEST(Model, SaysWhatIsWrongWithWhatItComparesWith) {
  const std::string at = "models/hourly.sql:";
  const std::string item = "  - not_null: [page]\n";
  CheckEach({
      {"a table that it is not made from",
       item,
       "  - reconcile: {with: web.views, theirs: count(*), ours: count(*)}\n",
       {at + "6:5: `reconcile` with `web.views`, which this model is not made from: there is "
             "`web.clicks`"}},
      {"a side that is no aggregate",
       item,
       "  - reconcile: {with: web.clicks, theirs: cost, ours: sum(cost)}\n",
       {at + "6:43: `cost` is no aggregate: `reconcile` compares one value of each side, such as "
             "count(*) or sum(x)"}},
      {"a side that is missing",
       item,
       "  - reconcile: {with: web.clicks, theirs: count(*)}\n",
       {at + "6:16: `reconcile` needs the setting `ours`"}},
      {"a column that is not there",
       item,
       "  - reconcile: {with: web.clicks, theirs: count(*), ours: sum(clikcs)}\n",
       {at +
        "6:59: `sum(clikcs)` names the column `clikcs`, which this table does not have: did you "
        "mean `clicks`?"}},
      {"a tolerance below zero",
       item,
       "  - reconcile: {with: web.clicks, theirs: count(*), ours: sum(clicks), tolerance: -1}\n",
       {at + "6:83: `tolerance` is a number, zero or more: found `-1`"}},
  });
}

TEST(Model, RefusesSqlThatReadsAnythingButItsTables) {
  const std::string at = "models/m.sql:5:";
  const std::string once =
      "` is refused: it gives another answer each time it is asked; `$window_start` and "
      "`$window_end` are the window's bounds";
  struct SqlCase {
    std::string sql;
    std::string problem;
  };
  const SqlCase cases[] = {
      {"select random() as r from web.clicks", at + "8: `random" + once},
      {"select uuid() as r from web.clicks", at + "8: `uuid" + once},
      {"select gen_random_uuid() as r from web.clicks", at + "8: `gen_random_uuid" + once},
      {"select page from web.clicks where clicked_at > now()", at + "48: `now" + once},
      {"select today() as r from web.clicks", at + "8: `today" + once},
      {"select current_date as r from web.clicks", at + "8: `current_date" + once},
      {"select page, CURRENT_TIMESTAMP as r from web.clicks", at + "14: `current_timestamp" + once},
      {"select get_current_timestamp() as r from web.clicks",
       at + "8: `get_current_timestamp" + once},
      {"select transaction_timestamp() as r from web.clicks",
       at + "8: `transaction_timestamp" + once},
      {"select nextval('s') as r from web.clicks", at + "8: `nextval" + once},
      {"select version() as r from web.clicks", at + "8: `version" + once},
      {"select session_user as r from web.clicks", at + "8: `session_user" + once},
      {"select age(clicked_at) as r from web.clicks",
       at +
           "8: `age` is refused: with one argument it reads today's date; write `later - earlier`"},
      {"select a from read_parquet('x.parquet')",
       at + "15: `read_parquet` reads outside the catalog: a model reads tables only; let the file "
            "land through a source"},
      {"select a from read_csv('x.csv')",
       at +
           "15: `read_csv` reads outside the catalog: a model reads tables only; let the file land "
           "through a source"},
      {"select name from duckdb_settings()", at +
                                                 "18: `duckdb_settings` reads outside the catalog: "
                                                 "a model reads tables only; let the file "
                                                 "land through a source"},
      {"select $window_strat as r from web.clicks",
       at + "8: there is no parameter `$window_strat`: did you mean `$window_start`?"},
      {"select $1 as r from web.clicks",
       at + "8: there is no parameter `$1`: there are `$window_start`, `$window_end`"},
      {"select ? as r from web.clicks",
       at + "8: `?` is a parameter that no run gives a value: name $window_start or $window_end"},
      {"select _strand_unit from web.clicks",
       at + "8: `_strand_unit`: names beginning with `_strand_` are Strandline's own bookkeeping, "
            "which a model neither reads nor writes"},
      {"select page as \"_Strand_seq\" from web.clicks",
       at + "16: `_Strand_seq`: names beginning with `_strand_` are Strandline's own bookkeeping, "
            "which a model neither reads nor writes"},
  };
  for (const SqlCase& c : cases) {
    SCOPED_TRACE(c.sql);

    EXPECT_THAT(ProblemsOfSql(c.sql), ElementsAre(c.problem));
  }
}

TEST(Model, RefusesWhatIsNotOneSelect) {
  for (const std::string sql :
       {"select page frm web.clicks where", "insert into web.clicks values (1)",
        "select page from web.clicks; select 1", "drop table web.clicks", "-- nothing"}) {
    SCOPED_TRACE(sql);

    EXPECT_THAT(ProblemsOfSql(sql), ElementsAre(StartsWith("models/m.sql:5:")));
  }
}

TEST(Model, RefusesSqlWhoseResultFollowsTheOrderOfRows) {
  const std::string at = "models/m.sql:5:";
  const std::string or_else =
      ", or set `deterministic: false`, which takes the model out of comparisons and proofs";
  const std::string follows = " follows the order in which rows happen to come: ";
  const std::string aggregate =
      follows + "give it an ORDER BY, as in list(x order by y), or take min or max" + or_else;
  const std::string window = follows + "give its OVER an ORDER BY that no two rows share" + or_else;
  const std::string estimate =
      " is an estimate that differs from run to run: use the exact function" + or_else;
  const std::string cut =
      "which rows are left depends on the order in which they happen to come: add an ORDER BY that "
      "no "
      "two rows share" +
      or_else;
  struct SqlCase {
    std::string sql;
    std::string problem;
  };
  const SqlCase cases[] = {
      {"select first(page) as r from web.clicks", at + "8: `first`" + aggregate},
      {"select last(page) as r from web.clicks", at + "8: `last`" + aggregate},
      {"select any_value(page) as r from web.clicks", at + "8: `any_value`" + aggregate},
      {"select arbitrary(page) as r from web.clicks", at + "8: `arbitrary`" + aggregate},
      {"select list(page) as r from web.clicks", at + "8: `list`" + aggregate},
      {"select array_agg(page) as r from web.clicks", at + "8: `array_agg`" + aggregate},
      {"select string_agg(page, ',') as r from web.clicks", at + "8: `string_agg`" + aggregate},
      {"select group_concat(page) as r from web.clicks", at + "8: `group_concat`" + aggregate},
      {"select row_number() over () as r from web.clicks", at + "8: `row_number`" + window},
      {"select lag(page) over (partition by user) as r from web.clicks", at + "8: `lag`" + window},
      {"select approx_count_distinct(page) as r from web.clicks",
       at + "8: `approx_count_distinct`" + estimate},
      {"select approx_quantile(price, 0.5) as r from web.clicks",
       at + "8: `approx_quantile`" + estimate},
      {"select reservoir_quantile(price, 0.5) as r from web.clicks",
       at + "8: `reservoir_quantile`" + estimate},
      {"select page from web.clicks limit 10", at + "35: " + cut},
      {"select page from web.clicks limit 10 offset 5", at + "35: " + cut},
  };
  for (const SqlCase& c : cases) {
    SCOPED_TRACE(c.sql);

    EXPECT_THAT(ProblemsOfSql(c.sql), ElementsAre(c.problem));
    EXPECT_THAT(ProblemsOfSql(c.sql, "deterministic: false\n"), IsEmpty());
  }
  EXPECT_THAT(ProblemsOfSql("select distinct on (page) page, user from web.clicks"),
              ElementsAre(StartsWith(at)));
  EXPECT_THAT(ProblemsOfSql("select page from web.clicks using sample 10%"),
              ElementsAre(StartsWith(at)));
}

TEST(Model, WarnsWhereOnlyTheLastDigitsOrTiesFollowTheOrderOfRows) {
  const std::string at = "models/m.sql:5:";
  struct SqlCase {
    std::string sql;
    std::string problem;
  };
  const SqlCase cases[] = {
      {"select sum(price) as r from web.clicks",
       at + "8: warning: `sum` over the floating-point column `price`: its last digits follow the "
            "order of rows, results are compared with a tolerance of 1e-9; a decimal is exact"},
      {"select page, avg(coalesce(c.price, 0) * 2) as r from web.clicks c group by page",
       at + "14: warning: `avg` over the floating-point column `price`: its last digits follow the "
            "order of rows, results are compared with a tolerance of 1e-9; a decimal is exact"},
      {"select stddev(cost) as r from web.clicks",
       at + "8: warning: `stddev` calculates in floating point, so its last digits follow the "
            "order of "
            "rows: results are compared with a tolerance of 1e-9"},
      {"select arg_max(page, cost) as r from web.clicks",
       at + "8: warning: `arg_max` takes whichever row comes first when several are equal: make "
            "sure "
            "that none are"},
      {"select page from web.clicks order by page limit 10",
       at +
           "49: warning: rows that are equal under the ORDER BY are cut off by chance: end it with "
           "columns that no two rows share, or write `order by all`"},
  };
  for (const SqlCase& c : cases) {
    SCOPED_TRACE(c.sql);

    EXPECT_THAT(ProblemsOfSql(c.sql), ElementsAre(c.problem));
    EXPECT_THAT(ProblemsOfSql(c.sql, "deterministic: false\n"), IsEmpty());
  }
}

TEST(Model, AcceptsSqlThatOnlyLooksForbidden) {
  const std::string cases[] = {
      "select 'now() random() $x ? _strand_unit' as text, page from web.clicks -- now() "
      "_strand_unit",
      "select page as now from web.clicks where page <> 'limit'",
      "select user, count(*) as n from web.clicks group by user",  // A column of the source.
      "select list(page order by page) as pages from web.clicks",
      "select list_sort(list(page)) as pages from web.clicks",
      "select array_agg(page order by user) as pages from web.clicks",
      "select sum(cost) as cost, avg(cost) as mean from web.clicks",
      "select max(price) as highest from web.clicks",
      "select page from web.clicks order by all limit 10",
      "select page, row_number() over (order by click_id) as n from web.clicks",
      "with clicks as (select page from web.clicks) select page from clicks",
      "select page, n from web.clicks, range(3) t(n)",
      "select page from web.clicks where clicked_at >= $window_start and clicked_at < $window_end",
  };
  for (const std::string& sql : cases) {
    SCOPED_TRACE(sql);

    EXPECT_THAT(ProblemsOfSql(sql), IsEmpty());
  }
}

TEST(Project, ReadsATableOfOthersOnlyWhenToldHow) {
  EXPECT_THAT(ProblemsOfSql("select page from other.pages"),
              ElementsAre("models/m.sql:5:18: no source or model of this project makes the table "
                          "`other.pages`; one that others write is read with `inputs: "
                          "{other.pages: {as_of: latest}}`"));
  EXPECT_THAT(ProblemsOfSql("select page from other.pages join web.clicks using (page)",
                            "inputs: {other.pages: {as_of: latest}}\n"),
              IsEmpty());
}

TEST(Project, RefusesAModelThatNothingGivesWindows) {
  EXPECT_THAT(
      ProblemsOfSql("select page from other.pages", "inputs: {other.pages: {as_of: latest}}\n"),
      ElementsAre(HasSubstr("reads no table by time")));
}

TEST(Project, RefusesTwoWritersOfOneTable) {
  const ProjectFolder folder;
  std::string source = folder.Read("sources/clicks.yml");
  folder.Write("sources/more.yml", source.replace(0, 14, "source: more  "));
  folder.Write("models/other.sql",
               "/* strandline\ntable: WEB.Hourly\nwindow: hour\n*/\nselect page from web.clicks\n");

  EXPECT_THAT(
      folder.Problems(),
      ElementsAre("models/other.sql:2:8: `WEB.Hourly` is written by models/hourly.sql already: "
                  "a table has one writer, name another table",
                  "sources/more.yml:2:8: `web.clicks` is written by sources/clicks.yml "
                  "already: until tenants are built, a second source for a table is refused"));
}

TEST(Project, RefusesTwoSourcesOfOneName) {
  const ProjectFolder folder;
  folder.Replace("sources/views.yml", "source: views", "source: clicks");

  EXPECT_THAT(
      folder.Problems(),
      ElementsAre("sources/views.yml:2:8: the source in sources/clicks.yml is called `clicks` "
                  "as well: its name is part of what its units are known by"));
}

TEST(Project, NamesEveryModelOfACircleOnce) {
  const ProjectFolder folder;
  const auto write = [&](const std::string& name, const std::string& reads) {
    folder.Write("models/" + name + ".sql", "/* strandline\ntable: web." + name +
                                                "\nwindow: hour\n*/\nselect page\nfrom web." +
                                                reads + "\n");
  };
  write("a", "b");
  write("b", "c");
  write("c", "a");
  write("d", "a");

  EXPECT_THAT(
      folder.Problems(),
      ElementsAre("models/a.sql:6:6: models depend on each other in a circle: web.a → web.b → "
                  "web.c → web.a (each reads the next)"));
}

TEST(Project, WarnsOfAModelOverLongerWindows) {
  const ProjectFolder folder;
  folder.Replace("models/hourly.sql", "window: hour", "window: day");
  folder.Write("models/m.sql",
               "/* strandline\ntable: web.m\nwindow: hour\n*/\nselect page from web.hourly\n");

  EXPECT_THAT(
      folder.Problems(),
      ElementsAre("models/m.sql:5:18: warning: the partitions of `web.hourly` are longer than "
                  "this model's window of one hour: any change in one makes every hour of it "
                  "stale"));
}

}  // namespace
}  // namespace strandline::project::internal
