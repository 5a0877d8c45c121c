#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/interval.h"
#include "strandline/base/result.h"

namespace strandline::table::internal {

// Which rows of a row group are left: those not deleted whose time lies in an interval.
class RowSelection {
 public:
  // `deleted`: positions in the file, ascending.
  explicit RowSelection(std::vector<std::int64_t> deleted) : deleted_(std::move(deleted)) {}

  // Also drops the rows whose time in column `column` of the batches is null or outside. The column
  // holds dates or microseconds.
  void CutTo(int column, const Interval& interval) { cut_ = Cut{column, interval}; }

  // The rows of `batch` that are left, in order; null when there are none. `first_position` is the
  // position of its first row in the file; batches come in order. Copies only where rows are left
  // out between others: all rows, or one run of them, are a view of the batch.
  Result<std::shared_ptr<arrow::RecordBatch>> Apply(
      const std::shared_ptr<arrow::RecordBatch>& batch, std::int64_t first_position);

 private:
  struct Cut {
    int column;
    Interval interval;
  };

  std::vector<std::int64_t> deleted_;
  std::size_t next_deleted_ = 0;  // The first of `deleted_` not yet behind us.
  std::optional<Cut> cut_;
};

}  // namespace strandline::table::internal
