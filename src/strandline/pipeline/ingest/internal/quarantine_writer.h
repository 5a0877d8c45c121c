#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/format/landing/landing_reader.h"
#include "strandline/pipeline/ingest/internal/unit_context.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/table/update/snapshot_change.h"
#include "strandline/table/write/data_file_writer.h"

namespace strandline::pipeline::ingest {

// Writes rows that were not taken into the quarantine table, and counts them by reason. Its methods
// may be called by several threads at once, except Finish().
class QuarantineWriter {
 public:
  // `context` must outlive it; its tables' quarantine is the one written to.
  QuarantineWriter(const UnitContext& context, std::string file_stem, const RowMarks& marks);
  ~QuarantineWriter();

  // A row of `file`. A null in a key column is told as what it is.
  Status Add(const LandedFile& file, format::RowProblem problem);

  // Closes the file, durably; no file when nothing was added.
  Result<std::vector<table::NewFile>> Finish();

  std::int64_t rows() const;
  // By reason, most frequent first.
  std::vector<std::pair<std::string, std::int64_t>> reasons() const;
  // The first few rows, by file and position: `part-00000.jsonl.gz:12: not valid JSON`.
  std::vector<std::string> examples() const;
  const std::vector<std::string>& written_files() const { return written_files_; }

 private:
  Status Flush();

  const UnitContext& context_;
  const std::string file_stem_;
  const RowMarks marks_;
  const std::shared_ptr<arrow::Schema> schema_;
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, format::RowProblem>> pending_;  // With the file's name.
  std::unique_ptr<table::DataFileWriter> writer_;
  std::map<std::string, std::int64_t> rows_by_reason_;
  std::map<std::pair<std::string, std::int64_t>, std::string> examples_;  // By file and position.
  std::vector<std::string> written_files_;
};

}  // namespace strandline::pipeline::ingest
