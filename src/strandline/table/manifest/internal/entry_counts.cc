#include "strandline/table/manifest/internal/entry_counts.h"

namespace strandline::table::manifest_format {

void ClearCounts(ManifestFile& line) {
  for (auto* const count :
       {&line.added_files_count, &line.existing_files_count, &line.deleted_files_count,
        &line.added_rows_count, &line.existing_rows_count, &line.deleted_rows_count}) {
    *count = 0;
  }
}

void CountEntry(const ManifestEntry& entry, ManifestFile& line) {
  const auto add = [&](std::optional<std::int64_t>& files, std::optional<std::int64_t>& rows) {
    files = files.value_or(0) + 1;
    rows = rows.value_or(0) + entry.file.record_count;
  };
  switch (entry.status) {
    case EntryStatus::kAdded:
      add(line.added_files_count, line.added_rows_count);
      break;
    case EntryStatus::kExisting:
      add(line.existing_files_count, line.existing_rows_count);
      break;
    case EntryStatus::kDeleted:
      add(line.deleted_files_count, line.deleted_rows_count);
      break;
  }
}

}  // namespace strandline::table::manifest_format
