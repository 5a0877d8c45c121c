#include "strandline/maintenance/fsck/fsck.h"

#include <optional>

#include "strandline/maintenance/fsck/internal/delete_check.h"
#include "strandline/maintenance/fsck/internal/findings.h"
#include "strandline/maintenance/fsck/internal/manifest_check.h"
#include "strandline/maintenance/fsck/internal/path_check.h"
#include "strandline/maintenance/fsck/internal/row_check.h"

namespace strandline::maintenance {
namespace {

using internal::AddFinding;
using internal::Context;
using table::FileContent;
using table::ManifestEntry;
using table::ManifestFile;
using table::Snapshot;

// What the live entries of a snapshot add up to.
struct Totals {
  std::int64_t data_files = 0;
  std::int64_t records = 0;
  std::int64_t delete_files = 0;
  std::int64_t position_deletes = 0;
  std::int64_t equality_deletes = 0;
  std::int64_t files_size = 0;

  void Add(const table::DataFile& file) {
    files_size += file.file_size_bytes;
    if (file.content == FileContent::kData) {
      ++data_files;
      records += file.record_count;
      return;
    }
    ++delete_files;
    (file.content == FileContent::kPositionDeletes ? position_deletes : equality_deletes) +=
        file.record_count;
  }
};

void CompareTotal(Context& context, const Snapshot& snapshot, const char* key, std::int64_t found) {
  const auto expected = snapshot.summary.find(key);
  if (expected == snapshot.summary.end()) {
    return;  // Writers may leave totals out.
  }
  if (expected->second != fmt::format("{}", found)) {
    AddFinding(context, FsckKind::kSummaryTotals, snapshot.manifest_list,
               "{} of snapshot {}: the summary says {}, the manifests have {}", key, snapshot.id,
               expected->second, found);
  }
}

void CompareTotals(Context& context, const Snapshot& snapshot, const Totals& totals) {
  CompareTotal(context, snapshot, "total-data-files", totals.data_files);
  CompareTotal(context, snapshot, "total-records", totals.records);
  CompareTotal(context, snapshot, "total-delete-files", totals.delete_files);
  CompareTotal(context, snapshot, "total-position-deletes", totals.position_deletes);
  CompareTotal(context, snapshot, "total-equality-deletes", totals.equality_deletes);
  CompareTotal(context, snapshot, "total-files-size", totals.files_size);
}

void CheckSnapshotNumbers(Context& context) {
  const table::SequenceNumber last = context.metadata.last_sequence_number;
  for (const Snapshot& snapshot : context.metadata.snapshots) {
    if (snapshot.sequence_number > last) {
      AddFinding(context, FsckKind::kSequenceNumber, snapshot.manifest_list,
                 "the sequence number of snapshot {} is {}, the table's last is {}", snapshot.id,
                 snapshot.sequence_number, last);
    }
  }
}

// Checks one live file of the current snapshot.
Status CheckFile(Context& context, const ManifestFile& line, const ManifestEntry& entry) {
  const bool is_data = entry.file.content == FileContent::kData;
  ++(is_data ? context.report.data_files_checked : context.report.delete_files_checked);
  const bool is_there =
      SL_TRY(internal::CheckStored(context, entry.file.file_path, entry.file.file_size_bytes));
  if (!is_there || !context.options.read_rows) {
    return {};
  }
  if (is_data) {
    const table::PartitionSpec* spec = FindSpec(context.metadata, line.partition_spec_id);
    SL_CHECK(spec != nullptr);  // Reading the manifest has needed it.
    return CheckRows(context, *spec, entry);
  }
  if (entry.file.content == FileContent::kEqualityDeletes) {
    ++context.report.files_not_read;
  }
  return {};
}

// The current snapshot: everything.
Status CheckCurrent(Context& context, const Snapshot& snapshot,
                    internal::CheckedManifests& checked) {
  ++context.report.snapshots_checked;
  const std::optional<std::vector<ManifestFile>> lines =
      SL_TRY(internal::CheckManifestList(context, snapshot));
  if (!lines) {
    return {};
  }
  Totals totals;
  for (const ManifestFile& line : *lines) {
    checked.insert(line.manifest_path);
    SL_TRY(internal::CheckManifest(
        context, line, [&](const ManifestFile& manifest, const ManifestEntry& entry) -> Status {
          totals.Add(entry.file);
          return CheckFile(context, manifest, entry);
        }));
  }
  CompareTotals(context, snapshot, totals);
  SL_TRY(internal::CheckDuplicatePaths(context, *lines));
  if (context.options.read_rows) {
    SL_TRY(internal::CheckDeletes(context, *lines));
  }
  return {};
}

// Other snapshots: everything that reading them needs must be there.
Status CheckHistory(Context& context, const Snapshot& snapshot,
                    internal::CheckedManifests& checked) {
  ++context.report.snapshots_checked;
  const std::optional<std::vector<ManifestFile>> lines =
      SL_TRY(internal::CheckManifestList(context, snapshot));
  if (!lines) {
    return {};
  }
  const auto check_stored = [&](const ManifestFile&, const ManifestEntry& entry) -> Status {
    SL_TRY(internal::CheckStored(context, entry.file.file_path, entry.file.file_size_bytes));
    return {};
  };
  for (const ManifestFile& line : *lines) {
    if (!checked.insert(line.manifest_path).second) {
      continue;
    }
    SL_TRY(internal::CheckManifest(context, line, check_stored));
  }
  return {};
}

}  // namespace

std::string_view ToString(FsckKind kind) {
  switch (kind) {
    case FsckKind::kMissingFile:
      return "missing file";
    case FsckKind::kWrongSize:
      return "wrong size";
    case FsckKind::kUnreadable:
      return "unreadable file";
    case FsckKind::kRecordCount:
      return "record count";
    case FsckKind::kNullCount:
      return "null count";
    case FsckKind::kNanCount:
      return "NaN count";
    case FsckKind::kBoundTooNarrow:
      return "bound too narrow";
    case FsckKind::kManifestCounts:
      return "manifest counts";
    case FsckKind::kSummaryTotals:
      return "summary totals";
    case FsckKind::kSequenceNumber:
      return "sequence number above the last";
    case FsckKind::kDanglingDelete:
      return "delete that points at no file";
    case FsckKind::kDeleteBeyondRows:
      return "delete beyond its file's rows";
    case FsckKind::kDuplicatePath:
      return "two live entries with one path";
    case FsckKind::kPartitionValue:
      return "partition value that is not its rows'";
    case FsckKind::kBookkeepingNull:
      return "bookkeeping column with a null";
  }
  return "unknown";
}

Result<FsckReport> Fsck(io::FileIo& io, const catalog::LoadedTable& table,
                        const FsckOptions& options) {
  FsckReport report;
  Context context{io, *table.metadata, options, report};
  CheckSnapshotNumbers(context);
  internal::CheckedManifests checked;
  const Snapshot* current = CurrentSnapshot(*table.metadata);
  if (current != nullptr) {
    SL_TRY(CheckCurrent(context, *current, checked), "checking {}", ToString(table.name));
  }
  if (options.history) {
    for (const Snapshot& snapshot : table.metadata->snapshots) {
      if (current == nullptr || snapshot.id != current->id) {
        SL_TRY(CheckHistory(context, snapshot, checked), "checking {}, snapshot {}",
               ToString(table.name), snapshot.id);
      }
    }
  }
  return report;
}

}  // namespace strandline::maintenance
