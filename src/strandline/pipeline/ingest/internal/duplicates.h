#pragma once

#include <cstdint>

#include "strandline/base/result.h"
#include "strandline/pipeline/ingest/internal/bucket_store.h"
#include "strandline/pipeline/ingest/internal/row_set.h"

namespace strandline::pipeline::ingest {

// Rule 22 of STATE.md in two steps, so that nothing is read twice. Before the second pass rows are
// told apart by the hashes of their keys; the second pass, which decodes everything anyway, notes
// the keys of all rows that share a hash; after it the keys are compared byte by byte, and a row
// that was held back wrongly is called for.

// What the second pass has to know.
struct SecondPassRows {
  RowSet dropped;     // Not to be written: another row of the same hash wins, or is published.
  RowSet candidates;  // To be noted as CandidateRecord.
};

// Groups the rows of `keys` (KeyRecord, by BucketOf) by hash and picks the winner of each group:
// the highest order, then the lowest row; none where the key of any is in `published`. A group's
// rows are candidates, as are all published ones.
Status FindDuplicates(BucketStore& keys, bool with_order, const RowSet& published,
                      std::size_t threads, SecondPassRows& rows);

struct ResolvedDuplicates {
  // Duplicates whose payload is not that of the row that won, published or of this unit.
  std::int64_t rows_conflicting = 0;
  std::int64_t rows_rescued = 0;
};

// Compares what the second pass noted (CandidateRecord, by BucketOf) with `payloads` of published
// rows (PublishedPayloadRecord, by BucketOf). Adds to `rescued` each row that was dropped and has
// to be written after all: its key differs from that of the row it shares a hash with, or that row
// turned out to be bad.
Result<ResolvedDuplicates> ResolveDuplicates(BucketStore& candidates, BucketStore& payloads,
                                             const RowSet& dropped, std::size_t threads,
                                             RowSet& rescued);

}  // namespace strandline::pipeline::ingest
