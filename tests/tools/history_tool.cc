// Makes a project whose tables have a long history, through the table layer, for `make bench`:
//   sl_history_tool FOLDER TABLES WINDOWS
// One landed source and TABLES - 1 models over it, each with WINDOWS hourly windows that are all
// fresh. Data files are named and not written: a plan that opens one fails.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "strandline/base/time_text.h"
#include "strandline/base/uuid.h"
#include "strandline/catalog/sql/sql_catalog.h"
#include "strandline/engine/duckdb/duckdb_engine.h"
#include "strandline/io/local_file_io.h"
#include "strandline/pipeline/ingest/ingest.h"
#include "strandline/pipeline/plan/recorded.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/pipeline/state/bookkeeping_ids.h"
#include "strandline/pipeline/state/freshness.h"
#include "strandline/pipeline/state/landing.h"
#include "strandline/pipeline/state/records.h"
#include "strandline/pipeline/state/table_state.h"
#include "strandline/pipeline/state/time_column.h"
#include "strandline/project/project.h"
#include "strandline/table/write/data_file_writer.h"

namespace strandline {
namespace {

using std::chrono::hours;

constexpr int kWindowsPerCommit = 24;
const Timestamp kFirst = Timestamp(std::chrono::sys_days(std::chrono::year(2026) / 11 / 1));

void WriteText(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

void WriteProject(const std::filesystem::path& folder, int models) {
  WriteText(folder / "project/strandline.yml",
            "version: 1\nproject: history\ncatalogs:\n  ads: {type: sql, uri: "
            "\"sqlite:///../catalog.db\", warehouse: ../lake}\n"
            "default_catalog: ads\nengine: {type: duckdb, threads: 2, memory_limit: 512MiB, "
            "temp_directory: .strandline/tmp}\n");
  WriteText(
      folder / "project/sources/events.yml",
      fmt::format("source: events\ntable: h.events\npath: "
                  "../landing/events/{{unit:%Y-%m-%d-%H}}/*.jsonl\nformat: jsonl\nunit: hour\n"
                  "start: {}\ncomplete: {{marker: _SUCCESS}}\ntime: event_time\npartition: "
                  "[hour(event_time)]\nkey: [id]\nlateness: 72h\n"
                  "columns:\n  id: {{type: string, required: true}}\n  event_time: {{type: "
                  "timestamptz, required: true}}\n",
                  FormatTimestamp(kFirst)));
  for (int i = 0; i < models; ++i) {
    WriteText(folder / fmt::format("project/models/m{:03}.sql", i),
              fmt::format("/* strandline\ntable: h.m{:03}\nwindow: hour\ntime: hour\n*/\nselect "
                          "$window_start as hour, count(*) as events from h.events\n",
                          i));
  }
}

void WriteLanding(const std::filesystem::path& folder, int windows) {
  for (int i = 0; i < windows; ++i) {
    const std::string name =
        project::UnitPath("/{unit:%Y-%m-%d-%H}/x", kFirst + hours(i)).substr(1, 13);
    WriteText(folder / "landing/events" / name / "p.jsonl", "{}\n");
    WriteText(folder / "landing/events" / name / "_SUCCESS", "");
  }
}

// One data file of one window, as its writer would have described it.
table::NewFile FileOf(const table::TableMetadata& metadata, Timestamp window,
                      const pipeline::RowMarks& marks, Rng& rng) {
  table::NewFile added;
  added.spec_id = metadata.default_spec_id;
  table::DataFile& file = added.file;
  file.partition = {table::Value(
      static_cast<std::int32_t>(std::chrono::floor<hours>(window.time_since_epoch()).count()))};
  file.file_path = table::NewDataFileLocation(metadata, DefaultSpec(metadata), file.partition,
                                              NewUuidV4(rng) + ".parquet");
  file.record_count = 1000;
  file.file_size_bytes = 50'000;
  const pipeline::BookkeepingIds ids = pipeline::FindBookkeeping(CurrentSchema(metadata));
  const auto constant = [&file](const std::optional<table::FieldId>& id, std::int64_t value) {
    if (id) {
      const std::string bytes = SerializeValue(table::PrimitiveType(table::TypeId::kLong), value);
      file.value_counts.emplace_back(*id, file.record_count);
      file.null_value_counts.emplace_back(*id, 0);
      file.lower_bounds.emplace_back(*id, bytes);
      file.upper_bounds.emplace_back(*id, bytes);
    }
  };
  for (const table::NestedField& column : CurrentSchema(metadata).fields) {
    if (!pipeline::IsBookkeepingColumn(column.name)) {
      file.value_counts.emplace_back(column.id, file.record_count);
      file.null_value_counts.emplace_back(column.id, 0);
    }
  }
  constant(ids.unit, marks.unit_seconds);
  constant(ids.stamp, marks.stamp);
  if (marks.logic) {
    constant(ids.logic, *marks.logic);
  }
  constant(ids.seq, marks.seq);
  return added;
}

// Creates a table and commits its windows, a day in each commit.
Status MakeTable(catalog::Catalog& catalog, const catalog::TableName& name,
                 table::NewTable creation, int windows,
                 const std::function<pipeline::RowMarks(Timestamp, std::int64_t)>& marks_of,
                 io::FileIo& io, const Clock& clock, Rng& rng) {
  std::vector<catalog::TableCommit> create = {{name, CreateTable(std::move(creation))}};
  std::vector<catalog::LoadedTable> loaded = SL_TRY(catalog.CommitTables(create));
  for (int first = 0; first < windows; first += kWindowsPerCommit) {
    const table::TableMetadata& base = *loaded.front().metadata;
    table::SnapshotChange change;
    std::vector<pipeline::RecordedUnit> units;
    for (int i = first; i < std::min(first + kWindowsPerCommit, windows); ++i) {
      const Timestamp window = kFirst + hours(i);
      const pipeline::RowMarks marks = marks_of(window, base.last_sequence_number.value() + 1);
      change.added.push_back(FileOf(base, window, marks, rng));
      units.push_back(
          {.unit = window, .stamp = marks.stamp, .logic = marks.logic, .complete = true});
    }
    change.summary = {{"strandline.run-id", "history"},
                      {"strandline.units", RecordedUnitsJson(units)}};
    table::PreparedSnapshot snapshot = SL_TRY(PrepareSnapshot(base, change, io, clock, rng));
    const std::vector<catalog::TableCommit> commits = {{name, std::move(snapshot.request)}};
    loaded = SL_TRY(catalog.CommitTables(commits));
  }
  return {};
}

Status Make(const std::filesystem::path& folder, int tables, int windows) {
  WriteProject(folder, tables - 1);
  WriteLanding(folder, windows);
  const project::LoadedProject loaded =
      SL_TRY(project::LoadProject((folder / "project").string(), {}));
  for (const project::Problem& problem : loaded.problems) {
    std::fprintf(stderr, "%s\n", ToString(problem).c_str());
  }
  const project::Project& project = loaded.project;
  const auto io = io::MakeLocalFileIo();
  const SystemClock clock;
  SeededRng rng(1);
  const auto catalog =
      SL_TRY(catalog::OpenSqlCatalog({.database_path = project.catalogs.front().database_path,
                                      .catalog_name = project.catalogs.front().name,
                                      .warehouse = project.catalogs.front().warehouse},
                                     *io, clock, rng));
  const project::Source& source = project.sources.front();
  const pipeline::Landing landing =
      SL_TRY(pipeline::ListLanding(source, {kFirst, kFirst + hours(windows)}, clock.Now(), *io));
  std::map<Timestamp, std::int64_t> stamps;
  for (const pipeline::ListedUnit& unit : landing.units) {
    stamps[unit.unit.interval.start] = unit.unit.stamp;
  }
  table::NewTable events_table = SL_TRY(pipeline::NewSourceTable(
      source, *io, "", catalog->DefaultLocation(source.table), NewUuidV4(rng)));
  SL_TRY(MakeTable(
      *catalog, source.table, std::move(events_table), windows,
      [&stamps](Timestamp window, std::int64_t seq) {
        return pipeline::RowMarks{
            .unit_seconds =
                std::chrono::floor<std::chrono::seconds>(window.time_since_epoch()).count(),
            .stamp = stamps.at(window),
            .logic = std::nullopt,
            .seq = seq};
      },
      *io, clock, rng));
  const catalog::LoadedTable events = SL_TRY(catalog->LoadTable(source.table));
  const std::optional<table::FieldId> time =
      pipeline::TimeColumnOf(source, CurrentSchema(*events.metadata));
  const pipeline::TableState state =
      SL_TRY(pipeline::ReadTableState(events, time, std::nullopt, *io));
  for (const project::Model& model : project.models) {
    const std::int64_t logic = pipeline::LogicOfModel(
        model, engine::kDuckDbName, {{source.table, CurrentSchema(*events.metadata)}});
    table::NewTable creation;
    creation.uuid = NewUuidV4(rng);
    creation.location = catalog->DefaultLocation(model.table);
    creation.schema.fields = {{.id = table::FieldId(1),
                               .name = "hour",
                               .type = table::PrimitiveType(table::TypeId::kTimestamptz)},
                              {.id = table::FieldId(2),
                               .name = "events",
                               .type = table::PrimitiveType(table::TypeId::kLong)}};
    for (table::NestedField& field :
         pipeline::BookkeepingFields(pipeline::TableKind::kDerived, table::FieldId(3))) {
      creation.schema.fields.push_back(std::move(field));
    }
    creation.spec.fields = {
        {.source_id = table::FieldId(1),
         .field_id = table::FieldId(1000),
         .name = "hour_hour",
         .transform = {.kind = table::TransformKind::kHour, .parameter = 0, .text = {}}}};
    creation.properties = pipeline::BookkeepingProperties(pipeline::TableKind::kDerived);
    creation.properties[std::string(pipeline::kDeployedKey)] =
        pipeline::DeployedJson({{.logic = logic, .from = std::nullopt}});
    SL_TRY(MakeTable(
        *catalog, model.table, std::move(creation), windows,
        [&](Timestamp window, std::int64_t seq) {
          const Interval interval{window, window + hours(1)};
          return pipeline::RowMarks{
              .unit_seconds =
                  std::chrono::floor<std::chrono::seconds>(window.time_since_epoch()).count(),
              .stamp = pipeline::StampOfWindow({DigestOfInput(state, time, interval)}),
              .logic = logic,
              .seq = seq};
        },
        *io, clock, rng));
  }
  return {};
}

}  // namespace
}  // namespace strandline

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: sl_history_tool FOLDER TABLES WINDOWS\n");
    return 64;
  }
  const strandline::Status status =
      strandline::Make(argv[1], std::atoi(argv[2]), std::atoi(argv[3]));
  if (!status) {
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return 1;
  }
  return 0;
}
