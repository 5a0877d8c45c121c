#include "strandline/table/scan/scan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "strandline/table/deletes/position_deletes.h"
#include "strandline/table/scan/bound_expression.h"
#include "strandline/table/scan/internal/delete_index.h"
#include "strandline/table/scan/internal/pruner.h"

namespace strandline::table {
namespace {

using internal::DeleteIndex;
using internal::Pruner;

// Null: the table has no snapshot yet.
Result<const Snapshot*> ChooseSnapshot(const TableMetadata& metadata, const ScanRequest& request) {
  if (!request.snapshot) {
    return CurrentSnapshot(metadata);
  }
  const Snapshot* snapshot = FindSnapshot(metadata, *request.snapshot);
  if (snapshot == nullptr) {
    return MakeError(ErrorKind::kNotFound,
                     "the table does not have this snapshot, it may have been expired: snapshot "
                     "{} of {}",
                     *request.snapshot, metadata.location);
  }
  return snapshot;
}

Result<const Schema*> ChooseSchema(const TableMetadata& metadata, const ScanRequest& request) {
  if (!request.schema) {
    return &CurrentSchema(metadata);
  }
  const Schema* schema = FindSchema(metadata, *request.schema);
  if (schema == nullptr) {
    return MakeError(ErrorKind::kNotFound, "the table does not have this schema: schema {} of {}",
                     *request.schema, metadata.location);
  }
  return schema;
}

// The columns whose metrics must be decoded: those the tasks shall carry and those pruning needs.
ManifestReadOptions DataReadOptions(const ScanRequest& request,
                                    const std::vector<FieldId>& filter_columns) {
  const bool prunes = request.prune && !request.whole_partitions && !filter_columns.empty();
  ManifestReadOptions options{.bounds = request.metrics || prunes,
                              .column_sizes = request.metrics && request.metric_columns.empty(),
                              .columns = {}};
  if (request.metrics && request.metric_columns.empty()) {
    return options;
  }
  if (request.metrics) {
    options.columns = request.metric_columns;
  }
  if (prunes) {
    options.columns.insert(options.columns.end(), filter_columns.begin(), filter_columns.end());
  }
  std::sort(options.columns.begin(), options.columns.end());
  options.columns.erase(std::unique(options.columns.begin(), options.columns.end()),
                        options.columns.end());
  return options;
}

void DropMetrics(DataFile& file) {
  file.value_counts.clear();
  file.null_value_counts.clear();
  file.nan_value_counts.clear();
  file.lower_bounds.clear();
  file.upper_bounds.clear();
}

bool HasNoLiveFiles(const ManifestFile& manifest) {
  return manifest.added_files_count == 0 && manifest.existing_files_count == 0;
}

// One planning run: what is fixed for its whole length, and the plan that grows.
class Planner {
 public:
  static Result<Planner> Make(const TableMetadata& metadata, const ScanRequest& request,
                              io::FileIo& io) {
    const Schema* schema = SL_TRY(ChooseSchema(metadata, request));
    BoundExpression filter = SL_TRY(BindExpression(request.filter, *schema));
    return Planner(metadata, request, *schema, std::move(filter), io);
  }

  Result<ScanPlan> Plan(const Snapshot& snapshot) && {
    plan_.snapshot = snapshot.id;
    const std::vector<ManifestFile> manifests = SL_TRY(ReadManifestList(io_, snapshot));
    // All deletes before any data: a delete may stand in any manifest.
    for (const ManifestFile& manifest : manifests) {
      if (manifest.content == ManifestContent::kDeletes) {
        SL_TRY(AddDeletes(manifest));
      }
    }
    for (const ManifestFile& manifest : manifests) {
      if (manifest.content == ManifestContent::kData) {
        SL_TRY(AddTasks(manifest));
      }
    }
    return std::move(plan_);
  }

 private:
  Planner(const TableMetadata& metadata, const ScanRequest& request, const Schema& schema,
          BoundExpression filter, io::FileIo& io)
      : metadata_(metadata),
        request_(request),
        schema_(schema),
        filter_(std::move(filter)),
        data_options_(DataReadOptions(request, ColumnsOf(filter_))),
        io_(io) {}

  Result<const PartitionSpec*> SpecOf(const ManifestFile& manifest) const {
    const PartitionSpec* spec = FindSpec(metadata_, manifest.partition_spec_id);
    if (spec == nullptr) {
      return MakeError(
          ErrorKind::kCorrupt,
          "a manifest has a partition spec that the table does not have: spec {} of {}",
          manifest.partition_spec_id, manifest.manifest_path);
    }
    return spec;
  }

  const Pruner& PrunerOf(const PartitionSpec& spec) {
    const auto found = pruners_.find(spec.id);
    return found != pruners_.end()
               ? found->second
               : pruners_.try_emplace(spec.id, filter_, schema_, spec).first->second;
  }

  bool Skips(const ManifestFile& manifest, const Pruner& pruner) {
    const bool skips =
        HasNoLiveFiles(manifest) || (request_.prune && !pruner.ManifestMayMatch(manifest));
    ++(skips ? plan_.manifests_skipped : plan_.manifests_read);
    return skips;
  }

  bool MayMatch(const DataFile& file, const Pruner& pruner) const {
    return request_.whole_partitions ? pruner.PartitionMayMatch(file.partition)
                                     : pruner.FileMayMatch(file);
  }

  Status AddDeletes(const ManifestFile& manifest) {
    const PartitionSpec* spec = SL_TRY(SpecOf(manifest));
    const Pruner& pruner = PrunerOf(*spec);
    // Deletes of an unpartitioned spec can be global.
    const bool is_unpartitioned = spec->fields.empty();
    if (Skips(manifest, pruner)) {
      return {};
    }
    const ManifestReadOptions options{
        .bounds = true, .column_sizes = false, .columns = {kDeletePositionId, kDeleteFilePathId}};
    const auto visit = [&](ManifestEntry&& entry) -> Result<bool> {
      if (entry.status == EntryStatus::kDeleted) {
        return true;
      }
      if (entry.file.content == FileContent::kData) {
        return MakeError(ErrorKind::kCorrupt, "a manifest of deletes lists a data file: {} in {}",
                         entry.file.file_path, manifest.manifest_path);
      }
      if (!request_.prune || pruner.PartitionMayMatch(entry.file.partition)) {
        deletes_.Add(std::move(entry), spec->id, is_unpartitioned);
      }
      return true;
    };
    return ReadManifest(io_, metadata_, manifest, options, visit);
  }

  Status AddTasks(const ManifestFile& manifest) {
    const PartitionSpec* spec = SL_TRY(SpecOf(manifest));
    const Pruner& pruner = PrunerOf(*spec);
    if (Skips(manifest, pruner)) {
      return {};
    }
    const auto visit = [&](ManifestEntry&& entry) -> Result<bool> {
      if (entry.status == EntryStatus::kDeleted) {
        return true;
      }
      if (entry.file.content != FileContent::kData) {
        return MakeError(ErrorKind::kCorrupt, "a manifest of data files lists deletes: {} in {}",
                         entry.file.file_path, manifest.manifest_path);
      }
      if (request_.prune && !MayMatch(entry.file, pruner)) {
        ++plan_.files_skipped;
        return true;
      }
      SL_TRY(AddTask(std::move(entry), *spec, pruner));
      return true;
    };
    return ReadManifest(io_, metadata_, manifest, data_options_, visit);
  }

  Status AddTask(ManifestEntry entry, const PartitionSpec& spec, const Pruner& pruner) {
    const SequenceNumber sequence_number = entry.sequence_number.value_or(SequenceNumber{});
    std::vector<DataFile> deletes =
        SL_TRY(deletes_.DeletesFor(entry.file, spec.id, sequence_number));
    // With pruning off, bounds are not to be trusted for anything.
    const bool may_prove = request_.prune || filter_.kind == ExpressionKind::kTrue;
    const bool all_rows_match = may_prove && pruner.FileMustMatch(entry.file);
    if (!request_.metrics) {
      DropMetrics(entry.file);
    }
    plan_.tasks.push_back(ScanTask{.file = std::move(entry.file),
                                   .spec_id = spec.id,
                                   .sequence_number = sequence_number,
                                   .added_by = entry.snapshot_id,
                                   .deletes = std::move(deletes),
                                   .all_rows_match = all_rows_match});
    return {};
  }

  const TableMetadata& metadata_;
  const ScanRequest& request_;
  const Schema& schema_;
  BoundExpression filter_;
  ManifestReadOptions data_options_;
  io::FileIo& io_;
  std::map<SpecId, Pruner> pruners_;
  DeleteIndex deletes_;
  ScanPlan plan_;
};

}  // namespace

Result<ScanPlan> PlanScan(const TableMetadata& metadata, const ScanRequest& request,
                          io::FileIo& io) {
  const Snapshot* snapshot = SL_TRY(ChooseSnapshot(metadata, request));
  Planner planner = SL_TRY(Planner::Make(metadata, request, io));
  if (snapshot == nullptr) {
    return ScanPlan{};
  }
  return std::move(planner).Plan(*snapshot);
}

}  // namespace strandline::table
