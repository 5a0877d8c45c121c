#include "strandline/table/update/internal/snapshot_summary.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace strandline::table::internal {
namespace {

using Summary = std::map<std::string, std::string>;

void SetIfPositive(Summary& summary, const char* key, std::int64_t value) {
  if (value > 0) {
    summary[key] = fmt::format("{}", value);
  }
}

// The parent's total under `key`, 0 without a parent; absent when it is missing or no count.
std::optional<std::int64_t> TotalBefore(const Snapshot* parent, const char* key) {
  if (parent == nullptr) {
    return 0;
  }
  const auto found = parent->summary.find(key);
  if (found == parent->summary.end()) {
    return std::nullopt;
  }
  const std::string& text = found->second;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

void SetTotal(Summary& summary, const char* key, std::optional<std::int64_t> before,
              std::int64_t change) {
  std::int64_t total = 0;
  if (before && !__builtin_add_overflow(*before, change, &total) && total >= 0) {
    summary[key] = fmt::format("{}", total);
  }
}

// The live counts of all manifests of one content; absent when one of them does not say.
std::optional<LiveCounts> TotalOf(ManifestContent content,
                                  const std::vector<ManifestDraft>& manifests) {
  LiveCounts total;
  for (const ManifestDraft& manifest : manifests) {
    if (manifest.content != content) {
      continue;
    }
    const std::optional<LiveCounts> counts = CountLive(manifest);
    if (!counts) {
      return std::nullopt;
    }
    total.files += counts->files;
    if (__builtin_add_overflow(total.rows, counts->rows, &total.rows)) {
      return std::nullopt;  // The rows that foreign manifests claim leave 64 bits.
    }
  }
  return total;
}

}  // namespace

ChangeCounts CountChange(const std::vector<NewFile>& added,
                         const std::vector<RemovedFile>& removed) {
  ChangeCounts counts;
  PartitionSet partitions;
  for (const NewFile& file : added) {
    partitions.insert({file.spec_id, file.file.partition});
    counts.added_files_size += file.file.file_size_bytes;
    if (file.file.content == FileContent::kData) {
      ++counts.added_data_files;
      counts.added_records += file.file.record_count;
    } else {
      ++counts.added_delete_files;
      counts.added_position_deletes += file.file.record_count;
    }
  }
  for (const RemovedFile& removed_file : removed) {
    const DataFile& file = removed_file.entry.file;
    partitions.insert({removed_file.spec_id, file.partition});
    counts.removed_files_size += file.file_size_bytes;
    if (file.content == FileContent::kData) {
      ++counts.deleted_data_files;
      counts.deleted_records += file.record_count;
    } else {
      ++counts.removed_delete_files;
      counts.removed_position_deletes += file.record_count;
    }
  }
  counts.changed_partition_count = static_cast<std::int64_t>(partitions.size());
  return counts;
}

Operation OperationFor(const ChangeCounts& counts) {
  const bool takes_away = counts.deleted_data_files > 0 || counts.added_delete_files > 0;
  if (!takes_away) {
    return Operation::kAppend;
  }
  return counts.added_data_files > 0 ? Operation::kOverwrite : Operation::kDelete;
}

Summary SummaryOf(Operation operation, const ChangeCounts& counts, const Snapshot* parent,
                  const std::vector<ManifestDraft>& manifests) {
  Summary summary;
  summary["operation"] = ToString(operation);
  SetIfPositive(summary, "added-data-files", counts.added_data_files);
  SetIfPositive(summary, "added-records", counts.added_records);
  SetIfPositive(summary, "added-delete-files", counts.added_delete_files);
  SetIfPositive(summary, "added-position-delete-files", counts.added_delete_files);
  SetIfPositive(summary, "added-position-deletes", counts.added_position_deletes);
  SetIfPositive(summary, "added-files-size", counts.added_files_size);
  SetIfPositive(summary, "deleted-data-files", counts.deleted_data_files);
  SetIfPositive(summary, "deleted-records", counts.deleted_records);
  SetIfPositive(summary, "removed-delete-files", counts.removed_delete_files);
  SetIfPositive(summary, "removed-position-delete-files", counts.removed_delete_files);
  SetIfPositive(summary, "removed-position-deletes", counts.removed_position_deletes);
  SetIfPositive(summary, "removed-files-size", counts.removed_files_size);
  summary["changed-partition-count"] = fmt::format("{}", counts.changed_partition_count);

  if (const auto data = TotalOf(ManifestContent::kData, manifests)) {
    SetTotal(summary, "total-data-files", data->files, 0);
    SetTotal(summary, "total-records", data->rows, 0);
  } else {
    SetTotal(summary, "total-data-files", TotalBefore(parent, "total-data-files"),
             counts.added_data_files - counts.deleted_data_files);
    SetTotal(summary, "total-records", TotalBefore(parent, "total-records"),
             counts.added_records - counts.deleted_records);
  }
  if (const auto deletes = TotalOf(ManifestContent::kDeletes, manifests)) {
    SetTotal(summary, "total-delete-files", deletes->files, 0);
  } else {
    SetTotal(summary, "total-delete-files", TotalBefore(parent, "total-delete-files"),
             counts.added_delete_files - counts.removed_delete_files);
  }
  SetTotal(summary, "total-files-size", TotalBefore(parent, "total-files-size"),
           counts.added_files_size - counts.removed_files_size);
  SetTotal(summary, "total-position-deletes", TotalBefore(parent, "total-position-deletes"),
           counts.added_position_deletes - counts.removed_position_deletes);
  SetTotal(summary, "total-equality-deletes", TotalBefore(parent, "total-equality-deletes"), 0);
  return summary;
}

}  // namespace strandline::table::internal
