#include "strandline/maintenance/fsck/internal/delete_check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <arrow/api.h>

#include "strandline/table/deletes/path_bounds.h"
#include "strandline/table/deletes/position_deletes.h"
#include "strandline/table/read/scan_reader.h"

namespace strandline::maintenance::internal {
namespace {

using table::DataFile;
using table::ManifestContent;
using table::ManifestEntry;
using table::ManifestFile;

// Paths that delete files point at are kept in memory up to this many; then the data manifests are
// read, and again for the next ones.
constexpr std::size_t kTargetsPerPassMax = 1'000'000;
// As many delete files are kept, with their partition and bounds.
constexpr std::size_t kDeleteFilesPerPassMax = 100'000;

// https://iceberg.apache.org/spec/#position-delete-files
const char* const kPathColumn = "file_path";
const char* const kPositionColumn = "pos";

table::Schema PositionDeleteSchema() {
  table::Schema schema;
  schema.fields.push_back({.id = table::kDeleteFilePathId,
                           .name = kPathColumn,
                           .type = table::PrimitiveType(table::TypeId::kString),
                           .required = true});
  schema.fields.push_back({.id = table::kDeletePositionId,
                           .name = kPositionColumn,
                           .type = table::PrimitiveType(table::TypeId::kLong),
                           .required = true});
  return schema;
}

// A partition of one spec.
struct PartitionKey {
  table::SpecId spec_id;
  table::PartitionTuple tuple;

  friend bool operator<(const PartitionKey& a, const PartitionKey& b) {
    return a.spec_id != b.spec_id ? a.spec_id < b.spec_id : PartitionLess(a.tuple, b.tuple);
  }
};

struct DeleteFile {
  table::SpecId spec_id;
  ManifestEntry entry;
  std::string lower;  // Of the paths that it really points at.
  std::string upper;
  bool has_target = false;
};

// The highest position that a delete file names in one data file.
struct Target {
  std::size_t delete_file;
  std::int64_t position_max;
};

class DeleteCheck {
 public:
  DeleteCheck(Context& context, const std::vector<ManifestFile>& lines)
      : context_(context), lines_(lines) {}

  Status Run() {
    for (const ManifestFile& line : lines_) {
      if (line.content != ManifestContent::kDeletes) {
        continue;
      }
      Status visited;
      Status read = ReadManifest(context_.io, context_.metadata, line,
                                 {.bounds = false, .column_sizes = false, .columns = {}},
                                 [&](ManifestEntry&& entry) -> Result<bool> {
                                   visited = Take(line, std::move(entry));
                                   return visited.has_value();
                                 });
      SL_TRY(std::move(visited));
      // A manifest that cannot be read has been reported when it was compared with its line.
      if (!read && read.error().kind != ErrorKind::kCorrupt &&
          read.error().kind != ErrorKind::kNotFound) {
        return read;
      }
    }
    return FinishPass();
  }

 private:
  // Reads one delete file and remembers what it points at.
  Status Take(const ManifestFile& line, ManifestEntry entry) {
    if (entry.status == table::EntryStatus::kDeleted ||
        entry.file.content != table::FileContent::kPositionDeletes) {
      return {};
    }
    files_.push_back({.spec_id = line.partition_spec_id,
                      .entry = std::move(entry),
                      .lower = {},
                      .upper = {},
                      .has_target = false});
    const Result<std::int64_t> rows = ReadTargets(files_.back());
    const DataFile& file = files_.back().entry.file;
    const bool was_read =
        SL_TRY(WasRead(context_, file.file_path, rows ? Status() : Status(rows.error())));
    if (!was_read) {
      files_.back().has_target = true;  // Nothing is known of it.
      return {};
    }
    if (*rows != file.record_count) {
      AddFinding(context_, FsckKind::kRecordCount, file.file_path, "expected {} rows, found {}",
                 file.record_count, *rows);
    }
    const bool has_room =
        targets_.size() < kTargetsPerPassMax && files_.size() < kDeleteFilesPerPassMax;
    return has_room ? Status() : FinishPass();
  }

  Result<std::int64_t> ReadTargets(DeleteFile& deletes) {
    const io::FileInfo info = SL_TRY(context_.io.Stat(deletes.entry.file.file_path));
    table::ScanTask task;
    task.file = deletes.entry.file;
    task.file.content = table::FileContent::kData;
    task.file.file_size_bytes = info.size_bytes;
    task.spec_id = deletes.spec_id;
    const table::Schema schema = PositionDeleteSchema();
    table::ScanReadOptions options;
    options.columns = {kPathColumn, kPositionColumn};
    options.prune = false;
    std::unique_ptr<format::BatchSource> source =
        SL_TRY(table::OpenScan(context_.io, context_.metadata, schema, {task}, options));
    const std::unique_ptr<format::BatchStream> stream = table::ReadAll(std::move(source));
    std::int64_t rows = 0;
    while (true) {
      const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
      if (batch == nullptr) {
        context_.report.rows_read += rows;
        return rows;
      }
      rows += batch->num_rows();
      SL_TRY(TakeBatch(*batch, deletes));
    }
  }

  Status TakeBatch(const arrow::RecordBatch& batch, DeleteFile& deletes) {
    const auto& paths = static_cast<const arrow::StringArray&>(*batch.column(0));
    const auto& positions = static_cast<const arrow::Int64Array&>(*batch.column(1));
    if (paths.null_count() > 0 || positions.null_count() > 0) {
      return MakeError(ErrorKind::kCorrupt, "position deletes hold a null");
    }
    const std::size_t index = files_.size() - 1;
    std::string_view last_path;
    Target* last = nullptr;
    for (std::int64_t row = 0; row < batch.num_rows(); ++row) {
      const std::string_view path = paths.GetView(row);
      if (last == nullptr || path != last_path) {
        last_path = path;
        last = &TargetOf(std::string(path), index, deletes);
      }
      last->position_max = std::max(last->position_max, positions.Value(row));
    }
    return {};
  }

  Target& TargetOf(const std::string& path, std::size_t index, DeleteFile& deletes) {
    if (deletes.lower.empty() || path < deletes.lower) {
      deletes.lower = path;
    }
    deletes.upper = std::max(deletes.upper, path);
    std::vector<Target>& targets = targets_[table::PathKey(path)];
    // Several delete files may point at one data file; rows of one file come together.
    if (targets.empty() || targets.back().delete_file != index) {
      targets.push_back({index, -1});
    }
    return targets.back();
  }

  // Looks up what was gathered among the live data files, reports, and forgets it.
  Status FinishPass() {
    if (files_.empty()) {
      return {};
    }
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!files_[i].has_target) {
        pending_[{files_[i].spec_id, files_[i].entry.file.partition}].push_back(i);
      }
    }
    const table::ManifestReadOptions paths_only{
        .bounds = false, .column_sizes = false, .columns = {}};
    for (const ManifestFile& line : lines_) {
      if (line.content != ManifestContent::kData) {
        continue;
      }
      Status read = ReadManifest(context_.io, context_.metadata, line, paths_only,
                                 [&](ManifestEntry&& entry) -> Result<bool> {
                                   if (entry.status != table::EntryStatus::kDeleted) {
                                     Resolve(line.partition_spec_id, entry);
                                   }
                                   return true;
                                 });
      if (!read && read.error().kind != ErrorKind::kCorrupt &&
          read.error().kind != ErrorKind::kNotFound) {
        return read;
      }
    }
    for (const DeleteFile& deletes : files_) {
      if (!deletes.has_target) {
        AddFinding(context_, FsckKind::kDanglingDelete, deletes.entry.file.file_path,
                   "none of the data files it points at is live, the first is {}", deletes.lower);
      }
    }
    files_.clear();
    targets_.clear();
    pending_.clear();
    return {};
  }

  void Resolve(table::SpecId spec_id, const ManifestEntry& data) {
    const auto found = targets_.find(table::PathKey(data.file.file_path));
    if (found != targets_.end()) {
      for (const Target& target : found->second) {
        DeleteFile& deletes = files_[target.delete_file];
        deletes.has_target = true;
        if (target.position_max >= data.file.record_count) {
          AddFinding(context_, FsckKind::kDeleteBeyondRows, deletes.entry.file.file_path,
                     "row {} of {} is deleted, which has {} rows", target.position_max,
                     data.file.file_path, data.file.record_count);
        }
      }
    }
    const auto pending = pending_.find({spec_id, data.file.partition});
    if (pending == pending_.end()) {
      return;
    }
    std::erase_if(pending->second, [&](std::size_t index) {
      DeleteFile& deletes = files_[index];
      deletes.has_target = deletes.has_target || MayBeAttached(data, deletes);
      return deletes.has_target;
    });
  }

  // Whether a scan of `data` has to open `deletes`, which are of its partition.
  static bool MayBeAttached(const ManifestEntry& data, const DeleteFile& deletes) {
    return data.sequence_number <= deletes.entry.sequence_number &&
           deletes.lower <= data.file.file_path && data.file.file_path <= deletes.upper;
  }

  Context& context_;
  const std::vector<ManifestFile>& lines_;
  std::vector<DeleteFile> files_;
  std::unordered_map<std::string, std::vector<Target>> targets_;
  // Indexes of `files_` for which no target was found yet, so that a data file looks only at those
  // of its partition.
  std::map<PartitionKey, std::vector<std::size_t>> pending_;
};

}  // namespace

Status CheckDeletes(Context& context, const std::vector<ManifestFile>& lines) {
  return DeleteCheck(context, lines).Run();
}

}  // namespace strandline::maintenance::internal
