#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/interval.h"
#include "strandline/io/file_io.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/pipeline/write/partitioned_writer.h"

namespace strandline::pipeline {

// Writes one window's rows, with its marks, as data files by the partitions they fall into.
// Not thread-safe.
class WindowWriter {
 public:
  // All references must outlive it. `time_column` holds the window's start or a time in the window.
  WindowWriter(const table::TableMetadata& metadata, std::string time_column, Interval window,
               RowMarks marks, PartitionedWriterOptions options, io::FileIo& io);
  ~WindowWriter();

  // Columns are matched to the table's by name, and converted where the table's type is wider.
  // kInvalidArgument when a row's time is null or outside of the window, with the value.
  Status Write(const arrow::RecordBatch& batch);

  // Closes all files, durably.
  Result<std::vector<table::NewFile>> Finish() { return writer_.Finish(); }

  // Files begun so far; garbage when the window is given up.
  std::vector<std::string> written_files() const { return writer_.written_files(); }
  std::int64_t rows() const { return rows_; }

 private:
  Result<std::shared_ptr<arrow::RecordBatch>> AsTableRows(const arrow::RecordBatch& batch) const;
  Status CheckTimes(const arrow::RecordBatch& rows) const;

  const table::TableMetadata& metadata_;
  std::string time_column_;
  Interval window_;
  RowMarks marks_;
  std::shared_ptr<arrow::Schema> schema_;
  PartitionedWriter writer_;
  std::int64_t rows_ = 0;
};

}  // namespace strandline::pipeline
