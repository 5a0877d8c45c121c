#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/base/time_text.h"
#include "strandline/project/internal/project_folder.h"
#include "strandline/project/project.h"
#include "tests/support/matchers.h"

namespace strandline::project {
namespace {

using internal::ProjectFolder;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using testing::Fails;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;

catalog::TableName Table(std::string_view name) { return catalog::ParseTableName(name).value(); }

std::vector<std::string> TablesOf(const std::vector<Model>& models) {
  std::vector<std::string> names;
  for (const Model& model : models) {
    names.push_back(catalog::ToString(model.table));
  }
  return names;
}

TEST(LoadProject, ReadsAProjectWithoutAFault) {
  const ProjectFolder folder;

  const LoadedProject loaded = folder.Load();

  EXPECT_THAT(folder.Problems(), IsEmpty());
  const Project& project = loaded.project;
  EXPECT_EQ(project.name, "web");
  EXPECT_EQ(project.directory, folder.path());
  ASSERT_EQ(project.catalogs.size(), 1U);
  const std::string parent = folder.path().substr(0, folder.path().rfind('/'));
  EXPECT_EQ(project.catalogs[0].database_path, parent + "/catalog.db");
  EXPECT_EQ(project.catalogs[0].warehouse, "file://" + folder.path() + "/lake");
  EXPECT_EQ(project.default_catalog, "web");
  EXPECT_EQ(project.engine.temp_directory, folder.path() + "/.strandline/tmp");
}

TEST(LoadProject, ReadsASourceWithItsDefaults) {
  const ProjectFolder folder;

  const LoadedProject loaded = folder.Load();

  const Source* source = FindSource(loaded.project, Table("web.clicks"));
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->name, "clicks");
  EXPECT_EQ(source->path, "file://" + folder.path() + "/landing/clicks/{unit:%Y-%m-%d-%H}/*.jsonl");
  EXPECT_EQ(source->format, LandingFormat::kJsonLines);
  EXPECT_EQ(source->unit, Unit::kHour);
  EXPECT_EQ(FormatTimestamp(source->start), "2026-11-30T05:00Z");
  EXPECT_EQ(source->complete_marker, "_SUCCESS");
  EXPECT_EQ(source->complete_grace, std::nullopt);
  EXPECT_EQ(source->arrives_within, hours(0));
  EXPECT_EQ(source->absent, AbsentPolicy::kWait);
  EXPECT_EQ(source->time, "clicked_at");
  EXPECT_THAT(source->key, ElementsAre("click_id"));
  EXPECT_EQ(source->keep_max_of, std::nullopt);
  EXPECT_EQ(source->lateness, hours(72));
  EXPECT_EQ(source->beyond_lateness, BeyondLateness::kQuarantine);
  EXPECT_EQ(source->quarantine_max_share, 1.0);
  EXPECT_EQ(source->max_line_bytes, 16 << 20);
  EXPECT_EQ(source->owner, "web-data");
  EXPECT_EQ(source->tier, 3);
  ASSERT_EQ(source->partition.size(), 1U);  // One partition per unit, unless it says otherwise.
  EXPECT_EQ(table::ToString(source->partition[0].transform), "hour");
  EXPECT_EQ(source->partition[0].column, "clicked_at");
  ASSERT_EQ(source->columns.size(), 6U);
  EXPECT_TRUE(source->columns[0].required);
  EXPECT_EQ(source->columns[2].type, table::PrimitiveType(table::TypeId::kString));
  EXPECT_EQ(source->columns[4].type, table::DecimalType(18, 4));
}

TEST(LoadProject, TakesTheEventTimeFromThePartition) {
  const ProjectFolder folder;

  const LoadedProject loaded = folder.Load();

  const Source* source = FindSource(loaded.project, Table("web.views"));
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->time, "viewed_at");
  EXPECT_EQ(source->complete_grace, minutes(20));
  ASSERT_EQ(source->partition.size(), 2U);
  EXPECT_EQ(table::ToString(source->partition[1].transform), "bucket[16]");
  EXPECT_EQ(source->partition[1].column, "view_id");
  EXPECT_EQ(source->columns[2].type, std::nullopt);
}

TEST(LoadProject, ReadsEverySettingOfASource) {
  const ProjectFolder folder;
  folder.Write("sources/clicks.yml", R"file(source: clicks
table: web.clicks
path: file:///landing/clicks/dt={unit:%Y%m%d}/*.jsonl.gz
format: jsonl
unit: day
start: 2026-11-30T00:00+00:00
complete: {grace: 20m}
arrives_within: 2h
absent: {empty_after: 6h}
on_change: merge
time: clicked_at
partition: [hour(clicked_at), page, "truncate(4, page)"]
key: [click_id, page]
deduplicate: {keep: max(updated_at), ask: partition}
lateness: 3d
beyond_lateness: accept
quarantine: {max_share: 2.5%}
max_line: 1MiB
owner: clicks
tier: 1
columns:
  click_id: {type: string, required: true}
  clicked_at: {type: timestamp, required: true}
  updated_at: {type: timestamptz}
  page: {type: string}
)file");

  const LoadedProject loaded = folder.Load();

  EXPECT_THAT(folder.Problems(), IsEmpty());
  const Source* source = FindSource(loaded.project, Table("web.clicks"));
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->path, "file:///landing/clicks/dt={unit:%Y%m%d}/*.jsonl.gz");
  EXPECT_EQ(source->unit, Unit::kDay);
  EXPECT_EQ(source->complete_grace, minutes(20));
  EXPECT_EQ(source->arrives_within, hours(2));
  EXPECT_EQ(source->absent, AbsentPolicy::kEmptyAfter);
  EXPECT_EQ(source->absent_after, hours(6));
  EXPECT_EQ(source->partition.size(), 3U);
  EXPECT_THAT(source->key, ElementsAre("click_id", "page"));
  EXPECT_EQ(source->keep_max_of, "updated_at");
  EXPECT_EQ(source->lateness, hours(72));
  EXPECT_EQ(source->beyond_lateness, BeyondLateness::kAccept);
  EXPECT_DOUBLE_EQ(source->quarantine_max_share, 0.025);
  EXPECT_EQ(source->max_line_bytes, 1 << 20);
  EXPECT_EQ(source->owner, "clicks");
  EXPECT_EQ(source->tier, 1);
}

TEST(LoadProject, ReadsEverySettingOfAModel) {
  const ProjectFolder folder;
  folder.Write("models/hourly.sql", R"file(
/* strandline
table: web.hourly
window: day
time: day
partition: [day(day), page]
inputs:
  web.clicks: {lookback: {read: 30d, watch: 6h}}
  web.views: {lookback: 24h, time: seen_at}
  other.pages: {as_of: restate}
columns: {cost: "decimal(20, 4)", clicks: {type: int}}
on_schema_change: fail
deterministic: false
revision: v2
owner: reports
tier: 1
*/

select $window_start as day, page, count(*) as clicks, sum(cost) as cost
from web.clicks join WEB.Views using (page) join other.pages using (page)
group by page
)file");

  const LoadedProject loaded = folder.Load();

  EXPECT_THAT(folder.Problems(), IsEmpty());
  const Model* model = FindModel(loaded.project, Table("web.hourly"));
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->name, "hourly");
  EXPECT_EQ(model->window, Unit::kDay);
  EXPECT_EQ(model->time, "day");
  EXPECT_EQ(model->partition.size(), 2U);
  EXPECT_EQ(model->columns.at("cost"), table::DecimalType(20, 4));
  EXPECT_EQ(model->columns.at("clicks"), table::PrimitiveType(table::TypeId::kInt));
  EXPECT_EQ(model->on_schema_change, OnSchemaChange::kFail);
  EXPECT_FALSE(model->deterministic);
  EXPECT_EQ(model->revision, "v2");
  EXPECT_EQ(model->owner, "reports");
  EXPECT_EQ(model->tier, 1);
  EXPECT_EQ(model->sql_first_line, 19);
  EXPECT_THAT(model->sql, ::testing::StartsWith("select $window_start"));
  // One input per table that the SELECT names, by name, as the project spells it.
  ASSERT_EQ(model->inputs.size(), 3U);
  EXPECT_EQ(catalog::ToString(model->inputs[0].table), "other.pages");
  EXPECT_EQ(model->inputs[0].as_of, AsOf::kRestate);
  EXPECT_EQ(catalog::ToString(model->inputs[1].table), "web.clicks");
  EXPECT_EQ(model->inputs[1].as_of, AsOf::kNone);
  EXPECT_EQ(model->inputs[1].read_lookback, hours(720));
  EXPECT_EQ(model->inputs[1].watch_lookback, hours(6));
  EXPECT_EQ(catalog::ToString(model->inputs[2].table), "web.views");
  EXPECT_EQ(model->inputs[2].read_lookback, hours(24));
  EXPECT_EQ(model->inputs[2].watch_lookback, hours(24));
  EXPECT_EQ(model->inputs[2].time, "seen_at");
}

TEST(LoadProject, ReadsEveryKindOfCheck) {
  const ProjectFolder folder;
  folder.Replace("models/hourly.sql", "  - not_null: [page]\n", R"file(  - not_null: [page, hour]
  - unique: [page]
    severity: block
    owner: alice
    id: one-row-a-page
  - accepted_values: {column: page, values: [home, 404, "true"]}
  - row_count: {min: 1, max: 10}
  - expression: clicks >= 0 -- never below
  - reconcile: {with: web.clicks, theirs: count(*), ours: sum(clicks), by: [page], tolerance: 0.01}
)file");

  const LoadedProject loaded = folder.Load();

  EXPECT_THAT(folder.Problems(), IsEmpty());
  const Model* model = FindModel(loaded.project, Table("web.hourly"));
  ASSERT_NE(model, nullptr);
  const std::vector<Check>& checks = model->checks;
  ASSERT_EQ(checks.size(), 6U);
  EXPECT_THAT(checks[0].columns, ElementsAre("page", "hour"));
  EXPECT_EQ(checks[0].id, "not_null:page,hour");
  EXPECT_EQ(checks[0].severity, Severity::kWarn);  // The project's default.
  EXPECT_EQ(checks[0].owner, "web-data");
  EXPECT_EQ(checks[1].kind, CheckKind::kUnique);
  EXPECT_EQ(checks[1].severity, Severity::kBlock);
  EXPECT_EQ(checks[1].owner, "alice");
  EXPECT_EQ(checks[1].id, "one-row-a-page");
  EXPECT_THAT(checks[2].values, ElementsAre("home", "404", "true"));
  EXPECT_EQ(checks[2].id, "accepted_values:page");
  EXPECT_EQ(checks[3].min, 1);
  EXPECT_EQ(checks[3].max, 10);
  EXPECT_EQ(checks[3].id, "row_count");
  EXPECT_EQ(checks[4].expression, "clicks >= 0 -- never below");
  EXPECT_EQ(checks[5].with, Table("web.clicks"));
  EXPECT_EQ(checks[5].theirs, "count(*)");
  EXPECT_EQ(checks[5].ours, "sum(clicks)");
  EXPECT_THAT(checks[5].by, ElementsAre("page"));
  EXPECT_DOUBLE_EQ(checks[5].tolerance, 0.01);
  EXPECT_EQ(checks[5].id, "reconcile:web.clicks");
  EXPECT_EQ(checks[5].at.line, 14);
  EXPECT_EQ(checks[5].at.column, 5);
}

TEST(LoadProject, PutsModelsAfterTheModelsTheyRead) {
  const ProjectFolder folder;
  folder.Write("models/a.sql",
               "/* strandline\ntable: web.a\nwindow: hour\n*/\nselect hour from web.z\n");
  folder.Write("models/z.sql",
               "/* strandline\ntable: web.z\nwindow: hour\n*/\nselect hour from web.hourly\n");

  const LoadedProject loaded = folder.Load();

  EXPECT_FALSE(HasErrors(loaded));
  EXPECT_THAT(TablesOf(loaded.project.models), ElementsAre("web.hourly", "web.z", "web.a"));
}

TEST(LoadProject, ReadsAQuarantineAsItIsAtTheTime) {
  const ProjectFolder folder;
  folder.Write("models/refused.sql",
               "/* strandline\ntable: web.refused\nwindow: hour\n*/\n"
               "select $window_start as hour, (select count(*) from web.clicks__quarantine) as n "
               "from web.clicks group by all\n");

  const LoadedProject loaded = folder.Load();

  EXPECT_THAT(folder.Problems(), IsEmpty());
  const Model* model = FindModel(loaded.project, Table("web.refused"));
  ASSERT_NE(model, nullptr);
  ASSERT_EQ(model->inputs.size(), 2U);
  EXPECT_EQ(model->inputs[0].as_of, AsOf::kNone);
  EXPECT_EQ(model->inputs[1].as_of, AsOf::kLatest);
}

TEST(LoadProject, PutsTheEnvironmentIntoTheConfigWithoutShowingIt) {
  const ProjectFolder folder;
  folder.Replace("strandline.yml", "sqlite:///../catalog.db", "${SCHEME}:///${NAME}.db");
  const std::string uri_at = "strandline.yml:4:25: ";

  EXPECT_THAT(folder.Problems({{"SCHEME", "sqlite"}, {"NAME", "secret"}}), IsEmpty());
  EXPECT_EQ(
      folder.Load({{"SCHEME", "sqlite"}, {"NAME", "secret"}}).project.catalogs[0].database_path,
      folder.path() + "/secret.db");
  EXPECT_THAT(folder.Problems({{"SCHEME", "sqlite"}}),
              ElementsAre(uri_at + "the environment variable `NAME` is not set"));
  EXPECT_THAT(
      folder.Problems({{"SCHEME", "pass:word"}, {"NAME", "secret"}}),
      ElementsAre(uri_at + "`uri` names the catalog's database as sqlite:///PATH (relative to this "
                           "file) or sqlite:////PATH: found `${SCHEME}:///${NAME}.db`"));
}

TEST(LoadProject, KeepsAnAbsoluteDatabaseAndWarehouse) {
  const ProjectFolder folder;
  folder.Replace("strandline.yml", "sqlite:///../catalog.db", "sqlite:////var/lake/catalog.db");
  folder.Replace("strandline.yml", "warehouse: lake", "warehouse: \"file:///var/lake/w\"");

  const LoadedProject loaded = folder.Load();

  EXPECT_FALSE(HasErrors(loaded));
  EXPECT_EQ(loaded.project.catalogs[0].database_path, "/var/lake/catalog.db");
  EXPECT_EQ(loaded.project.catalogs[0].warehouse, "file:///var/lake/w");
}

TEST(LoadProject, FailsWhereThereIsNoProject) {
  const ProjectFolder folder;

  EXPECT_THAT(LoadProject(folder.path() + "/models", {}),
              Fails(ErrorKind::kNotFound, HasSubstr("has no strandline.yml")));
}

TEST(FindProjectDirectory, LooksUpwards) {
  const ProjectFolder folder;

  SL_ASSERT_OK_AND_ASSIGN(const std::string here, FindProjectDirectory(folder.path()));
  SL_ASSERT_OK_AND_ASSIGN(const std::string below,
                          FindProjectDirectory(folder.path() + "/models/"));

  EXPECT_EQ(here, folder.path());
  EXPECT_EQ(below, folder.path());
  EXPECT_THAT(FindProjectDirectory("/proc"),
              Fails(ErrorKind::kNotFound, HasSubstr("neither /proc nor a folder above it")));
}

TEST(LoadProject, LetsASyntaxErrorCostItsOwnFileOnly) {
  const ProjectFolder folder;
  folder.Write("models/daily.sql",
               "/* strandline\ntable: web.daily\nwindow: day\n*/\nselect hour from web.hourly\n");
  folder.Replace("sources/clicks.yml", "key: [click_id]", "key: [click_id");
  folder.Replace("models/hourly.sql", "group by page", "group page by");

  EXPECT_THAT(folder.Problems(),
              ElementsAre(HasSubstr("models/hourly.sql:10:"),
                          HasSubstr("sources/clicks.yml:10:8: not valid YAML: ")));
}

TEST(LoadProject, DoesNotMissTablesOfAFileThatCannotBeRead) {
  const ProjectFolder folder;
  folder.Write("sources/clicks.yml", "\xff\xfe");

  EXPECT_THAT(folder.Problems(),
              ElementsAre("sources/clicks.yml:1:1: not UTF-8 text from here on: save the file as "
                          "UTF-8"));
}

TEST(LoadProject, ReportsFilesThatNobodyWouldRead) {
  const ProjectFolder folder;
  folder.Write("models/old.sql.bak", "");
  folder.Write("models/README.md", "");
  folder.Write("models/.hidden", "");
  folder.Write("sources/extra.json", "");
  folder.Write("contracts/clicks.odcs.yaml", "");
  folder.Write("slos/fresh.yaml", "");
  folder.Write("tests/hourly.yaml", "");
  folder.Write("tests/test_it.py", "");
  folder.Write("maintenance.yml", "");

  EXPECT_THAT(
      folder.Problems(),
      ElementsAre(
          "contracts/clicks.odcs.yaml:1:1: data contracts are not supported yet: nothing "
          "would check this file, take it out",
          "maintenance.yml:1:1: maintenance policies are not supported yet: nothing would "
          "follow this file, take it out",
          "models/old.sql.bak:1:1: warning: not read: models/ holds files whose names end in "
          ".sql",
          "slos/fresh.yaml:1:1: service level objectives are not supported yet: nothing "
          "would check this file, take it out",
          "sources/extra.json:1:1: warning: not read: sources/ holds files whose names end "
          "in .yml",
          "tests/hourly.yaml:1:1: unit tests of models are not supported yet: nothing would "
          "check this file, take it out"));
}

// The fixture's faults and the lines they give are one file beside it.
TEST(LoadProject, GivesEveryFaultOfABrokenProjectInFileOrder) {
  const std::string folder = std::string(SL_SOURCE_DIR) + "/tests/fixtures/projects/broken";

  SL_ASSERT_OK_AND_ASSIGN(const LoadedProject loaded, LoadProject(folder, {}));

  std::string lines;
  for (const Problem& problem : loaded.problems) {
    lines += ToString(problem) + "\n";
  }
  std::ifstream expected(folder + "/expected.txt");
  ASSERT_TRUE(expected.good());
  EXPECT_EQ(lines, std::string(std::istreambuf_iterator<char>(expected), {}));
  EXPECT_EQ(loaded.problems.size(), 12U);
}

TEST(LoadProject, AcceptsTheExample) {
  const std::string folder = std::string(SL_SOURCE_DIR) + "/examples/ads";

  SL_ASSERT_OK_AND_ASSIGN(const LoadedProject loaded, LoadProject(folder, {}));

  for (const Problem& problem : loaded.problems) {
    ADD_FAILURE() << ToString(problem);
  }
  EXPECT_EQ(loaded.project.sources.size(), 2U);
  EXPECT_EQ(loaded.project.models.size(), 12U);
}

TEST(ParseByteSize, ReadsSizesWithUnits) {
  struct Case {
    std::string text;
    std::int64_t bytes;
  };
  const Case cases[] = {{"1", 1},
                        {"4096", 4096},
                        {"10B", 10},
                        {"3kB", 3000},
                        {"300MB", 300'000'000},
                        {"256MiB", std::int64_t{256} << 20},
                        {"2GiB", std::int64_t{2} << 30},
                        {"1TiB", std::int64_t{1} << 40}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);

    SL_ASSERT_OK_AND_ASSIGN(const std::int64_t bytes, ParseByteSize(c.text));

    EXPECT_EQ(bytes, c.bytes);
  }
  for (const std::string_view text :
       {"", "GiB", "0", "0MiB", "-1", "-1GiB", "1.5GiB", "2 GiB", "2gib", "1e9", "1000001GiB",
        "9223372036854775807", "99999999999999999999"}) {
    SCOPED_TRACE(text);

    EXPECT_THAT(ParseByteSize(text), Fails(ErrorKind::kInvalidArgument, HasSubstr("not a size")));
  }
}

TEST(WindowStart, IsTheStartOfTheHourOrDayThatHoldsATime) {
  const Timestamp time = ParseTimestamp("2026-11-30T05:59:59.999999Z").value();
  const Timestamp before_1970 = ParseTimestamp("1969-12-31T23:30:00Z").value();

  EXPECT_EQ(FormatTimestamp(WindowStart(Unit::kHour, time)), "2026-11-30T05:00Z");
  EXPECT_EQ(FormatTimestamp(WindowStart(Unit::kDay, time)), "2026-11-30T00:00Z");
  EXPECT_EQ(FormatTimestamp(WindowStart(Unit::kHour, before_1970)), "1969-12-31T23:00Z");
}

}  // namespace
}  // namespace strandline::project
