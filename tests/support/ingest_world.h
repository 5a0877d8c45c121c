#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>

#include "strandline/base/clock.h"
#include "strandline/base/ignore_error.h"
#include "strandline/base/rng.h"
#include "strandline/base/time_text.h"
#include "strandline/io/faulty_file_io.h"
#include "strandline/io/location.h"
#include "strandline/io/memory_file_io.h"
#include "strandline/pipeline/ingest/ingest.h"
#include "strandline/table/read/scan_reader.h"
#include "strandline/table/update/snapshot_change.h"
#include "tests/support/matchers.h"

namespace strandline::testing {

// The start of an hour or any other time: TimeOf("2026-11-30T05Z").
inline Timestamp TimeOf(const std::string& text) { return ParseTimestamp(text).value(); }

// A source in memory with its two tables: files land, units are ingested, what they wrote is
// published, rows are read back. By default the source lands JSON lines with a key `id`, a time
// `ts` and a number `v`, partitioned by hour.
class IngestWorld {
 public:
  IngestWorld() {
    source_.name = "events";
    source_.table = {.levels = {"ads"}, .table = "events"};
    source_.format = project::LandingFormat::kJsonLines;
    source_.time = "ts";
    source_.key = {"id"};
    PartitionBy(table::TransformKind::kHour, "ts");
    AddColumn("id", "string");
    AddColumn("ts", "timestamptz");
    AddColumn("v", "long");
    options_.temp_directory =
        (std::filesystem::temp_directory_path() / "strandline-ingest-test").string();
  }

  project::Source& source() { return source_; }
  void AddColumn(const std::string& name, std::string_view type) {
    project::SourceColumn column;
    column.name = name;
    column.type = table::ParsePrimitiveType(type).value();
    source_.columns.push_back(std::move(column));
  }
  void PartitionBy(table::TransformKind kind, const std::string& column,
                   std::int32_t parameter = 0) {
    project::PartitionBy by;
    by.transform.kind = kind;
    by.transform.parameter = parameter;
    by.column = column;
    source_.partition.push_back(std::move(by));
  }
  pipeline::IngestOptions& options() { return options_; }
  io::FileIo& io() { return io_; }
  io::FaultyFileIo& faults() { return io_; }
  const table::TableMetadata& table() { return *Tables().table; }
  const table::TableMetadata& quarantine() { return *Tables().quarantine; }
  std::stop_source& stop() { return stop_; }

  // A file of the unit that begins at `unit`; files of one name replace each other.
  void Land(const std::string& unit, const std::string& name, std::string_view bytes) {
    const std::string location = LocationOf(unit, name);
    IgnoreError(storage_->Delete(location), "it may not be there yet");
    clock_.Advance(std::chrono::seconds(1));
    ASSERT_THAT(io::WriteFile(*storage_, location, bytes), IsOk());
  }

  // The unit as a listing would show it, or only some of its files.
  pipeline::LandingUnit UnitOf(const std::string& unit, std::vector<std::string> names = {}) {
    pipeline::LandingUnit landing;
    landing.source = &source_;
    landing.interval = {.start = TimeOf(unit),
                        .end = TimeOf(unit) + project::LengthOf(source_.unit)};
    landing.stamp = 42;
    EXPECT_THAT(
        storage_->List(
            LocationOf(unit, ""), io::Recursive::kNo,
            [&](const io::FileInfo& file) -> Result<bool> {
              const std::string name(io::FileName(file.location));
              if (names.empty() || std::ranges::find(names, name) != names.end()) {
                landing.files.push_back(
                    {.location = file.location,
                     .name = name,
                     .size_bytes = file.size_bytes,
                     .version = file.etag.empty()
                                    ? fmt::format("{}", file.modified.time_since_epoch().count())
                                    : file.etag});
              }
              return true;
            }),
        IsOk());
    std::ranges::sort(landing.files, {}, &pipeline::LandedFile::name);
    return landing;
  }

  // Without publishing.
  Result<pipeline::IngestResult> Ingest(const pipeline::LandingUnit& unit) {
    const pipeline::IngestTables tables = Tables();
    ++seq_;
    Result<pipeline::IngestResult> result =
        IngestUnit(unit, tables, seq_, seq_, options_, io_, rng_, stop_.get_token());
    if (result) {
      const pipeline::IngestCounts& counts = result->counts;
      EXPECT_EQ(counts.rows_in, counts.rows_published + counts.rows_duplicate +
                                    counts.rows_suppressed + counts.rows_quarantined);
    }
    return result;
  }

  // What `result` prepared becomes part of the tables.
  void Publish(const pipeline::IngestResult& result) {
    table::SnapshotChange rows;
    rows.added = result.added;
    Commit(table_, rows);
    table::SnapshotChange quarantined;
    quarantined.added = result.quarantine_added;
    quarantined.removed = result.quarantine_removed;
    Commit(quarantine_, quarantined);
  }

  // Both, for a unit's files, or some of them.
  Result<pipeline::IngestResult> Run(const std::string& unit, std::vector<std::string> names = {}) {
    Result<pipeline::IngestResult> result = Ingest(UnitOf(unit, std::move(names)));
    if (result) {
      Publish(*result);
    }
    return result;
  }

  // Rows of the table: `a 2026-11-30T05:00Z 1`, sorted.
  std::vector<std::string> Rows() { return RowsOf(*Tables().table, {"id", "ts", "v"}); }

  // Rows of a table as text, sorted.
  std::vector<std::string> RowsOf(const table::TableMetadata& metadata,
                                  const std::vector<std::string>& columns) {
    std::vector<std::string> rows;
    ForEachBatch(metadata, columns, [&](const arrow::RecordBatch& batch) {
      for (std::int64_t row = 0; row < batch.num_rows(); ++row) {
        std::string text;
        for (int column = 0; column < batch.num_columns(); ++column) {
          text += (column == 0 ? "" : " ") + ValueText(*batch.column(column), row);
        }
        rows.push_back(std::move(text));
      }
    });
    std::ranges::sort(rows);
    return rows;
  }

  // How many rows each partition has, by its path.
  std::map<std::string, std::int64_t> RowsByPartition() {
    std::map<std::string, std::int64_t> rows;
    const table::TableMetadata& metadata = *Tables().table;
    const Result<table::ScanPlan> plan = PlanScan(metadata, {}, io_);
    EXPECT_THAT(plan, IsOk());
    for (const table::ScanTask& task : plan->tasks) {
      rows[PartitionPath(DefaultSpec(metadata), CurrentSchema(metadata), task.file.partition)] +=
          task.file.record_count;
    }
    return rows;
  }

  std::size_t FileCount() {
    const Result<table::ScanPlan> plan = PlanScan(*Tables().table, {}, io_);
    EXPECT_THAT(plan, IsOk());
    return plan->tasks.size();
  }

  // Files under the tables' locations, whether anything names them or not.
  std::size_t StoredFileCount() {
    std::size_t count = 0;
    EXPECT_THAT(storage_->List("mem:///lake", io::Recursive::kYes,
                               [&](const io::FileInfo&) -> Result<bool> {
                                 ++count;
                                 return true;
                               }),
                IsOk());
    return count;
  }

  // Changes the table as another engine might.
  void Commit(std::shared_ptr<const table::TableMetadata>& metadata,
              const table::SnapshotChange& change) {
    if (change.added.empty() && change.removed.empty()) {
      return;
    }
    Result<table::PreparedSnapshot> prepared =
        PrepareSnapshot(*metadata, change, io_, clock_, rng_);
    ASSERT_THAT(prepared, IsOk());
    Result<table::TableMetadata> next =
        ApplyUpdates(metadata.get(), prepared->request.updates, NowMs());
    ASSERT_THAT(next, IsOk());
    metadata = std::make_shared<const table::TableMetadata>(std::move(next).value());
  }
  std::shared_ptr<const table::TableMetadata>& MutableTable() {
    Tables();
    return table_;
  }

  // The tables, created when they are first needed.
  pipeline::IngestTables Tables() {
    if (table_ == nullptr) {
      table_ = Created(pipeline::NewSourceTable(source_, io_, sample_, "mem:///lake/events",
                                                "00000000-0000-4000-8000-000000000001"));
      quarantine_ = Created(pipeline::NewQuarantineTable(source_, "mem:///lake/events__quarantine",
                                                         "00000000-0000-4000-8000-000000000002"));
    }
    return {.table = table_.get(), .quarantine = quarantine_.get()};
  }
  // A landed Parquet file whose columns the table takes.
  void SetSample(std::string location) { sample_ = std::move(location); }

  std::string LocationOf(const std::string& unit, const std::string& name) const {
    return "mem:///landing/" + unit + "/" + name;
  }

 private:
  std::int64_t NowMs() const { return clock_.Now().time_since_epoch().count() / 1000; }

  std::shared_ptr<const table::TableMetadata> Created(Result<table::NewTable> table) {
    EXPECT_THAT(table, IsOk());
    Result<table::TableMetadata> metadata =
        ApplyUpdates(nullptr, CreateTable(std::move(table).value()).updates, NowMs());
    EXPECT_THAT(metadata, IsOk());
    return std::make_shared<const table::TableMetadata>(std::move(metadata).value());
  }

  static std::string ValueText(const arrow::Array& array, std::int64_t row) {
    if (array.IsNull(row)) {
      return "null";
    }
    if (array.type_id() == arrow::Type::TIMESTAMP) {
      return FormatTimestamp(Timestamp(
          std::chrono::microseconds(static_cast<const arrow::TimestampArray&>(array).Value(row))));
    }
    return array.GetScalar(row).ValueOrDie()->ToString();
  }

  template <typename Use>
  void ForEachBatch(const table::TableMetadata& metadata, const std::vector<std::string>& columns,
                    const Use& use) {
    Result<table::ScanPlan> plan = PlanScan(metadata, {}, io_);
    ASSERT_THAT(plan, IsOk());
    table::ScanReadOptions options;
    options.columns = columns;
    Result<std::unique_ptr<format::BatchSource>> source =
        OpenScan(io_, metadata, CurrentSchema(metadata), std::move(plan->tasks), options);
    ASSERT_THAT(source, IsOk());
    const std::unique_ptr<format::BatchStream> stream = table::ReadAll(std::move(source).value());
    while (true) {
      const Result<std::shared_ptr<arrow::RecordBatch>> batch = stream->Next();
      ASSERT_THAT(batch, IsOk());
      if (*batch == nullptr) {
        return;
      }
      use(**batch);
    }
  }

  FixedClock clock_{TimeOf("2026-12-01T00Z")};
  SeededRng rng_{7};
  std::unique_ptr<io::FileIo> storage_ = io::MakeMemoryFileIo(clock_);
  io::FaultyFileIo io_{*storage_};
  project::Source source_;
  pipeline::IngestOptions options_;
  std::string sample_;
  std::shared_ptr<const table::TableMetadata> table_;
  std::shared_ptr<const table::TableMetadata> quarantine_;
  std::stop_source stop_;
  std::int64_t seq_ = 0;
};

}  // namespace strandline::testing
