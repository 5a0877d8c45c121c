#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/interval.h"
#include "strandline/base/result.h"
#include "strandline/pipeline/ingest/internal/partition_router.h"
#include "strandline/pipeline/ingest/internal/row_layout.h"
#include "strandline/project/project.h"

namespace strandline::pipeline::ingest {

inline constexpr std::string_view kBeyondLateness = "beyond lateness";
inline constexpr std::string_view kOutsideOfPartitions = "outside of what partitions can hold";

// A row that landed well-formed and is not taken all the same.
struct Rejection {
  std::int64_t index = 0;  // In its batch.
  std::string_view reason;
};

struct ScreenedRows {
  std::vector<PartitionNumber> partitions;  // By row; kNoPartition: rejected.
  std::vector<Rejection> rejected;          // By index.
};

// Tells where each well-formed row belongs, and which rows are not taken (STATE.md rules 20 and
// 22). Both passes use it, so that they agree. Not thread-safe: one for each thread.
class RowScreen {
 public:
  // All must outlive it.
  RowScreen(const project::Source& source, const Interval& unit, const RowLayout& layout,
            const table::TableMetadata& metadata, PartitionNumbers& numbers);

  Result<ScreenedRows> Screen(const arrow::RecordBatch& rows);

 private:
  const RowLayout& layout_;
  std::int64_t horizon_micros_;  // Older rows are beyond lateness.
  PartitionRouter router_;
};

}  // namespace strandline::pipeline::ingest
