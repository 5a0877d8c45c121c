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
using ::strandline::testing::Fails;
using ::strandline::testing::ScanTable;
using ::testing::HasSubstr;

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

// What `not_null: [id]` says of the rows of `task`, read through `io`.
Result<AuditReport> AuditNotNull(ScanTable& table, const table::ScanTask& task, io::FileIo& io) {
  const std::unique_ptr<engine::Engine> engine = SL_TRY(engine::MakeDuckDbEngine({}));
  const AuditedRows rows{.table = {.levels = {"shop"}, .table = "orders"},
                         .metadata = std::make_shared<table::TableMetadata>(table.metadata()),
                         .tasks = {task},
                         .window = std::nullopt};
  project::Check check;
  check.kind = project::CheckKind::kNotNull;
  check.columns = {"id"};
  return Audit(rows, {check}, {}, *engine, {}, {}, io, std::stop_token());
}

// Storage that says no.
class DenyingFileIo final : public io::FileIo {
 public:
  Result<std::unique_ptr<io::InputFile>> Open(const std::string& location) override {
    return No(location);
  }
  Result<std::unique_ptr<io::OutputFile>> Create(const std::string& location) override {
    return No(location);
  }
  Status Delete(const std::string& location) override { return No(location); }
  Result<io::FileInfo> Stat(const std::string& location) override { return No(location); }
  Status List(const std::string& location, io::Recursive, const io::FileVisitor&) override {
    return No(location);
  }
  Result<std::vector<std::string>> ListFolders(const std::string& location) override {
    return No(location);
  }

 private:
  static Error No(const std::string& location) {
    return MakeError(ErrorKind::kPermissionDenied, "may not be read: {}", location);
  }
};

TEST(Audit, CountsRowsThatMetricsProveNotNull) {
  ScanTable table(OneColumn());
  SL_ASSERT_OK_AND_ASSIGN(const table::ScanTask task, ThreeRowsWithout(table, {}));

  SL_ASSERT_OK_AND_ASSIGN(const AuditReport report, AuditNotNull(table, task, table.io()));

  EXPECT_EQ(report.results.front().outcome, CheckOutcome::kPassed);
  EXPECT_EQ(report.results.front().checked, 3);
}

TEST(Audit, CountsNoRowThatAPositionDeleteTookAway) {
  ScanTable table(OneColumn());
  SL_ASSERT_OK_AND_ASSIGN(const table::ScanTask task, ThreeRowsWithout(table, {0, 2}));

  SL_ASSERT_OK_AND_ASSIGN(const AuditReport report, AuditNotNull(table, task, table.io()));

  EXPECT_EQ(report.results.front().outcome, CheckOutcome::kPassed);
  EXPECT_EQ(report.results.front().checked, 1);
}

TEST(Audit, FailsWhereRowsMayNotBeRead) {
  ScanTable table(OneColumn());
  SL_ASSERT_OK_AND_ASSIGN(const table::ScanTask task, ThreeRowsWithout(table, {0}));
  DenyingFileIo denied;

  EXPECT_THAT(AuditNotNull(table, task, denied),
              Fails(ErrorKind::kPermissionDenied, HasSubstr("may not be read")));
}

}  // namespace
}  // namespace strandline::quality
