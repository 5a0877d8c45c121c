#include "strandline/pipeline/state/fingerprints.h"

#include <gtest/gtest.h>

#include "strandline/base/hash.h"

namespace strandline::pipeline {
namespace {

std::vector<InputDigest> TwoInputs() {
  return {{.table = "ads.impressions",
           .partitions = {{"event_time_hour=2026-11-30-05", "7"},
                          {"event_time_hour=2026-11-30-06", "9"}}},
          {.table = "ads.conversions", .partitions = {{"event_time_hour=2026-11-30-06", "3"}}}};
}

std::vector<LandedFile> TwoFiles() {
  return {
      {.location = "file:///l/a", .name = "part-00000.parquet", .size_bytes = 10, .version = "1"},
      {.location = "file:///l/b", .name = "part-00001.parquet", .size_bytes = 20, .version = "2"}};
}

const Timestamp kUnit{std::chrono::hours(500'000)};

// Frozen: these numbers are in the rows of every table ever written (rule 2). If this test fails,
// the code is wrong.
TEST(Fingerprints, AreFrozen) {
  EXPECT_EQ(FingerprintText(StampOfWindow(TwoInputs())), "2b72f166711fdd49");
  EXPECT_EQ(FingerprintText(StampOfLandingUnit("impressions", "", kUnit, TwoFiles())),
            "826c908f73eb113c");
  EXPECT_EQ(DigestOfFiles({"b", "a"}), "f60759a5e1ff0d49");
}

TEST(StampOfWindow, DoesNotDependOnOrder) {
  std::vector<InputDigest> reversed = TwoInputs();
  std::reverse(reversed.begin(), reversed.end());
  std::reverse(reversed.back().partitions.begin(), reversed.back().partitions.end());

  EXPECT_EQ(StampOfWindow(reversed), StampOfWindow(TwoInputs()));
}

TEST(StampOfWindow, ChangesWithEverythingThatIsRead) {
  const std::int64_t before = StampOfWindow(TwoInputs());

  std::vector<InputDigest> version = TwoInputs();
  version[0].partitions[1].digest = "10";
  EXPECT_NE(StampOfWindow(version), before);

  std::vector<InputDigest> emptied = TwoInputs();
  emptied[1].partitions.clear();
  EXPECT_NE(StampOfWindow(emptied), before);

  std::vector<InputDigest> renamed = TwoInputs();
  renamed[1].table = "ads.clicks";
  EXPECT_NE(StampOfWindow(renamed), before);
}

TEST(StampOfWindow, TellsApartWhichInputAPartitionBelongsTo) {
  const std::vector<InputDigest> one = {{"a", {{"p", "1"}}}, {"b", {}}};
  const std::vector<InputDigest> other = {{"a", {}}, {"b", {{"p", "1"}}}};

  EXPECT_NE(StampOfWindow(one), StampOfWindow(other));
}

TEST(StampOfLandingUnit, ChangesWithFilesTheirSizesAndVersions) {
  const std::int64_t before = StampOfLandingUnit("impressions", "", kUnit, TwoFiles());

  std::vector<LandedFile> files = TwoFiles();
  std::reverse(files.begin(), files.end());
  EXPECT_EQ(StampOfLandingUnit("impressions", "", kUnit, files), before) << "order does not matter";

  files = TwoFiles();
  files[0].location = "file:///moved/a";
  EXPECT_EQ(StampOfLandingUnit("impressions", "", kUnit, files), before) << "names are relative";

  files = TwoFiles();
  files[0].size_bytes = 11;
  EXPECT_NE(StampOfLandingUnit("impressions", "", kUnit, files), before);

  files = TwoFiles();
  files[1].version = "3";
  EXPECT_NE(StampOfLandingUnit("impressions", "", kUnit, files), before);

  files.pop_back();
  EXPECT_NE(StampOfLandingUnit("impressions", "", kUnit, files), before);
  EXPECT_NE(StampOfLandingUnit("conversions", "", kUnit, TwoFiles()), before);
  EXPECT_NE(StampOfLandingUnit("impressions", "", kUnit + std::chrono::hours(1), TwoFiles()),
            before);
}

table::Schema InputSchema() {
  table::Schema schema;
  schema.fields = {
      {.id = table::FieldId(1),
       .name = "campaign_id",
       .type = table::PrimitiveType(table::TypeId::kLong)},
      {.id = table::FieldId(2), .name = "cost", .type = table::PrimitiveType(table::TypeId::kLong)},
      {.id = table::FieldId(3),
       .name = "note",
       .type = table::PrimitiveType(table::TypeId::kString)}};
  return schema;
}

project::Model ModelOf(const std::string& sql) {
  project::Model model;
  model.name = "m";
  model.sql = sql;
  const Result<engine::SqlAnalysis> analysis = engine::AnalyzeSql(sql);
  SL_CHECK(analysis.has_value());
  model.analysis = *analysis;
  return model;
}

std::int64_t LogicOf(const project::Model& model, const table::Schema& schema) {
  return LogicOfModel(model, "duckdb", {{catalog::TableName{{"ads"}, "t"}, schema}});
}

TEST(LogicOfModel, IgnoresCommentsSpacingAndCaseOfKeywords) {
  const std::int64_t plain = LogicOf(
      ModelOf("select campaign_id, sum(cost) as c from ads.t group by campaign_id"), InputSchema());
  const std::int64_t dressed = LogicOf(ModelOf("-- cost by campaign\nSELECT campaign_id,\n  "
                                               "sum(cost) AS c\nFROM ads.t GROUP BY campaign_id"),
                                       InputSchema());

  EXPECT_EQ(plain, dressed);
}

TEST(LogicOfModel, ChangesWithTheSqlItsSettingsAndTheColumnsItReads) {
  const std::string sql = "select campaign_id, sum(cost) as c from ads.t group by campaign_id";
  const project::Model model = ModelOf(sql);
  const std::int64_t before = LogicOf(model, InputSchema());

  EXPECT_NE(LogicOf(ModelOf("select campaign_id, max(cost) as c from ads.t group by campaign_id"),
                    InputSchema()),
            before);

  project::Model revised = model;
  revised.revision = "2";
  EXPECT_NE(LogicOf(revised, InputSchema()), before);

  table::Schema retyped = InputSchema();
  retyped.fields[1].type = table::PrimitiveType(table::TypeId::kDouble);
  EXPECT_NE(LogicOf(model, retyped), before);

  table::Schema readded = InputSchema();
  readded.fields[1].id = table::FieldId(9);
  EXPECT_NE(LogicOf(model, readded), before) << "a column of another id is another column";

  table::Schema unread = InputSchema();
  unread.fields[2].type = table::PrimitiveType(table::TypeId::kBinary);
  EXPECT_EQ(LogicOf(model, unread), before) << "columns that are not read do not matter";
}

}  // namespace
}  // namespace strandline::pipeline
