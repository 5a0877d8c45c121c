#pragma once

#include <cstdint>
#include <vector>

#include "strandline/pipeline/ingest/internal/row_id.h"

namespace strandline::pipeline::ingest {

// Some rows of a landing unit: one bit for each row that it has. Add() and Contains() may be called
// by several threads at once; what one thread added, another is sure to see only after they met.
class RowSet {
 public:
  RowSet() = default;
  explicit RowSet(const std::vector<std::int64_t>& rows_by_file);

  // True when it was not in the set before.
  bool Add(RowId row);
  bool Contains(RowId row) const;

  // Whether any row of a file is in the set.
  bool AnyIn(std::size_t file) const;

 private:
  std::vector<std::vector<std::uint64_t>> words_;
};

}  // namespace strandline::pipeline::ingest
