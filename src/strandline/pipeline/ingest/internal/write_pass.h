#pragma once

#include <cstdint>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/pipeline/ingest/internal/bucket_store.h"
#include "strandline/pipeline/ingest/internal/duplicates.h"
#include "strandline/pipeline/ingest/internal/partition_writers.h"
#include "strandline/pipeline/ingest/internal/quarantine_writer.h"
#include "strandline/pipeline/ingest/internal/unit_context.h"

namespace strandline::pipeline::ingest {

// What a pass did with the rows it read.
struct WritePass {
  std::int64_t rows_in = 0;
  std::int64_t rows_dropped = 0;
  std::vector<std::int64_t> rows_written;  // By PartitionNumber.

  std::int64_t total_written() const;
};

// The second pass: reads all columns of all files, on several threads. Rows that are no good go to
// `quarantine`; of the good ones, candidates are noted in `candidates` (CandidateRecord, by
// BucketOf), and those that are not dropped are written. `rows_expected` is for telling the
// progress.
Result<WritePass> WriteRows(UnitContext& context, const SecondPassRows& rows,
                            std::int64_t rows_expected, BucketStore& candidates,
                            QuarantineWriter& quarantine, PartitionWriters& writers);

// Reads the files of the rows in `rescued` once more, and writes exactly those.
Result<WritePass> WriteRescuedRows(UnitContext& context, const RowSet& rescued,
                                   PartitionWriters& writers);

}  // namespace strandline::pipeline::ingest
