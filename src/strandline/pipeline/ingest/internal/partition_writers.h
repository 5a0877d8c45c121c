#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/pipeline/ingest/internal/unit_context.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/pipeline/write/partitioned_writer.h"

namespace strandline::pipeline::ingest {

// Writes the rows of a unit into data files by partition, with their marks. A partition that holds
// a large part of the unit has a file for each thread, so that they do not wait for each other; all
// others (late rows) have one file, shared by all threads, so that they do not become many small
// ones.
class PartitionWriters {
 public:
  // `rows_by_partition` are the rows to come, roughly. `context` must outlive it.
  PartitionWriters(const UnitContext& context, const std::vector<std::int64_t>& rows_by_partition,
                   std::string file_stem, const RowMarks& marks);
  ~PartitionWriters();

  // Writes `rows`, which have the columns of the layout `all`, with the bookkeeping columns beside
  // them. Several threads may write at once, each with its own `worker` number.
  Status Write(std::size_t worker, PartitionNumber partition, const arrow::RecordBatch& rows);

  // Closes all files, durably.
  Result<std::vector<table::NewFile>> Finish() { return writer_.Finish(); }

  // Files begun so far.
  std::vector<std::string> written_files() const { return writer_.written_files(); }

 private:
  // The table's columns from those of the layout and the marks.
  Result<std::shared_ptr<arrow::RecordBatch>> TableRows(const arrow::RecordBatch& rows) const;

  const UnitContext& context_;
  const RowMarks marks_;
  const std::shared_ptr<arrow::Schema> schema_;  // Of the table.
  std::vector<bool> is_shared_;                  // By partition; beyond the end: shared.
  const table::TableMetadata metadata_;  // The table's, row groups cut to what memory allows.
  PartitionedWriter writer_;
};

}  // namespace strandline::pipeline::ingest
