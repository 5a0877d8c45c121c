#include "strandline/maintenance/fsck/fsck.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/base/log.h"
#include "strandline/cli/commands/commands.h"
#include "strandline/cli/output/text.h"
#include "strandline/cli/output/unit_json.h"

namespace strandline::cli {
namespace {

Result<std::vector<catalog::TableName>> TablesToCheck(catalog::Catalog& catalog,
                                                      const std::vector<std::string>& names) {
  std::vector<catalog::TableName> tables;
  for (const std::string& name : names) {
    tables.push_back(SL_TRY(catalog::ParseTableName(name)));
  }
  if (names.empty()) {
    for (const std::vector<std::string>& levels : SL_TRY(catalog.ListNamespaces())) {
      for (catalog::TableName& table : SL_TRY(catalog.ListTables(levels))) {
        tables.push_back(std::move(table));
      }
    }
  }
  return tables;
}

nlohmann::json ReportJson(const catalog::TableName& table, const maintenance::FsckReport& report) {
  nlohmann::json findings = nlohmann::json::array();
  for (const maintenance::FsckFinding& finding : report.findings) {
    findings.push_back({{"kind", maintenance::ToString(finding.kind)},
                        {"file", finding.file},
                        {"message", finding.message}});
  }
  return {{"table", ToString(table)},
          {"sound", report.is_sound()},
          {"findings", std::move(findings)},
          {"findings_left_out", report.findings_left_out},
          {"snapshots_checked", report.snapshots_checked},
          {"data_files_checked", report.data_files_checked},
          {"delete_files_checked", report.delete_files_checked},
          {"rows_read", report.rows_read}};
}

void PrintReport(const catalog::TableName& table, const maintenance::FsckReport& report) {
  fmt::print("{}: {} ({}, {}, {} rows read)\n", ToString(table),
             report.is_sound() ? std::string("sound")
                               : Counted(static_cast<std::int64_t>(report.findings.size()) +
                                             report.findings_left_out,
                                         "finding"),
             Counted(report.data_files_checked, "data file"),
             Counted(report.delete_files_checked, "delete file"), CountText(report.rows_read));
  for (const maintenance::FsckFinding& finding : report.findings) {
    fmt::print("    {}: {}: {}\n", maintenance::ToString(finding.kind), finding.file,
               finding.message);
  }
  if (report.findings_left_out > 0) {
    fmt::print("    and {} more\n", report.findings_left_out);
  }
  if (report.files_not_read > 0) {
    fmt::print("    {} of formats we do not read were only looked for\n",
               Counted(report.files_not_read, "file"));
  }
}

Result<maintenance::FsckReport> CheckTable(Session& session, catalog::Catalog& catalog,
                                           const catalog::TableName& name,
                                           const FsckCommandOptions& options) {
  const catalog::LoadedTable table = SL_TRY(catalog.LoadTable(name), "table {}", ToString(name));
  maintenance::FsckOptions fsck_options;
  fsck_options.read_rows = options.read_rows;
  return SL_TRY(Fsck(session.io(), table, fsck_options), "checking {}", ToString(name));
}

}  // namespace

Result<ExitCode> RunFsck(Session& session, const FsckCommandOptions& options) {
  catalog::Catalog* catalog = SL_TRY(session.OpenCatalog());
  const bool json = session.options().output == OutputFormat::kJson;
  nlohmann::json object = {
      {"version", 1}, {"command", "fsck"}, {"tables", nlohmann::json::array()}};
  bool sound = true;
  const std::vector<catalog::TableName> tables = SL_TRY(TablesToCheck(*catalog, options.tables));
  for (const catalog::TableName& name : tables) {
    const Result<maintenance::FsckReport> report = CheckTable(session, *catalog, name, options);
    sound = sound && report && report->is_sound();
    if (!report) {
      // One table that cannot be read hides nothing of the others.
      Log(LogLevel::kError, report.error().message);
      object["tables"].push_back({{"table", ToString(name)},
                                  {"sound", false},
                                  {"error", report.error().message},
                                  {"findings", nlohmann::json::array()}});
    } else if (json) {
      object["tables"].push_back(ReportJson(name, *report));
    } else {
      PrintReport(name, *report);
    }
  }
  if (json) {
    PrintJson(object);
  } else if (tables.empty()) {
    fmt::print("The catalog has no tables.\n");
  }
  return sound ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace strandline::cli
