#include "strandline/quality/audit.h"

#include <arrow/api.h>

#include "strandline/engine/duckdb/duckdb_engine.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/deletes/position_deletes.h"
#include "strandline/table/write/data_file_writer.h"
#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"
#include "tests/support/scan_table.h"

namespace strandline::quality {
namespace {

using ::strandline::testing::ArrayOf;
using ::strandline::testing::ScanTable;

constexpr std::string_view kDataFile = "mem://lake/t/data/1.parquet";

table::Schema OneColumn() {
  table::Schema schema;
  schema.fields = {
      {.id = table::FieldId(1), .name = "id", .type = PrimitiveType(table::TypeId::kLong)}};
  return schema;
}

// One file with the rows 1, 2 and 3 of which `deleted` (positions) are gone.
Result<table::ScanTask> ThreeRowsWithout(ScanTable& table, std::vector<std::int64_t> deleted) {
  const table::PartitionSpec& spec = table.metadata().partition_specs.front();
  const std::unique_ptr<table::DataFileWriter> writer = SL_TRY(MakeDataFileWriter(
      table.io(), table.metadata(), table.schema(), spec, {}, std::string(kDataFile)));
  SL_TRY(writer->Write(*arrow::RecordBatch::Make(table::ArrowSchema(table.schema()), 3,
                                                 {ArrayOf(arrow::int64(), "[1, 2, 3]")})));
  table::ScanTask task;
  task.file = SL_TRY(writer->Close());
  if (!deleted.empty()) {
    task.deletes.push_back(
        SL_TRY(WritePositionDeletes(table.io(), table.metadata(), spec, {},
                                    {{std::string(kDataFile), std::move(deleted)}}, "d")));
  }
  return task;
}

// How many rows `not_null: [id]` looked at.
Result<std::int64_t> RowsChecked(ScanTable& table, const table::ScanTask& task) {
  const std::unique_ptr<engine::Engine> engine = SL_TRY(engine::MakeDuckDbEngine({}));
  const AuditedRows rows{.table = {.levels = {"shop"}, .table = "orders"},
                         .metadata = std::make_shared<table::TableMetadata>(table.metadata()),
                         .tasks = {task},
                         .window = std::nullopt};
  project::Check check;
  check.kind = project::CheckKind::kNotNull;
  check.columns = {"id"};
  const AuditReport report =
      SL_TRY(Audit(rows, {check}, {}, *engine, {}, {}, table.io(), std::stop_token()));
  SL_CHECK(report.results.front().outcome == CheckOutcome::kPassed);
  return std::int64_t{report.results.front().checked};
}

TEST(Audit, CountsRowsThatMetricsProveNotNull) {
  ScanTable table(OneColumn());
  SL_ASSERT_OK_AND_ASSIGN(const table::ScanTask task, ThreeRowsWithout(table, {}));

  SL_ASSERT_OK_AND_ASSIGN(const std::int64_t checked, RowsChecked(table, task));

  EXPECT_EQ(checked, 3);
}

TEST(Audit, CountsNoRowThatAPositionDeleteTookAway) {
  ScanTable table(OneColumn());
  SL_ASSERT_OK_AND_ASSIGN(const table::ScanTask task, ThreeRowsWithout(table, {0, 2}));

  SL_ASSERT_OK_AND_ASSIGN(const std::int64_t checked, RowsChecked(table, task));

  EXPECT_EQ(checked, 1);
}

}  // namespace
}  // namespace strandline::quality
