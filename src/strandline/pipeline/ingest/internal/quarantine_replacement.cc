#include "strandline/pipeline/ingest/internal/quarantine_replacement.h"

#include <chrono>
#include <map>
#include <set>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/table/deletes/position_deletes.h"
#include "strandline/table/read/scan_reader.h"

namespace strandline::pipeline::ingest {
namespace {

std::int64_t UnitSeconds(const LandingUnit& unit) {
  return std::chrono::floor<std::chrono::seconds>(unit.interval.start).time_since_epoch().count();
}

// The live rows of one data file of the quarantine.
struct LiveRows {
  std::int64_t count = 0;
  std::vector<std::int64_t> replaced;  // Positions of those that go.
};

Result<LiveRows> FindReplaced(const UnitContext& context, const std::set<std::string>& names,
                              const table::ScanTask& task) {
  const table::TableMetadata& metadata = *context.tables.quarantine;
  table::ScanReadOptions options;
  options.columns = {std::string(kUnitColumn), "file"};
  options.with_positions = true;
  options.prune = false;
  std::unique_ptr<format::BatchSource> source =
      SL_TRY(OpenScan(context.io, metadata, CurrentSchema(metadata), {task}, options));
  const std::unique_ptr<format::BatchStream> rows = table::ReadAll(std::move(source));
  LiveRows live;
  while (true) {
    const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(rows->Next());
    if (batch == nullptr) {
      return live;
    }
    const auto& units = static_cast<const arrow::Int64Array&>(*batch->column(0));
    const auto& files = static_cast<const arrow::StringArray&>(*batch->column(1));
    const auto& positions = static_cast<const arrow::Int64Array&>(*batch->column(3));
    live.count += batch->num_rows();
    for (std::int64_t i = 0; i < batch->num_rows(); ++i) {
      if (units.IsValid(i) && units.Value(i) == UnitSeconds(context.unit) && files.IsValid(i) &&
          names.contains(files.GetString(i))) {
        live.replaced.push_back(positions.Value(i));
      }
    }
  }
}

}  // namespace

Result<QuarantineReplacement> ReplaceQuarantined(const UnitContext& context,
                                                 const std::string& file_stem) {
  const table::TableMetadata& metadata = *context.tables.quarantine;
  std::set<std::string> names;
  for (const LandedFile& file : context.unit.files) {
    names.insert(file.name);
  }
  table::ScanRequest request;
  request.filter = table::Predicate(table::ExpressionKind::kEqual, std::string(kUnitColumn),
                                    {table::Value(UnitSeconds(context.unit))});
  request.metrics = false;

  QuarantineReplacement replacement;
  using Partition = std::pair<table::SpecId, table::PartitionTuple>;
  const auto less = [](const Partition& a, const Partition& b) {
    return a.first != b.first ? a.first < b.first : table::PartitionLess(a.second, b.second);
  };
  std::map<Partition, table::DeletedPositions, decltype(less)> deleted(less);
  const table::ScanPlan plan = SL_TRY(PlanScan(metadata, request, context.io));
  for (const table::ScanTask& task : plan.tasks) {
    LiveRows live = SL_TRY(FindReplaced(context, names, task));
    if (live.replaced.empty()) {
      continue;
    }
    if (static_cast<std::int64_t>(live.replaced.size()) == live.count) {
      replacement.removed.push_back(task.file.file_path);
    } else {
      deleted[{task.spec_id, task.file.partition}][task.file.file_path] = std::move(live.replaced);
    }
  }

  for (const auto& [partition, positions] : deleted) {
    const table::PartitionSpec* spec = FindSpec(metadata, partition.first);
    SL_CHECK(spec != nullptr);
    table::DataFile file = SL_TRY(
        WritePositionDeletes(context.io, metadata, *spec, partition.second, positions,
                             fmt::format("{}-{:05}", file_stem, replacement.deletes.size())));
    replacement.written_files.push_back(file.file_path);
    replacement.deletes.push_back({.spec_id = partition.first, .file = std::move(file)});
  }
  return replacement;
}

}  // namespace strandline::pipeline::ingest
