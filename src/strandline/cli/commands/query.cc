#include <algorithm>

#include <arrow/api.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/cli/commands/commands.h"
#include "strandline/cli/output/arrow_text.h"
#include "strandline/cli/output/text.h"
#include "strandline/cli/output/unit_json.h"
#include "strandline/engine/memory_relation.h"
#include "strandline/engine/metadata_tables.h"
#include "strandline/engine/scan_relation.h"
#include "strandline/engine/sql_analysis.h"

namespace strandline::cli {
namespace {

catalog::TableName NameOf(std::vector<std::string> path) {
  catalog::TableName name;
  name.table = std::move(path.back());
  path.pop_back();
  name.levels = std::move(path);
  return name;
}

// `ads.t` as the table's rows, `ads.t.snapshots` as what its metadata says.
Result<std::shared_ptr<engine::Relation>> RelationOf(Session& session,
                                                     const std::vector<std::string>& path) {
  catalog::Catalog* catalog = SL_TRY(session.OpenCatalog());
  Result<catalog::LoadedTable> table =
      path.size() >= 2
          ? catalog->LoadTable(NameOf(path))
          : Result<catalog::LoadedTable>(MakeError(
                ErrorKind::kNotFound,
                "a table is named with its namespace, as in ads.impressions: '{}'", path.front()));
  if (table) {
    engine::ScanRelationOptions options;
    options.prune = session.options().prune;
    return engine::MakeScanRelation(table->metadata, std::move(options), session.io());
  }
  const std::optional<engine::MetadataTable> kind =
      path.size() >= 3 ? engine::ParseMetadataTable(path.back()) : std::nullopt;
  if (!kind || table.error().kind != ErrorKind::kNotFound) {
    return std::move(table).error();
  }
  const catalog::LoadedTable owner =
      SL_TRY(catalog->LoadTable(NameOf(std::vector<std::string>(path.begin(), path.end() - 1))));
  std::shared_ptr<arrow::RecordBatch> rows =
      SL_TRY(engine::ReadMetadataTable(*kind, *owner.metadata, session.io()));
  const std::shared_ptr<arrow::Schema> schema = rows->schema();
  return engine::MakeMemoryRelation(schema, {std::move(rows)});
}

Result<std::unique_ptr<engine::Answer>> Execute(Session& session, const std::string& sql) {
  const engine::SqlAnalysis analysis = SL_TRY(engine::AnalyzeSql(sql));
  engine::Statement statement;
  statement.sql = sql;
  statement.push_filters = session.options().prune;
  for (const engine::SqlTable& mentioned : analysis.tables) {
    const bool known = std::ranges::any_of(
        statement.relations,
        [&](const engine::NamedRelation& named) { return named.path == mentioned.path; });
    if (!known) {
      statement.relations.push_back({mentioned.path, SL_TRY(RelationOf(session, mentioned.path))});
    }
  }
  engine::Engine* engine = SL_TRY(session.OpenEngine());
  return engine->Execute(statement, session.stop());
}

}  // namespace

Result<std::vector<std::vector<std::string>>> QueryTexts(Session& session, const std::string& sql) {
  std::vector<std::vector<std::string>> rows;
  const std::unique_ptr<engine::Answer> answer = SL_TRY(Execute(session, sql));
  while (const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(answer->Next())) {
    for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
      std::vector<std::string> cells;
      for (const std::shared_ptr<arrow::Array>& column : batch->columns()) {
        cells.push_back(CellText(*column, row));
      }
      rows.push_back(std::move(cells));
    }
  }
  return rows;
}

Result<ExitCode> RunQuery(Session& session, const QueryOptions& options) {
  const std::unique_ptr<engine::Answer> answer = SL_TRY(Execute(session, options.sql));
  const bool json = session.options().output == OutputFormat::kJson;
  nlohmann::json object = {{"version", 1},
                           {"command", "query"},
                           {"columns", nlohmann::json::array()},
                           {"rows", nlohmann::json::array()}};
  TextTable table;
  std::vector<std::string> names;
  for (const auto& field : answer->schema()->fields()) {
    names.push_back(field->name());
    object["columns"].push_back({{"name", field->name()}, {"type", field->type()->ToString()}});
  }
  table.AddRow(names);
  std::int64_t count = 0;
  while (const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(answer->Next())) {
    for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
      ++count;
      if (json) {
        nlohmann::json cells = nlohmann::json::array();
        for (const std::shared_ptr<arrow::Array>& column : batch->columns()) {
          cells.push_back(CellJson(*column, row));
        }
        object["rows"].push_back(std::move(cells));
      } else if (count <= options.rows_max) {
        std::vector<std::string> cells;
        for (const std::shared_ptr<arrow::Array>& column : batch->columns()) {
          cells.push_back(CellText(*column, row));
        }
        table.AddRow(std::move(cells));
      }
    }
  }
  if (json) {
    PrintJson(object);
    return ExitCode::kDone;
  }
  fmt::print("{}", table.ToText());
  if (count > options.rows_max) {
    fmt::print(stderr, "{} of {} rows are shown; --limit 0 shows all, --output json too.\n",
               options.rows_max, count);
  }
  return ExitCode::kDone;
}

}  // namespace strandline::cli
