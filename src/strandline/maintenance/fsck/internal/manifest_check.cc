#include "strandline/maintenance/fsck/internal/manifest_check.h"

#include <string_view>

namespace strandline::maintenance::internal {
namespace {

using table::EntryStatus;
using table::ManifestEntry;
using table::ManifestFile;

// Files and rows of each status.
struct Counts {
  std::int64_t files[3] = {0, 0, 0};
  std::int64_t rows[3] = {0, 0, 0};

  void Add(const ManifestEntry& entry) {
    const auto status = static_cast<std::size_t>(entry.status);
    ++files[status];
    rows[status] += entry.file.record_count;
  }
};

void Compare(Context& context, const ManifestFile& line, std::string_view what,
             const std::optional<std::int64_t>& expected, std::int64_t found) {
  if (expected && *expected != found) {
    AddFinding(context, FsckKind::kManifestCounts, line.manifest_path,
               "{}: the manifest list says {}, the manifest has {}", what, *expected, found);
  }
}

void CompareCounts(Context& context, const ManifestFile& line, const Counts& found) {
  constexpr auto kAdded = static_cast<std::size_t>(EntryStatus::kAdded);
  constexpr auto kExisting = static_cast<std::size_t>(EntryStatus::kExisting);
  constexpr auto kDeleted = static_cast<std::size_t>(EntryStatus::kDeleted);
  Compare(context, line, "added files", line.added_files_count, found.files[kAdded]);
  Compare(context, line, "existing files", line.existing_files_count, found.files[kExisting]);
  Compare(context, line, "deleted files", line.deleted_files_count, found.files[kDeleted]);
  Compare(context, line, "added rows", line.added_rows_count, found.rows[kAdded]);
  Compare(context, line, "existing rows", line.existing_rows_count, found.rows[kExisting]);
  Compare(context, line, "deleted rows", line.deleted_rows_count, found.rows[kDeleted]);
}

}  // namespace

Result<std::optional<std::vector<ManifestFile>>> CheckManifestList(
    Context& context, const table::Snapshot& snapshot) {
  Result<std::vector<ManifestFile>> lines = ReadManifestList(context.io, snapshot);
  const bool was_read =
      SL_TRY(WasRead(context, snapshot.manifest_list, lines ? Status() : Status(lines.error())));
  if (!was_read) {
    return std::optional<std::vector<ManifestFile>>();
  }
  return std::optional(std::move(lines).value());
}

Status CheckManifest(Context& context, const ManifestFile& line, const LiveEntryVisitor& visitor) {
  ++context.report.manifests_checked;
  const bool is_there = SL_TRY(CheckStored(context, line.manifest_path, line.manifest_length));
  if (!is_there) {
    return {};
  }
  const table::SequenceNumber last = context.metadata.last_sequence_number;
  if (line.sequence_number > last || line.min_sequence_number > last) {
    AddFinding(context, FsckKind::kSequenceNumber, line.manifest_path,
               "the manifest's sequence numbers are {} and {} (lowest), the table's last is {}",
               line.sequence_number, line.min_sequence_number, last);
  }
  Counts counts;
  // What stops the visitor is not a fault of the manifest.
  Status visited;
  const Status read =
      ReadManifest(context.io, context.metadata, line, table::ManifestReadOptions{},
                   [&](ManifestEntry&& entry) -> Result<bool> {
                     counts.Add(entry);
                     if (entry.sequence_number.value_or(table::SequenceNumber(0)) > last) {
                       AddFinding(context, FsckKind::kSequenceNumber, line.manifest_path,
                                  "the sequence number of {} is {}, the table's last is {}",
                                  entry.file.file_path, *entry.sequence_number, last);
                     }
                     if (entry.status != EntryStatus::kDeleted) {
                       visited = visitor(line, entry);
                     }
                     return visited.has_value();
                   });
  SL_TRY(std::move(visited));
  const bool was_read = SL_TRY(WasRead(context, line.manifest_path, read));
  if (was_read) {
    CompareCounts(context, line, counts);
  }
  return {};
}

}  // namespace strandline::maintenance::internal
