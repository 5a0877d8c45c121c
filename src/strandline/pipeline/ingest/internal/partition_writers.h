#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/pipeline/ingest/internal/unit_context.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/table/update/snapshot_change.h"
#include "strandline/table/write/data_file_writer.h"

namespace strandline::pipeline::ingest {

// Writes the rows of a unit into data files by partition. A partition that holds a large part of
// the unit has a file for each thread, so that they do not wait for each other; all others (late
// rows) have one file, shared by all threads, so that they do not become many small ones. Files
// roll at the table's target size, and earlier when too much is buffered in open ones.
class PartitionWriters {
 public:
  // `rows_by_partition` are the rows to come, roughly. `context` must outlive it. Fails when the
  // table's properties cannot be followed.
  static Result<std::unique_ptr<PartitionWriters>> Make(
      const UnitContext& context, const std::vector<std::int64_t>& rows_by_partition,
      std::string file_stem, const RowMarks& marks);
  ~PartitionWriters();

  // Writes `rows`, which have the columns of the layout `all`, with the bookkeeping columns beside
  // them. Several threads may write at once, each with its own `worker` number.
  Status Write(std::size_t worker, PartitionNumber partition, const arrow::RecordBatch& rows);

  // Closes all files, durably.
  Result<std::vector<table::NewFile>> Finish();

  // Files begun so far.
  std::vector<std::string> written_files() const;

 private:
  // One file being written, and those before it.
  struct Slot {
    std::mutex mutex;
    PartitionNumber partition = 0;
    std::unique_ptr<table::DataFileWriter> writer;
    std::int64_t buffered_bytes = 0;  // Of the open row group, as the writer estimates it.
    std::vector<table::NewFile> files;
  };

  // What the table's properties ask for.
  struct FileSizes {
    std::int64_t file_bytes_target;
    std::int64_t row_group_rows;
  };

  PartitionWriters(const UnitContext& context, const std::vector<std::int64_t>& rows_by_partition,
                   std::string file_stem, const RowMarks& marks, const FileSizes& sizes);

  Slot& SlotOf(std::size_t worker, PartitionNumber partition);
  Status Begin(Slot& slot);
  Status Close(Slot& slot);
  // The table's columns from those of the layout and the marks.
  Result<std::shared_ptr<arrow::RecordBatch>> TableRows(const arrow::RecordBatch& rows) const;
  Status CloseFullestIfTooMuch();

  const UnitContext& context_;
  const std::string file_stem_;
  const RowMarks marks_;
  const std::shared_ptr<arrow::Schema> schema_;  // Of the table.
  const std::int64_t file_bytes_target_;
  const std::int64_t buffered_bytes_max_;
  table::TableMetadata metadata_;  // The table's, row groups cut to what memory allows.
  std::int64_t row_group_rows_ = 0;
  std::vector<bool> is_shared_;  // By partition; beyond the end: shared.
  mutable std::mutex mutex_;     // Of what follows.
  std::map<std::pair<PartitionNumber, std::size_t>, Slot> slots_;
  std::vector<std::string> written_files_;
};

}  // namespace strandline::pipeline::ingest
