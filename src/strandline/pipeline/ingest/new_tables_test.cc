#include <map>
#include <string>
#include <vector>

#include <arrow/api.h>

#include "strandline/pipeline/ingest/ingest.h"
#include "tests/support/ingest_world.h"
#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"

namespace strandline::pipeline {
namespace {

using ::strandline::testing::ArrayOf;
using ::strandline::testing::BatchOf;
using ::strandline::testing::Fails;
using ::strandline::testing::IngestWorld;
using ::strandline::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> ColumnsOf(const table::NewTable& table) {
  std::vector<std::string> columns;
  for (const table::NestedField& field : table.schema.fields) {
    columns.push_back(field.name + " " + ToString(field.type) +
                      (field.required ? " required" : ""));
  }
  return columns;
}

class NewTables : public ::testing::Test {
 protected:
  Result<table::NewTable> Make(const std::string& sample = "") {
    return NewSourceTable(world_.source(), world_.io(), sample, "mem:///lake/events", "uuid");
  }

  // Lands a Parquet file with `rows` different numbers, countries that repeat, and keys.
  std::string LandSample(std::int64_t rows) {
    arrow::StringBuilder ids;
    arrow::TimestampBuilder times(arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"),
                                  arrow::default_memory_pool());
    arrow::DoubleBuilder prices;
    arrow::StringBuilder countries;
    for (std::int64_t i = 0; i < rows; ++i) {
      EXPECT_TRUE(ids.Append("event " + std::to_string(i)).ok());
      EXPECT_TRUE(times.Append(i).ok());
      EXPECT_TRUE(prices.Append(static_cast<double>(i % 500)).ok());
      EXPECT_TRUE(countries.Append(i % 3 == 0 ? "NL" : "BE").ok());
    }
    const std::string location = "mem:///landing/sample.parquet";
    EXPECT_THAT(testing::WriteParquet(world_.io(), location,
                                      {BatchOf({{"country", countries.Finish().ValueOrDie()},
                                                {"id", ids.Finish().ValueOrDie()},
                                                {"ts", times.Finish().ValueOrDie()},
                                                {"price", prices.Finish().ValueOrDie()}})}),
                IsOk());
    return location;
  }

  IngestWorld world_;
};

TEST_F(NewTables, DeclaredColumnsComeFirstThenLandedOnesThenBookkeeping) {
  world_.source().format = project::LandingFormat::kParquet;
  world_.source().columns.clear();
  world_.AddColumn("price", "decimal(18, 4)");
  world_.AddColumn("id", "string");
  world_.source().columns.back().required = true;

  SL_ASSERT_OK_AND_ASSIGN(const table::NewTable table, Make(LandSample(1000)));

  EXPECT_THAT(ColumnsOf(table), ElementsAre("price decimal(18, 4)", "id string required",
                                            "country string", "ts timestamptz", "_strand_unit long",
                                            "_strand_stamp long", "_strand_seq long"));
  std::int32_t id = 1;
  for (const table::NestedField& field : table.schema.fields) {
    EXPECT_EQ(field.id.value(), id++);
  }
  ASSERT_EQ(table.spec.fields.size(), 1U);
  EXPECT_EQ(table.spec.fields[0].name, "ts_hour");
  EXPECT_EQ(table.spec.fields[0].source_id.value(), 4);
  EXPECT_EQ(table.spec.fields[0].field_id.value(), 1000);
}

TEST_F(NewTables, KeysGetFiltersAndWhatHardlyRepeatsGetsNoDictionary) {
  world_.source().format = project::LandingFormat::kParquet;
  world_.source().columns.clear();

  SL_ASSERT_OK_AND_ASSIGN(const table::NewTable table, Make(LandSample(10'000)));

  std::map<std::string, std::string> parquet;
  for (const auto& [key, value] : table.properties) {
    if (key.starts_with("write.parquet.")) {
      parquet[key] = value;
    }
  }
  EXPECT_EQ(parquet, (std::map<std::string, std::string>{
                         {"write.parquet.bloom-filter-enabled.column.id", "true"},
                         {"write.parquet.dictionary-enabled.column.id", "false"},
                         {"write.parquet.dictionary-enabled.column.ts", "false"}}));
  EXPECT_EQ(table.properties.at("write.metadata.metrics.column._strand_seq"), "full");
}

TEST_F(NewTables, ABooleanKeyGetsNoFilterSinceParquetHasNone) {
  world_.AddColumn("flag", "boolean");
  world_.source().key = {"flag", "id"};

  SL_ASSERT_OK_AND_ASSIGN(const table::NewTable table, Make());

  EXPECT_FALSE(table.properties.contains("write.parquet.bloom-filter-enabled.column.flag"));
  EXPECT_TRUE(table.properties.contains("write.parquet.bloom-filter-enabled.column.id"));
}

TEST_F(NewTables, PartitionFieldsAreNamedAsOtherEnginesNameThem) {
  world_.source().partition.clear();
  world_.PartitionBy(table::TransformKind::kDay, "ts");
  world_.PartitionBy(table::TransformKind::kBucket, "id", 16);
  world_.PartitionBy(table::TransformKind::kTruncate, "v", 10);
  world_.PartitionBy(table::TransformKind::kIdentity, "v");

  SL_ASSERT_OK_AND_ASSIGN(const table::NewTable table, Make());

  std::vector<std::string> names;
  for (const table::PartitionField& field : table.spec.fields) {
    names.push_back(field.name);
  }
  EXPECT_THAT(names, ElementsAre("ts_day", "id_bucket", "v_trunc", "v"));
}

TEST_F(NewTables, RefusesWhatItCannotMakeByName) {
  struct Case {
    const char* name;
    void (*change)(IngestWorld& world);
    const char* message;
  };
  const Case cases[] = {
      {"no type and no file to take it from",
       [](IngestWorld& world) { world.source().columns[2].type.reset(); }, "column v"},
      {"a key that is no column", [](IngestWorld& world) { world.source().key = {"key"}; },
       "column key"},
      {"a time that is no column", [](IngestWorld& world) { world.source().time = "at"; },
       "column at"},
      {"a partition column that is none",
       [](IngestWorld& world) { world.PartitionBy(table::TransformKind::kDay, "day"); }, "day"},
      {"a transform that does not fit",
       [](IngestWorld& world) { world.PartitionBy(table::TransformKind::kHour, "id"); },
       "partitioning source events by id"},
      {"a bookkeeping name", [](IngestWorld& world) { world.AddColumn("_strand_unit", "long"); },
       "_strand_unit"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    IngestWorld world;
    c.change(world);

    EXPECT_THAT(NewSourceTable(world.source(), world.io(), "", "mem:///lake/events", "uuid"),
                Fails(ErrorKind::kInvalidArgument, HasSubstr(c.message)));
  }
}

TEST_F(NewTables, TheQuarantineHasOneLayoutForAllSources) {
  SL_ASSERT_OK_AND_ASSIGN(const table::NewTable table,
                          NewQuarantineTable(world_.source(), "mem:///lake/q", "uuid"));

  EXPECT_THAT(
      ColumnsOf(table),
      ElementsAre("source string", "file string", "position long", "reason string", "column string",
                  "raw string", "_strand_unit long", "_strand_stamp long", "_strand_seq long"));
  EXPECT_THAT(table.spec.fields, IsEmpty());
}

}  // namespace
}  // namespace strandline::pipeline
