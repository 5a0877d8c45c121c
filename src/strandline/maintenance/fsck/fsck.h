#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/catalog/catalog.h"
#include "strandline/io/file_io.h"

namespace strandline::maintenance {

// What can be wrong with a table's files.
enum class FsckKind {
  kMissingFile,
  kWrongSize,
  kUnreadable,  // The file breaks its format.
  kRecordCount,
  kNullCount,
  kNanCount,
  kBoundTooNarrow,
  kManifestCounts,
  kSummaryTotals,
  kSequenceNumber,    // Above the table's last.
  kDanglingDelete,    // Deletes that point at no live file.
  kDeleteBeyondRows,  // Deletes of rows that their file does not have.
  kDuplicatePath,     // Two live entries with one path.
  kPartitionValue,    // Not that of the file's rows.
  kBookkeepingNull,   // A null `_strand_...` in a file that we wrote.
};
// `missing file`, `bound too narrow`, ...
std::string_view ToString(FsckKind kind);

struct FsckFinding {
  FsckKind kind;
  std::string file;     // The file that is wrong or that says what is wrong.
  std::string message;  // What was expected and what was found.

  friend bool operator==(const FsckFinding&, const FsckFinding&) = default;
};

struct FsckOptions {
  // Off: no data or delete file is opened, only looked for; what needs rows is not checked.
  bool read_rows = true;
  // Off: only the current snapshot. On: files that older snapshots and branches need must be there
  // too; their rows are not read.
  bool history = true;
  // Further findings are only counted.
  std::size_t findings_max = 1000;
};

struct FsckReport {
  std::vector<FsckFinding> findings;
  std::int64_t findings_left_out = 0;
  std::int64_t snapshots_checked = 0;
  std::int64_t manifests_checked = 0;
  std::int64_t data_files_checked = 0;
  std::int64_t delete_files_checked = 0;
  std::int64_t rows_read = 0;
  // Live files whose rows we cannot read (ORC, Avro, equality deletes): only their presence was
  // checked.
  std::int64_t files_not_read = 0;

  bool is_sound() const { return findings.empty() && findings_left_out == 0; }
};

// Compares what a table's metadata says with the files and the rows that are there. Changes
// nothing. Columns inside lists, maps and structs are not compared.
//
// What is wrong with the table is in the report; errors are about looking: kUnavailable and
// kPermissionDenied when storage does not let us, kUnsupported for a table we cannot interpret.
// Memory is bounded: manifests and rows stream, paths are compared in passes.
Result<FsckReport> Fsck(io::FileIo& io, const catalog::LoadedTable& table,
                        const FsckOptions& options);

}  // namespace strandline::maintenance
