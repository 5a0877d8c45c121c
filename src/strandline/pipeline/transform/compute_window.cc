#include "strandline/pipeline/transform/compute_window.h"

#include <algorithm>
#include <set>

#include <arrow/api.h>
#include <fmt/format.h>

#include "strandline/base/time_text.h"
#include "strandline/base/uuid.h"
#include "strandline/engine/scan_relation.h"
#include "strandline/pipeline/publish/replace_unit.h"
#include "strandline/pipeline/transform/output_schema.h"
#include "strandline/pipeline/transform/window_writer.h"

namespace strandline::pipeline {
namespace {

// One part in so many of the memory is for rows on their way into files; the engine has a limit of
// its own.
constexpr std::int64_t kBufferShare = 3;

std::int64_t SecondsOf(Timestamp time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

Result<engine::Statement> StatementOf(const RunContext& context, const PlannedUnit& unit,
                                      const PinnedTables& inputs, table::ColumnCache* cache) {
  engine::Statement statement;
  statement.sql = StoredSql(*unit.model);
  statement.parameters = {{"window_start", unit.window.start}, {"window_end", unit.window.end}};
  statement.push_filters = context.prune;
  for (const project::ModelInput& input : unit.model->inputs) {
    engine::NamedRelation named;
    named.path = input.table.levels;
    named.path.push_back(input.table.table);
    named.relation = SL_TRY(InputRelation(input, inputs.at(input.table), unit.window, context.prune,
                                          cache, context.io));
    statement.relations.push_back(std::move(named));
  }
  return statement;
}

// Makes or evolves the table as the answer needs it.
Status FitTable(const RunContext& context, const PlannedUnit& unit, const arrow::Schema& answer,
                PreparedChange& change) {
  if (!change.base) {
    change.creation = SL_TRY(NewModelTable(
        *unit.model, answer, context.catalog.DefaultLocation(unit.table), NewUuidV4(context.rng)));
    change.set_properties[std::string(kDeployedKey)] = DeployedJson({{unit.logic, std::nullopt}});
    return {};
  }
  change.new_schema = SL_TRY(EvolvedSchema(*unit.model, answer, *change.base->metadata));
  if (!change.base->metadata->properties.contains(std::string(kDeployedKey))) {
    change.set_properties[std::string(kDeployedKey)] = DeployedJson({{unit.logic, std::nullopt}});
  }
  return {};
}

// Rule 2: above everything the table and the window's partitions have been.
std::int64_t NextSeq(const std::optional<TableState>& base, const Interval& window) {
  if (!base) {
    return 1;
  }
  std::int64_t highest = base->table.metadata->last_sequence_number.value();
  for (const PartitionState& partition : base->partitions) {
    if (partition.TimesOf(base->time).Overlaps(window)) {
      highest = std::max(highest, partition.version);
    }
  }
  return highest + 1;
}

// The table as rows that are not audited yet may be in it: a column that is required because of a
// blocking not_null may hold nulls until that check has looked, so that it is the check that blocks
// the window and shows the rows.
std::shared_ptr<const table::TableMetadata> BeforeAudit(const project::Model& model,
                                                        const table::TableMetadata& metadata) {
  auto before = std::make_shared<table::TableMetadata>(metadata);
  const std::set<std::string> promised = RequiredColumns(model);
  for (table::Schema& schema : before->schemas) {
    for (table::NestedField& field : schema.fields) {
      field.required = field.required && !promised.contains(field.name);
    }
  }
  return before;
}

std::vector<RecordedInput> RecordInputs(const PinnedTables& inputs,
                                        const std::vector<InputDigest>& digests) {
  std::vector<RecordedInput> recorded;
  for (const auto& [name, pinned] : inputs) {
    RecordedInput input{.table = ToString(name), .snapshot = std::nullopt, .partitions = {}};
    if (const table::Snapshot* snapshot = CurrentSnapshot(*pinned.table.metadata)) {
      input.snapshot = snapshot->id;
    }
    for (const InputDigest& digest : digests) {
      if (digest.table != input.table) {
        continue;
      }
      for (const PartitionDigest& partition : digest.partitions) {
        input.partitions.push_back({ShortPartition(partition.partition), partition.digest});
      }
    }
    recorded.push_back(std::move(input));
  }
  return recorded;
}

}  // namespace

Result<std::shared_ptr<engine::Relation>> InputRelation(const project::ModelInput& input,
                                                        const PinnedTable& pinned,
                                                        const Interval& window, bool prune,
                                                        table::ColumnCache* cache, io::FileIo& io) {
  engine::ScanRelationOptions options;
  options.prune = prune;
  if (input.as_of == project::AsOf::kNone) {
    const std::optional<std::string>& time = input.time ? input.time : pinned.time;
    if (!time) {
      return MakeError(
          ErrorKind::kInvalidArgument,
          "input {} has no time partition, so it cannot be cut at the window: say `time: "
          "<column>` or `as_of: latest` for it under `inputs:`",
          ToString(input.table));
    }
    options.cut = {.column = *time, .interval = {window.start - input.read_lookback, window.end}};
    options.cache = cache;
  }
  return engine::MakeScanRelation(pinned.table.metadata, std::move(options), io);
}

Result<ComputedWindow> ComputeWindow(const RunContext& context, const PlannedUnit& unit,
                                     const std::optional<TableState>& base,
                                     const PinnedTables& inputs,
                                     const std::vector<InputDigest>& digests,
                                     table::ColumnCache* cache) {
  ComputedWindow computed;
  PreparedChange& change = computed.change;
  change.table = unit.table;
  if (base) {
    change.base = base->table;
  }
  const engine::Statement statement = SL_TRY(StatementOf(context, unit, inputs, cache));
  const std::unique_ptr<engine::Answer> answer =
      SL_TRY(context.engine.Execute(statement, context.stop), "model {}", unit.model->name);
  SL_TRY(FitTable(context, unit, *answer->schema(), change));
  const std::shared_ptr<const table::TableMetadata> to_be =
      SL_TRY(MetadataToBe(change, context.clock.Now()));
  computed.metadata = BeforeAudit(*unit.model, *to_be);

  const RowMarks marks{.unit_seconds = SecondsOf(unit.window.start),
                       .stamp = unit.stamp,
                       .logic = unit.logic,
                       .seq = NextSeq(base, unit.window)};
  const std::string time = SL_TRY(TimeColumnOfOutput(*unit.model, *answer->schema()));
  WindowWriter writer(*computed.metadata, time, unit.window, marks,
                      {.file_stem = NewUuidV4(context.rng),
                       .buffered_bytes_max = context.memory_limit_bytes / kBufferShare,
                       .threads = static_cast<std::size_t>(context.threads)},
                      context.io);
  const auto write_all = [&]() -> Result<std::vector<table::NewFile>> {
    while (true) {
      const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(answer->Next());
      if (batch == nullptr) {
        return writer.Finish();
      }
      SL_TRY(writer.Write(*batch));
      PassPoint(context, "in a data file");
    }
  };
  Result<std::vector<table::NewFile>> files = write_all();
  if (!files) {
    DiscardFiles(context.io, writer.written_files());
    return std::move(files).error().While(
        fmt::format("model {}, window {}", unit.model->name, FormatTimestamp(unit.window.start)));
  }
  PassPoint(context, "after the last data file");
  change.written_files = writer.written_files();
  for (table::NewFile& file : *files) {
    computed.bytes_written += file.file.file_size_bytes;
    computed.tasks.push_back({.file = file.file,
                              .spec_id = file.spec_id,
                              .sequence_number = table::SequenceNumber(marks.seq),
                              .added_by = std::nullopt,
                              .deletes = {}});
    change.change.added.push_back(std::move(file));
  }
  computed.rows = writer.rows();

  const std::string record_key = EmptyRecordKey(unit.window.start);
  if (base) {
    Result<UnitReplacement> replaced = ReplaceUnit(
        *base->table.metadata,
        {.window = unit.window, .time = time, .files = change.change.added, .seq = marks.seq},
        context.io, context.rng);
    if (!replaced) {
      DiscardFiles(context.io, change.written_files);
      return std::move(replaced).error().While(
          fmt::format("model {}, window {}", unit.model->name, FormatTimestamp(unit.window.start)));
    }
    change.change.removed = std::move(replaced->removed);
    change.change.removed_from = std::move(replaced->removed_from);
    std::ranges::move(replaced->added, std::back_inserter(change.change.added));
    std::ranges::move(replaced->written_files, std::back_inserter(change.written_files));
    if (base->table.metadata->properties.contains(record_key) && computed.rows > 0) {
      change.remove_properties.push_back(record_key);
    }
  }
  if (computed.rows == 0) {
    change.set_properties[record_key] = EmptyRecordJson({.stamp = unit.stamp,
                                                         .logic = unit.logic,
                                                         .kind = EmptyKind::kNoRows,
                                                         .compared_with = std::nullopt,
                                                         .counts = {},
                                                         .seq = marks.seq - 1});
  }
  computed.inputs = RecordInputs(inputs, digests);
  return computed;
}

}  // namespace strandline::pipeline
