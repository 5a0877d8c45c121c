// Does one thing to a table through the table layer alone, for tests that let other programs read
// what it wrote. One JSON object on standard input says what, one on standard output is the answer:
//
//   {"database": "/x/catalog.db", "catalog": "ads", "warehouse": "file:///x/lake",
//    "command": "create", "table": "ads.orders", "columns": "id long, country string",
//    "partitioned_by": "bucket[4](id)", "properties": {}}
//   {..., "command": "append", "table": "ads.orders", "rows": [{"id": 1, "country": "DE"}]}
//   {..., "command": "remove_files", "table": "ads.orders", "paths": ["file:///..."]}
//   {..., "command": "delete_rows", "table": "ads.orders", "positions": {"file:///...": [0, 4]}}
//   {..., "command": "scan", "table": "ads.orders"}   -> {"rows": ["1 DE"], "files": [...]}
//   {..., "command": "fsck", "table": "ads.orders"}   -> {"findings": ["missing file: ..."]}
//   {..., "command": "list"}                          -> {"namespaces": [...], "tables": [...]}
//
// `now_ms`, beside the command, replaces the clock.
//
// Exit code 1 with {"error": kind, "message": ...} when it fails.

#include <chrono>
#include <iostream>
#include <iterator>
#include <string>

#include <nlohmann/json.hpp>

#include "strandline/base/uuid.h"
#include "strandline/catalog/sql/sql_catalog.h"
#include "strandline/io/local_file_io.h"
#include "strandline/table/deletes/position_deletes.h"
#include "tests/support/table_world.h"

namespace strandline::testing {
namespace {

using Json = nlohmann::json;

struct Tool {
  const Json& request;
  const Clock& clock;
  SystemRng& rng;
  io::FileIo& io;
  catalog::Catalog& catalog;

  Result<catalog::TableName> Name() const {
    return catalog::ParseTableName(request.at("table").get<std::string>());
  }

  Result<catalog::LoadedTable> Load() const {
    const catalog::TableName name = SL_TRY(Name());
    return catalog.LoadTable(name);
  }

  Result<Json> Create() const {
    const catalog::TableName name = SL_TRY(Name());
    const TableOptions options{
        .columns = request.at("columns").get<std::string>(),
        .partitioned_by = request.value("partitioned_by", ""),
        .properties = request.value("properties", std::map<std::string, std::string>())};
    const catalog::TableCommit commit{name,
                                      CreationOf(options, catalog.DefaultLocation(name), rng)};
    SL_TRY(catalog.CommitTables({&commit, 1}));
    return Json::object();
  }

  // Sends what `change` makes of the table as it is, again after a conflict.
  Result<Json> Change(
      const std::function<Result<table::SnapshotChange>(const table::TableMetadata& base)>&
          make_change) const {
    const catalog::TableName name = SL_TRY(Name());
    const catalog::ProposeCommits propose =
        [&](const catalog::Bases& bases) -> Result<std::vector<catalog::TableCommit>> {
      if (!bases[0]) {
        return MakeError(ErrorKind::kNotFound, "no such table: {}", ToString(name));
      }
      const table::TableMetadata& base = *bases[0]->metadata;
      const table::SnapshotChange change = SL_TRY(make_change(base));
      table::PreparedSnapshot prepared =
          SL_TRY(table::PrepareSnapshot(base, change, io, clock, rng));
      return std::vector<catalog::TableCommit>{{name, std::move(prepared.request)}};
    };
    SL_TRY(catalog::Commit(catalog, {name}, propose, RetryPolicy{.attempts_max = 20}, rng));
    return Json::object();
  }

  Result<Json> Append() const {
    return Change([&](const table::TableMetadata& base) -> Result<table::SnapshotChange> {
      const auto rows = RowsOf(CurrentSchema(base), request.at("rows").dump());
      table::SnapshotChange change;
      change.added = SL_TRY(WriteRows(io, base, *rows, rng));
      return change;
    });
  }

  Result<Json> RemoveFiles() const {
    return Change([&](const table::TableMetadata&) -> Result<table::SnapshotChange> {
      return table::SnapshotChange{.removed = request.at("paths").get<std::vector<std::string>>()};
    });
  }

  // One delete file for each data file: the tool need not know which share a partition.
  Result<Json> DeleteRows() const {
    const auto positions = request.at("positions").get<table::DeletedPositions>();
    return Change([&](const table::TableMetadata& base) -> Result<table::SnapshotChange> {
      const table::ScanPlan plan = SL_TRY(table::PlanScan(base, {}, io));
      table::SnapshotChange change;
      for (const table::ScanTask& task : plan.tasks) {
        const auto found = positions.find(task.file.file_path);
        if (found == positions.end()) {
          continue;
        }
        table::DataFile file = SL_TRY(table::WritePositionDeletes(
            io, base, *FindSpec(base, task.spec_id), task.file.partition,
            {{found->first, found->second}}, NewUuidV4(rng)));
        change.added.push_back({task.spec_id, std::move(file)});
      }
      return change;
    });
  }

  Result<Json> Scan() const {
    const catalog::LoadedTable table = SL_TRY(Load());
    const std::vector<std::string> rows = SL_TRY(ReadRows(io, *table.metadata));
    const table::ScanPlan plan = SL_TRY(table::PlanScan(*table.metadata, {}, io));
    Json files = Json::array();
    for (const table::ScanTask& task : plan.tasks) {
      files.push_back(task.file.file_path);
    }
    const table::Snapshot* current = CurrentSnapshot(*table.metadata);
    const std::map<std::string, std::string> none;
    return Json{{"rows", rows},
                {"files", files},
                {"summary", current != nullptr ? current->summary : none}};
  }

  Result<Json> Fsck() const {
    const catalog::LoadedTable table = SL_TRY(Load());
    const maintenance::FsckReport report = SL_TRY(maintenance::Fsck(io, table, {}));
    Json findings = Json::array();
    for (const maintenance::FsckFinding& finding : report.findings) {
      findings.push_back(
          fmt::format("{}: {}: {}", ToString(finding.kind), finding.file, finding.message));
    }
    return Json{{"findings", findings}, {"rows_read", report.rows_read}};
  }

  Result<Json> List() const {
    const std::vector<std::vector<std::string>> namespaces = SL_TRY(catalog.ListNamespaces());
    Json tables = Json::array();
    for (const std::vector<std::string>& levels : namespaces) {
      const std::vector<catalog::TableName> names = SL_TRY(catalog.ListTables(levels));
      for (const catalog::TableName& name : names) {
        tables.push_back(ToString(name));
      }
    }
    return Json{{"namespaces", namespaces}, {"tables", tables}};
  }

  Result<Json> Run() const {
    const auto command = request.at("command").get<std::string>();
    if (command == "create") {
      return Create();
    }
    if (command == "append") {
      return Append();
    }
    if (command == "remove_files") {
      return RemoveFiles();
    }
    if (command == "delete_rows") {
      return DeleteRows();
    }
    if (command == "scan") {
      return Scan();
    }
    if (command == "fsck") {
      return Fsck();
    }
    if (command == "list") {
      return List();
    }
    return MakeError(ErrorKind::kInvalidArgument, "unknown command: {}", command);
  }
};

Result<Json> Run(const Json& request) {
  FixedClock clock(SystemClock().Now());
  if (request.contains("now_ms")) {
    clock.Set(Timestamp(std::chrono::milliseconds(request.at("now_ms").get<std::int64_t>())));
  }
  SystemRng rng;
  const std::unique_ptr<io::FileIo> io = io::MakeLocalFileIo();
  const std::unique_ptr<catalog::Catalog> catalog =
      SL_TRY(catalog::OpenSqlCatalog({.database_path = request.at("database").get<std::string>(),
                                      .catalog_name = request.at("catalog").get<std::string>(),
                                      .warehouse = request.at("warehouse").get<std::string>()},
                                     *io, clock, rng));
  return Tool{request, clock, rng, *io, *catalog}.Run();
}

}  // namespace
}  // namespace strandline::testing

int main() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const strandline::Result<nlohmann::json> answer =
      strandline::testing::Run(nlohmann::json::parse(text));
  if (!answer) {
    std::cout << nlohmann::json{{"error", ToString(answer.error().kind)},
                                {"message", answer.error().message}};
    return 1;
  }
  std::cout << *answer;
  return 0;
}
