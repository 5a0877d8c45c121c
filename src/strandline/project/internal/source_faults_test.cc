#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/project/internal/project_folder.h"

// What is said of each fault in sources/*.yml.
namespace strandline::project::internal {
namespace {

using ::testing::ElementsAreArray;

struct Case {
  std::string name;
  std::string text;  // Stands in sources/clicks.yml exactly once,
  std::string replacement;
  std::vector<std::string> problems;  // and this is what `validate` says of it then.
};

void CheckEach(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const ProjectFolder folder;
    folder.Replace("sources/clicks.yml", c.text, c.replacement);

    EXPECT_THAT(folder.Problems(), ElementsAreArray(c.problems));
  }
}

TEST(Source, SaysWhatIsWrongWithItsLanding) {
  const std::string at = "sources/clicks.yml:";
  CheckEach({
      {"no table", "table: web.clicks\n", "", {at + "1:1: a source needs the setting `table`"}},
      {"a table without a namespace",
       "table: web.clicks",
       "table: clicks",
       {at + "2:8: `table`: table name needs a namespace, as in `ads.impressions`: 'clicks'"}},
      {"no name", "source: clicks\n", "", {at + "1:1: a source needs the setting `source`"}},
      {"a slip of the hand says it once",
       "format: jsonl",
       "fromat: jsonl",
       {at + "4:1: unknown setting `fromat`: did you mean `format`?"}},
      {"a setting without a value",
       "time: clicked_at",
       "time:",
       {at + "8:1: `time` has no value: give one or leave the setting out"}},
      {"a format of a later version",
       "format: jsonl",
       "format: csv",
       {at + "4:9: `format: csv` is not supported yet: use parquet or jsonl"}},
      {"another format of a later version",
       "format: jsonl",
       "format: avro",
       {at + "4:9: `format: avro` is not supported yet: use parquet or jsonl"}},
      {"a format that is none",
       "format: jsonl",
       "format: json",
       {at + "4:9: `format` can not be `json`: did you mean `jsonl`?"}},
      {"a unit that is none",
       "unit: hour",
       "unit: week",
       {at + "5:7: `unit` can not be `week`: there are `hour`, `day`"}},
      {"a path without a unit",
       "{unit:%Y-%m-%d-%H}/",
       "",
       {at + "3:7: the path needs one {unit:...} in the name of the folder of a unit, such as "
             "landing/x/{unit:%Y-%m-%d-%H}/*.parquet: found `landing/clicks/*.jsonl`"}},
      {"a path for days",
       "%Y-%m-%d-%H",
       "%Y-%m-%d",
       {at +
        "3:7: the folder of one hour is named by %Y, %m, %d and %H, each once and no other code: "
        "found `%Y-%m-%d`"}},
      {"a path elsewhere",
       "landing/clicks",
       "s3://bucket/clicks",
       {at +
        "3:7: `path` is a local path or file:///PATH, other storage is not supported yet: found "
        "`s3://bucket/clicks/{unit:%Y-%m-%d-%H}/*.jsonl`"}},
      {"a path from the environment",
       "landing/clicks",
       "${HOME}/clicks",
       {at + "3:7: environment variables are put into strandline.yml only: write the path here"}},
      {"a start inside a unit",
       "2026-11-30T05Z",
       "2026-11-30T05:30Z",
       {at + "6:8: `start` is the start of a unit: 2026-11-30T05:00Z or 2026-11-30T06:00Z, found "
             "`2026-11-30T05:30Z`"}},
      {"a start without a zone",
       "2026-11-30T05Z",
       "2026-11-30T05",
       {at + "6:8: `start`: time without a zone: add Z or an offset such as +01:00 to "
             "'2026-11-30T05'"}},
      {"never complete",
       "complete: {marker: _SUCCESS}\n",
       "",
       {at + "1:1: a source needs the setting `complete`"}},
      {"complete in two ways",
       "{marker: _SUCCESS}",
       "{marker: _SUCCESS, grace: 20m}",
       {at + "7:11: `complete` is either a `marker` or a `grace`, not both"}},
      {"complete in no way",
       "{marker: _SUCCESS}",
       "{}",
       {at + "7:11: `complete` needs a `marker` or a `grace`"}},
      {"a marker that is no name",
       "_SUCCESS",
       "done/*",
       {at + "7:20: `marker` is the name of one file, such as _SUCCESS"}},
      {"a duration that is none",
       "complete: {marker: _SUCCESS}",
       "complete: {grace: soon}",
       {at +
        "7:19: `grace`: not a duration: expected a whole number up to 100000 and a unit (s, m, h, "
        "d) such as 90s, 20m, 6h or 3d, found 'soon'"}},
      {"absent in no known way",
       "key:",
       "absent: empty\nkey:",
       {at + "9:9: `absent` can not be `empty`: there is `wait`"}},
      {"absent in two ways",
       "key:",
       "absent: {empty_after: 6h, error_after: 2h}\nkey:",
       {at + "9:9: `absent` is either `empty_after` or `error_after`"}},
      {"replacing what changed",
       "key:",
       "on_change: replace\nkey:",
       {at + "9:12: `on_change: replace` is not supported yet: use merge"}},
      {"a share that is none",
       "key:",
       "quarantine: {max_share: 101%}\nkey:",
       {at + "9:25: `max_share` is a share from 0% to 100%, such as 1% or 0.01: found `101%`"}},
      {"a contract",
       "key:",
       "contract: c.odcs.yaml\nkey:",
       {at + "9:1: `contract` is not supported yet: declare the columns here"}},
      {"adopting history",
       "key:",
       "adopt: {before: 2026-11-30}\nkey:",
       {at +
        "9:1: `adopt` is not supported yet: rows that were there before are left as they are"}},
      {"a view",
       "key:",
       "expose: view\nkey:",
       {at + "9:1: `expose` is not supported yet: query hides bookkeeping columns by itself"}},
      {"readiness",
       "key:",
       "ready: now\nkey:",
       {at + "9:1: `ready` is not supported yet: units are complete by `complete`"}},
  });
}

TEST(Source, SaysWhatIsWrongWithItsColumns) {
  const std::string at = "sources/clicks.yml:";
  CheckEach({
      {"no key", "key: [click_id]\n", "", {at + "1:1: a source needs the setting `key`"}},
      {"a key that is no list",
       "[click_id]",
       "click_id",
       {at + "9:6: `key` is a list such as [a, b], with one item or more"}},
      {"an empty key",
       "[click_id]",
       "[]",
       {at + "9:6: `key` is a list such as [a, b], with one item or more"}},
      {"a key that is not declared",
       "[click_id]",
       "[clikc_id]",
       {at +
        "9:7: `key` names the column `clikc_id`, which `columns` does not declare: did you mean "
        "`click_id`?"}},
      {"a key column twice",
       "[click_id]",
       "[click_id, click_id]",
       {at + "9:17: `key` names the column `click_id` twice"}},
      {"a key of ours",
       "[click_id]",
       "[click_id, _strand_unit]",
       {at +
        "9:17: `_strand_unit`: names beginning with `_strand_` are Strandline's own bookkeeping"}},
      {"no event time",
       "time: clicked_at\n",
       "",
       {at + "1:1: a source needs the setting `time`: the column of the event time"}},
      {"an event time that is not declared",
       "time: clicked_at",
       "time: clicked_a",
       {at +
        "8:7: `time` names the column `clicked_a`, which `columns` does not declare: did you mean "
        "`clicked_at`?"}},
      {"an event time that is a text",
       "time: clicked_at",
       "time: page",
       {at + "8:7: the event time is a timestamptz or timestamp: `page` is string"}},
      {"a type that is none",
       "page: string",
       "page: strng",
       {at + "13:9: `strng` is no type of Iceberg's: did you mean `string`?"}},
      {"a type of SQL",
       "page: string",
       "page: varchar",
       {at +
        "13:9: `varchar` is no type of Iceberg's: there are `boolean`, `int`, `long`, `float`, "
        "`double`, `decimal(18,4)`, `date`, `time`, `timestamp`, `timestamptz`, `string`, `uuid`, "
        "…"}},
      {"a type of a later format",
       "page: string",
       "page: timestamp_ns",
       {at + "13:9: `timestamp_ns` needs format version 3, which is not supported yet"}},
      {"a nested type",
       "page: string",
       "page: list<string>",
       {at + "13:9: `list<string>`: nested columns are not supported yet in tables that Strandline "
             "writes"}},
      {"a column without a type",
       "{type: double}",
       "{required: true}",
       {at + "14:3: `price` needs a `type`: JSON lines carry none"}},
      {"a column without anything",
       "price: {type: double}",
       "price:",
       {at + "14:3: `price` needs a `type`: JSON lines carry none"}},
      {"a column's unknown setting",
       "{type: double}",
       "{type: double, requird: true}",
       {at + "14:25: unknown setting `requird`: did you mean `required`?"}},
      {"yes and no",
       "{type: string, required: true}",
       "{type: string, required: yes}",
       {at + "11:38: `required` can not be `yes`: there are `true`, `false`"}},
      {"a column twice",
       "  page: string\n",
       "  page: string\n  page: string\n",
       {at + "14:3: `page` is given twice, first on line 13: keep one of them"}},
      {"columns that SQL cannot tell apart",
       "  page: string\n",
       "  page: string\n  Page: string\n",
       {at +
        "14:3: `Page` and `page` (line 13) differ in case only, which SQL does not tell apart"}},
      {"a column of ours",
       "  page: string\n",
       "  page: string\n  _strand_seq: long\n",
       {at +
        "14:3: `_strand_seq`: names beginning with `_strand_` are Strandline's own bookkeeping"}},
      {"columns that are a list",
       "columns:\n  click_id: {type: string, required: true}\n  clicked_at: {type: timestamptz, "
       "required: "
       "true}\n  page: string\n  price: {type: double}\n  cost: {type: \"decimal(18, 4)\"}\n  "
       "user: {type: "
       "string}\n",
       "columns: [click_id]\n",
       {at + "10:10: `columns` is a mapping: each column's name, then its type"}},
  });
}

TEST(Source, SaysWhatIsWrongWithItsPartition) {
  const std::string at = "sources/clicks.yml:";
  CheckEach({
      {"a transform that is none",
       "key:",
       "partition: [hours(clicked_at)]\nkey:",
       {at + "9:13: `hours` is no partition transform: did you mean `hour`?"}},
      {"a comma that ends the item",
       "key:",
       "partition: [hour(clicked_at), bucket(16, page)]\nkey:",
       {at + "9:31: `bucket(16` has one bracket only: inside [ ] a comma ends the item, so write "
             "\"bucket(16, user_id)\" with quotes"}},
      {"a bucket without a number",
       "key:",
       "partition: [hour(clicked_at), bucket(page)]\nkey:",
       {at + "9:31: `bucket(page)` needs a number and a column: `bucket(16, user_id)`"}},
      {"no buckets",
       "key:",
       "partition: [hour(clicked_at), \"bucket(0, page)\"]\nkey:",
       {at + "9:31: `bucket(0, page)` needs a number and a column: `bucket(16, user_id)`"}},
      {"a transform without a column",
       "key:",
       "partition: [hour()]\nkey:",
       {at + "9:13: `hour()` needs one column"}},
      {"a transform of two columns",
       "key:",
       "partition: [\"hour(clicked_at, page)\"]\nkey:",
       {at + "9:13: `hour(clicked_at, page)` needs one column"}},
      {"a column that is not declared",
       "key:",
       "partition: [hour(clicked_at), pge]\nkey:",
       {at +
        "9:31: `partition` names the column `pge`, which `columns` does not declare: did you mean "
        "`page`?"}},
      {"a transform that does not fit",
       "key:",
       "partition: [hour(clicked_at), day(page)]\nkey:",
       {at + "9:31: `page` of type string cannot be partitioned by `day`"}},
      {"without the event time",
       "key:",
       "partition: [page]\nkey:",
       {at +
        "9:12: `partition` needs the event time, such as hour(clicked_at): that is where rows of a "
        "unit are looked for"}},
      {"the same twice",
       "key:",
       "partition: [hour(clicked_at), hour(clicked_at)]\nkey:",
       {at + "9:31: `hour(clicked_at)` is given twice in `partition`"}},
  });
}

TEST(Source, SaysWhatIsWrongWithItsDeduplication) {
  const std::string at = "sources/clicks.yml:";
  CheckEach({
      {"something else to keep",
       "key:",
       "deduplicate: {keep: last}\nkey:",
       {at + "9:21: `keep` is first or max(COLUMN): found `last`"}},
      {"the maximum of nothing",
       "key:",
       "deduplicate: {keep: max()}\nkey:",
       {at + "9:21: `keep` is first or max(COLUMN): found `max()`"}},
      {"the maximum of a column that is not declared",
       "key:",
       "deduplicate: {keep: max(prize)}\nkey:",
       {at +
        "9:21: `keep` names the column `prize`, which `columns` does not declare: did you mean "
        "`price`?"}},
      {"asking a span of time",
       "key:",
       "deduplicate: {ask: 24h}\nkey:",
       {at + "9:20: `ask: 24h` is not supported yet: use partition, which asks the row's own "
             "partition"}},
      {"asking within a span of time",
       "key:",
       "deduplicate: {within: 24h}\nkey:",
       {at +
        "9:15: `within` is not supported yet: keys are looked for in the row's own partition"}},
      {"asking something else",
       "key:",
       "deduplicate: {ask: partitions}\nkey:",
       {at + "9:20: `ask` can not be `partitions`: did you mean `partition`?"}},
  });
}

TEST(Source, SaysWhatIsWrongWithItsChecks) {
  const std::string at = "sources/clicks.yml:";
  CheckEach({
      {"no list",
       "key:",
       "checks: {unique: [page]}\nkey:",
       {at + "9:9: `checks` is a list: each check begins with `- `"}},
      {"a check that is no mapping",
       "key:",
       "checks: [unique]\nkey:",
       {at + "9:10: a check is a mapping of settings, `name: value` each on its line"}},
      {"a kind that is none",
       "key:",
       "checks:\n  - not_nul: [page]\nkey:",
       {at + "10:5: unknown setting `not_nul`: did you mean `not_null`?"}},
      {"no kind",
       "key:",
       "checks:\n  - severity: warn\nkey:",
       {at + "10:5: a check names what it checks: not_null, unique, accepted_values, row_count, "
             "expression or reconcile"}},
      {"two kinds",
       "key:",
       "checks:\n  - not_null: [page]\n    unique: [page]\nkey:",
       {at +
        "11:5: one check is one kind: this one is a `not_null` already, begin another item with "
        "`- unique:`"}},
      {"a column that is not there",
       "key:",
       "checks:\n  - unique: [pgae]\nkey:",
       {at +
        "10:14: the check `unique` names the column `pgae`, which this table does not have: did "
        "you mean `page`?"}},
      {"values without a column",
       "key:",
       "checks:\n  - accepted_values: {values: [a]}\nkey:",
       {at + "10:22: `accepted_values` needs the setting `column`"}},
      {"values of a column that is not there",
       "key:",
       "checks:\n  - accepted_values: {column: pag, values: [a]}\nkey:",
       {at + "10:31: the check `accepted_values` names the column `pag`, which this table does not "
             "have: did you mean `page`?"}},
      {"an empty value",
       "key:",
       "checks:\n  - accepted_values: {column: page, values: [a, ~]}\nkey:",
       {at + "10:49: the items of `values` are texts: found an empty one"}},
      {"no bound",
       "key:",
       "checks:\n  - row_count: {}\nkey:",
       {at + "10:16: `row_count` needs `min` or `max`"}},
      {"bounds that cross",
       "key:",
       "checks:\n  - row_count: {min: 2, max: 1}\nkey:",
       {at + "10:16: `row_count` has a `min` of 2 above its `max` of 1"}},
      {"a bound below zero",
       "key:",
       "checks:\n  - row_count: {min: -1}\nkey:",
       {at + "10:22: `min` is a whole number from 0 to 9223372036854775807: found `-1`"}},
      {"an expression over a column that is not there",
       "key:",
       "checks:\n  - expression: prce >= 0\nkey:",
       {at +
        "10:17: `prce >= 0` names the column `prce`, which this table does not have: did you mean "
        "`price`?"}},
      {"an expression that is two",
       "key:",
       "checks:\n  - expression: price, cost\nkey:",
       {at + "10:17: `price, cost` is not one expression over the columns of this table"}},
      {"an expression that reads another table",
       "key:",
       "checks:\n  - expression: page in (select page from web.views)\nkey:",
       {at +
        "10:17: `page in (select page from web.views)` is not one expression over the columns of "
        "this table"}},
      {"an expression that breaks out",
       "key:",
       "checks:\n  - expression: \"1) from web.views where (true\"\nkey:",
       {at + "10:17: `1) from web.views where (true` is not one expression over the columns of "
             "this table"}},
      {"an expression over several rows",
       "key:",
       "checks:\n  - expression: sum(price) > 0\nkey:",
       {at +
        "10:17: `sum(price) > 0` looks at several rows: `expression` is asked of each row alone, "
        "use `row_count` or `reconcile`"}},
      {"an expression that asks the clock",
       "key:",
       "checks:\n  - expression: clicked_at < now()\nkey:",
       {at +
        "10:17: `now` is refused: it gives another answer each time it is asked; `$window_start` "
        "and `$window_end` are the window's bounds"}},
      {"a comparison",
       "key:",
       "checks:\n  - reconcile: {with: web.views, theirs: count(*), ours: count(*)}\nkey:",
       {at +
        "10:5: `reconcile` compares a model with what it was made from: move it to a model that "
        "reads this table"}},
      {"the same check twice",
       "key:",
       "checks:\n  - unique: [page]\n  - unique: [page]\n    severity: warn\nkey:",
       {at +
        "11:5: two checks of this table have the id `unique:page`, first on line 10: give this one "
        "an `id` of its own"}},
      {"a severity that is none",
       "key:",
       "checks:\n  - unique: [page]\n    severity: blok\nkey:",
       {at + "11:15: `severity` can not be `blok`: did you mean `block`?"}},
  });
}

}  // namespace
}  // namespace strandline::project::internal
