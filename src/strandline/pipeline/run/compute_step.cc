#include "strandline/pipeline/run/compute_step.h"

#include <algorithm>

#include "strandline/base/uuid.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/pipeline/state/time_column.h"

namespace strandline::pipeline {
namespace {

const PlannedTable* FindTable(const Plan& plan, const catalog::TableName& name) {
  const auto found = std::ranges::find(plan.tables, name, &PlannedTable::table);
  return found == plan.tables.end() ? nullptr : &*found;
}

// The inputs as the plan saw them.
PinnedTables PinnedInputs(const Plan& plan, const project::Model& model) {
  PinnedTables inputs;
  for (const project::ModelInput& input : model.inputs) {
    inputs.emplace(input.table, plan.pinned.at(input.table));
  }
  return inputs;
}

// A table that a check names and the model does not read.
Result<PinnedTable> LoadOther(const RunContext& context, const catalog::TableName& name) {
  PinnedTable other{.table = SL_TRY(context.catalog.LoadTable(name)), .time = std::nullopt};
  const table::Schema& schema = CurrentSchema(*other.table.metadata);
  std::optional<table::FieldId> time = TimePartitionColumn(*other.table.metadata);
  if (const project::Source* source = FindSource(context.project, name)) {
    time = TimeColumnOf(*source, schema);
  } else if (const project::Model* model = FindModel(context.project, name)) {
    time = TimeColumnOf(*model, schema);
  }
  if (time) {
    other.time = FindField(schema, *time)->name;
  }
  return other;
}

// Reconciliation reads the other side over the same window and cut as the model does.
quality::OpenOtherTable OtherTables(const RunContext& context, const project::Model& model,
                                    const PinnedTables& inputs, table::ColumnCache* cache) {
  return [&context, &model, &inputs, cache](
             const catalog::TableName& name,
             const Interval& window) -> Result<std::shared_ptr<engine::Relation>> {
    project::ModelInput input;
    input.table = name;
    const auto declared = std::ranges::find(model.inputs, name, &project::ModelInput::table);
    if (declared != model.inputs.end()) {
      input = *declared;
      // Both sides over the same window: what the model looks back at is not part of it.
      input.read_lookback = std::chrono::microseconds(0);
    }
    const auto pinned = inputs.find(name);
    if (pinned != inputs.end()) {
      return InputRelation(input, pinned->second, window, context.prune, cache, context.io);
    }
    const PinnedTable loaded = SL_TRY(LoadOther(context, name));
    return InputRelation(input, loaded, window, context.prune, cache, context.io);
  };
}

// Columns that tell people which rows a check means: the keys that the model promises, else the
// window's time and the first columns beside it.
std::vector<std::string> KeyColumns(const project::Model& model,
                                    const table::TableMetadata& metadata) {
  constexpr std::size_t kColumnsMax = 3;
  const table::Schema& schema = CurrentSchema(metadata);
  const auto is_there = [&schema](const std::string& column) {
    return FindColumn(schema, column) != nullptr;
  };
  const auto unique =
      std::ranges::find(model.checks, project::CheckKind::kUnique, &project::Check::kind);
  if (unique != model.checks.end() && std::ranges::all_of(unique->columns, is_there)) {
    return unique->columns;
  }
  std::vector<std::string> columns;
  if (const std::optional<table::FieldId> time = TimeColumnOf(model, schema)) {
    columns.push_back(FindField(schema, *time)->name);
  }
  for (const table::NestedField& field : schema.fields) {
    const bool is_key = field.type.is_primitive() && !IsBookkeepingColumn(field.name) &&
                        std::ranges::find(columns, field.name) == columns.end();
    if (is_key && columns.size() < kColumnsMax) {
      columns.push_back(field.name);
    }
  }
  return columns;
}

}  // namespace

Result<UnitReport> ComputeStep(const RunContext& context, const Plan& plan, const PlannedUnit& unit,
                               table::ColumnCache* cache) {
  const Timestamp started = context.clock.Now();
  const PlannedTable* planned = FindTable(plan, unit.table);
  SL_CHECK(planned != nullptr);
  const PinnedTables inputs = PinnedInputs(plan, *unit.model);

  ComputedWindow computed =
      SL_TRY(ComputeWindow(context, unit, planned->state, inputs, unit.inputs, cache));
  UnitReport report;
  report.table = unit.table;
  report.action = unit.action;
  report.window = unit.window;
  report.was = unit.status;
  report.reason = unit.reason;
  report.rows = computed.rows;
  report.bytes = computed.bytes_written;

  const quality::AuditedRows rows{.table = unit.table,
                                  .metadata = computed.metadata,
                                  .tasks = computed.tasks,
                                  .window = unit.window};
  const quality::AuditOptions audit_options{.threads = context.threads,
                                            .memory_limit_bytes = context.memory_limit_bytes,
                                            .temp_directory = context.temp_directory};
  const std::vector<std::string> key_columns = KeyColumns(*unit.model, *computed.metadata);
  Result<quality::AuditReport> audit = Audit(rows, unit.model->checks, key_columns, context.engine,
                                             OtherTables(context, *unit.model, inputs, cache),
                                             audit_options, context.io, context.stop);
  if (!audit) {
    DiscardFiles(context.io, computed.change.written_files);
    return std::move(audit).error();
  }
  report.audit = *std::move(audit);
  report.duration =
      std::chrono::duration_cast<std::chrono::milliseconds>(context.clock.Now() - started);
  if (report.audit.blocked()) {
    DiscardFiles(context.io, computed.change.written_files);
    report.outcome = UnitOutcome::kBlocked;
    return report;
  }

  PublishRecord record;
  record.units = {
      {.unit = unit.window.start, .stamp = unit.stamp, .logic = unit.logic, .complete = true}};
  record.inputs = computed.inputs;
  record.checks = ChecksJson(report.audit);
  record.seconds = report.duration;
  DropOldRecords(planned->horizon, computed.change);
  computed.change.change.summary = SummaryOf(record, context, NewUuidV4(context.rng));
  const std::vector<catalog::LoadedTable> published = SL_TRY(Publish(context, {computed.change}));
  if (const table::Snapshot* snapshot = CurrentSnapshot(*published.front().metadata)) {
    report.snapshot = snapshot->id;
  }
  return report;
}

}  // namespace strandline::pipeline
