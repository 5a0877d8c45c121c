#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/io/file_io.h"
#include "strandline/table/update/snapshot_change.h"
#include "strandline/table/write/data_file_writer.h"

namespace strandline::pipeline {

struct PartitionedWriterOptions {
  // Well under the 256 descriptors that some systems give a process, beside what is being read.
  static constexpr std::size_t kOpenFilesMax = 64;

  std::string file_stem;                // Files are `<file_stem>-00000.parquet` and so on.
  std::int64_t buffered_bytes_max = 0;  // In memory: row groups being built, and rows that wait.
  std::size_t threads = 1;              // For closing.
  std::size_t open_files_max = kOpenFilesMax;  // Tests take less.
};

// Writes rows into data files by partition. As many partitions as `open_files_max` have a file open
// at a time; the rows of the others wait in memory. When too much is in memory, what holds most of
// it gives way: an open file is closed, waiting rows become a file of their own, and a partition
// that gets more rows gets another file. Files are closed too when they have grown to the table's
// target size.
//
// Several threads may write at once; each of them may have one file open beside those counted.
class PartitionedWriter {
 public:
  // Rows are those of the current schema and default spec of `metadata`. All references must
  // outlive it.
  PartitionedWriter(const table::TableMetadata& metadata, PartitionedWriterOptions options,
                    io::FileIo& io);
  ~PartitionedWriter();

  // `rows`, all of one partition, have the columns of ArrowSchema(). A partition has a file for
  // each `lane` in which it is written to: threads that use lanes of their own do not wait for each
  // other.
  Status Write(const table::PartitionTuple& partition, std::size_t lane,
               std::shared_ptr<arrow::RecordBatch> rows);

  // Closes all files, durably. By partition.
  Result<std::vector<table::NewFile>> Finish();

  // Files begun so far; garbage when the work is given up.
  std::vector<std::string> written_files() const;

 private:
  struct Slot;  // One lane of one partition.
  using Place = std::pair<table::PartitionTuple, std::size_t>;
  struct PlaceLess {
    bool operator()(const Place& a, const Place& b) const;
  };

  Slot& SlotOf(const table::PartitionTuple& partition, std::size_t lane);
  bool MayOpen();
  Status Append(Slot& slot, const arrow::RecordBatch& rows);
  Status Open(Slot& slot);
  Status Close(Slot& slot);
  Status KeepWaiting(Slot& slot, std::shared_ptr<arrow::RecordBatch> rows);
  Status RelieveMemory();
  Slot* FindFullest();
  void SetBufferedBytes(Slot& slot, std::int64_t bytes);

  const table::TableMetadata& metadata_;
  const PartitionedWriterOptions options_;
  io::FileIo& io_;
  const std::int64_t row_group_rows_;
  std::atomic<std::int64_t> buffered_bytes_{0};  // Of all slots.

  mutable std::mutex mutex_;  // Of what follows, not of what is inside a slot.
  std::map<Place, std::unique_ptr<Slot>, PlaceLess> slots_;
  std::size_t open_files_ = 0;
  std::vector<std::string> written_files_;
};

}  // namespace strandline::pipeline
