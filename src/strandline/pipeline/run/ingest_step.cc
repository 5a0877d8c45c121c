#include "strandline/pipeline/run/ingest_step.h"

#include <algorithm>

#include <fmt/format.h>

#include "strandline/base/log.h"
#include "strandline/base/uuid.h"
#include "strandline/pipeline/ingest/source_drift.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/pipeline/state/records.h"

namespace strandline::pipeline {
namespace {

// The table and its quarantine as the unit finds them, or as they will be made.
struct UnitTables {
  PreparedChange table;
  PreparedChange quarantine;
  std::shared_ptr<const table::TableMetadata> table_metadata;
  std::shared_ptr<const table::TableMetadata> quarantine_metadata;
};

Result<UnitTables> FindTables(const RunContext& context, const PlannedUnit& unit,
                              const PlannedTable& planned) {
  UnitTables tables;
  tables.table.table = unit.table;
  tables.quarantine.table = QuarantineTable(unit.table);
  if (planned.state) {
    tables.table.base = planned.state->table;
  } else {
    const std::string sample = unit.sample ? unit.sample->location : "";
    tables.table.creation =
        SL_TRY(NewSourceTable(*unit.source, context.io, sample,
                              context.catalog.DefaultLocation(unit.table), NewUuidV4(context.rng)));
  }
  Result<catalog::LoadedTable> quarantine = context.catalog.LoadTable(tables.quarantine.table);
  if (quarantine) {
    tables.quarantine.base = *std::move(quarantine);
  } else if (quarantine.error().kind == ErrorKind::kNotFound) {
    tables.quarantine.creation = SL_TRY(
        NewQuarantineTable(*unit.source, context.catalog.DefaultLocation(tables.quarantine.table),
                           NewUuidV4(context.rng)));
  } else {
    return std::move(quarantine).error();
  }
  const Timestamp now = context.clock.Now();
  tables.table_metadata = SL_TRY(MetadataToBe(tables.table, now));
  tables.quarantine_metadata = SL_TRY(MetadataToBe(tables.quarantine, now));
  return tables;
}

// Rule 2: above everything that the table and any partition the unit may reach have been.
std::int64_t NextSeq(const table::TableMetadata& metadata, const std::optional<TableState>& state) {
  std::int64_t highest = metadata.last_sequence_number.value();
  if (state) {
    for (const PartitionState& partition : state->partitions) {
      highest = std::max(highest, partition.version);
    }
  }
  return highest + 1;
}

// What the audit reads: the partitions the unit touched, as they will be.
Result<std::vector<table::ScanTask>> AuditedTasks(const RunContext& context,
                                                  const UnitTables& tables,
                                                  const IngestResult& result) {
  const table::TableMetadata& metadata = *tables.table_metadata;
  std::vector<table::ScanTask> tasks;
  std::optional<Interval> span;
  const std::optional<table::FieldId> time = TimePartitionColumn(metadata);
  for (const table::PartitionTuple& tuple : result.partitions) {
    const std::optional<Interval> interval =
        time ? IntervalOfPartition(DefaultSpec(metadata), tuple, *time) : std::nullopt;
    if (interval) {
      span = span ? Interval{std::min(span->start, interval->start),
                             std::max(span->end, interval->end)}
                  : *interval;
    }
  }
  table::ScanRequest request;
  request.metrics = true;
  if (span) {
    request.filter = TimeFilter(*FindField(CurrentSchema(metadata), *time), *span);
  }
  for (table::ScanTask& task : SL_TRY(PlanScan(metadata, request, context.io)).tasks) {
    // Files of older specs may hold rows of any of these partitions.
    if (task.spec_id != metadata.default_spec_id ||
        result.partitions.contains(task.file.partition)) {
      tasks.push_back(std::move(task));
    }
  }
  for (const table::NewFile& file : result.added) {
    tasks.push_back({.file = file.file,
                     .spec_id = file.spec_id,
                     .sequence_number = metadata.last_sequence_number,
                     .added_by = std::nullopt,
                     .deletes = {}});
  }
  return tasks;
}

// Rules 15 and 16: a unit without a row where it will be looked for leaves a record.
void RecordIfEmpty(const PlannedUnit& unit, const IngestResult& result, UnitTables& tables) {
  const std::string key = EmptyRecordKey(unit.window.start);
  if (result.rows_in_reach > 0) {
    if (tables.table.base && tables.table.base->metadata->properties.contains(key)) {
      tables.table.remove_properties.push_back(key);
    }
    return;
  }
  const IngestCounts& counts = result.counts;
  EmptyRecord record{.stamp = unit.stamp,
                     .logic = std::nullopt,
                     .kind = counts.rows_published > 0   ? EmptyKind::kElsewhere
                             : counts.rows_duplicate > 0 ? EmptyKind::kDuplicates
                                                         : EmptyKind::kNoRows,
                     .compared_with = std::nullopt,
                     .counts = {{"rows-in", counts.rows_in},
                                {"rows-published", counts.rows_published},
                                {"rows-duplicate", counts.rows_duplicate},
                                {"rows-suppressed", counts.rows_suppressed},
                                {"rows-quarantined", counts.rows_quarantined}}};
  if (record.kind == EmptyKind::kDuplicates && tables.table.base) {
    if (const table::Snapshot* snapshot = CurrentSnapshot(*tables.table.base->metadata)) {
      record.compared_with = snapshot->id;
    }
  }
  tables.table.set_properties[key] = EmptyRecordJson(record);
}

// All files of the unit that have been read by now, known ones too: what the next reading need not
// read again.
std::vector<LandedFile> FilesRead(const PlannedUnit& unit) {
  std::vector<LandedFile> files = unit.landing.files;
  files.insert(files.end(), unit.files_known.begin(), unit.files_known.end());
  std::ranges::sort(files, {}, &LandedFile::name);
  return files;
}

UnitReport ReportOf(const PlannedUnit& unit) {
  UnitReport report;
  report.table = unit.table;
  report.action = unit.action;
  report.window = unit.window;
  report.was = unit.status;
  report.reason = unit.reason;
  return report;
}

}  // namespace

Result<UnitReport> IngestStep(const RunContext& context, const PlannedUnit& unit,
                              const PlannedTable& planned, RunObserver& observer) {
  const Timestamp started = context.clock.Now();
  UnitTables tables = SL_TRY(FindTables(context, unit, planned));
  for (const std::string& sentence :
       SourceDrift(unit.landing, *tables.table_metadata, context.io)) {
    LogWarn("{}", sentence);
  }

  IngestOptions options;
  options.threads = context.threads;
  options.memory_limit_bytes = context.memory_limit_bytes;
  options.temp_directory = context.temp_directory;
  options.use_bloom_filters = context.use_bloom_filters;
  options.on_progress = [&](const IngestProgress& progress) {
    PassPoint(context, "in a data file");
    observer.OnProgress(unit, progress);
  };
  const IngestTables ingest_tables{.table = tables.table_metadata.get(),
                                   .quarantine = tables.quarantine_metadata.get()};
  IngestResult result =
      SL_TRY(IngestUnit(unit.landing, ingest_tables, NextSeq(*tables.table_metadata, planned.state),
                        tables.quarantine_metadata->last_sequence_number.value() + 1, options,
                        context.io, context.rng, context.stop));
  PassPoint(context, "after the last data file");

  UnitReport report = ReportOf(unit);
  report.counts = result.counts;
  report.rows = result.counts.rows_published;
  report.quarantine_reasons = result.quarantine_reasons;
  for (const table::NewFile& file : result.added) {
    report.bytes += file.file.file_size_bytes;
  }

  const auto audit = [&]() -> Result<quality::AuditReport> {
    quality::AuditedRows rows{.table = unit.table,
                              .metadata = tables.table_metadata,
                              .tasks = SL_TRY(AuditedTasks(context, tables, result)),
                              .window = std::nullopt};
    const quality::AuditOptions audit_options{.threads = context.threads,
                                              .memory_limit_bytes = context.memory_limit_bytes,
                                              .temp_directory = context.temp_directory};
    const auto no_other = [](const catalog::TableName& name,
                             const Interval&) -> Result<std::shared_ptr<engine::Relation>> {
      return MakeError(ErrorKind::kInvalidArgument,
                       "a landed table cannot be reconciled with {}: it is written first",
                       ToString(name));
    };
    return Audit(rows, unit.source->checks, unit.source->key, context.engine, no_other,
                 audit_options, context.io, context.stop);
  };
  Result<quality::AuditReport> audited = audit();
  if (!audited) {
    DiscardFiles(context.io, result.written_files);
    return std::move(audited).error();
  }
  report.audit = *std::move(audited);
  if (report.audit.blocked()) {
    DiscardFiles(context.io, result.written_files);
    report.outcome = UnitOutcome::kBlocked;
    report.duration =
        std::chrono::duration_cast<std::chrono::milliseconds>(context.clock.Now() - started);
    return report;
  }

  RecordIfEmpty(unit, result, tables);
  DropOldRecords(planned.horizon, tables.table);
  tables.table.change.added = std::move(result.added);
  tables.quarantine.change.added = std::move(result.quarantine_added);
  tables.quarantine.change.removed = std::move(result.quarantine_removed);
  tables.table.written_files = std::move(result.written_files);

  report.duration =
      std::chrono::duration_cast<std::chrono::milliseconds>(context.clock.Now() - started);
  PublishRecord record;
  record.units = {
      {.unit = unit.window.start, .stamp = unit.stamp, .logic = std::nullopt, .complete = true}};
  record.files = RecordedFilesText(FilesRead(unit));
  record.counts = result.counts;
  record.checks = ChecksJson(report.audit);
  record.seconds = report.duration;
  const std::string publish_id = NewUuidV4(context.rng);
  tables.table.change.summary = SummaryOf(record, context, publish_id);
  tables.quarantine.change.summary = tables.table.change.summary;

  std::vector<PreparedChange> changes = {std::move(tables.table)};
  const bool quarantine_changes = !tables.quarantine.base ||
                                  !tables.quarantine.change.added.empty() ||
                                  !tables.quarantine.change.removed.empty();
  if (quarantine_changes) {
    changes.push_back(std::move(tables.quarantine));
  }
  const std::vector<catalog::LoadedTable> published = SL_TRY(Publish(context, changes));
  if (const table::Snapshot* snapshot = CurrentSnapshot(*published.front().metadata)) {
    report.snapshot = snapshot->id;
  }
  return report;
}

}  // namespace strandline::pipeline
