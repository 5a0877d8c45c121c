#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/table/read/scan_reader.h"
#include "strandline/table/scan/bound_expression.h"

namespace strandline::table::internal {

// What a scan wants of every file, resolved once.
struct ScanColumns {
  // The columns wanted, in order; after them the column of the cut if it is not among them.
  std::vector<NestedField> fields;
  std::size_t output_count = 0;

  struct Cut {
    std::size_t column;  // Index in `fields`.
    Interval interval;
    BoundExpression inside;  // The same as an expression, for proofs by bounds.
  };
  std::optional<Cut> cut;

  BoundExpression filter;
  // The top-level columns that the filter asks about.
  std::vector<NestedField> filter_fields;

  bool prune = true;
  bool with_positions = false;
  bool dictionaries = false;
  std::int64_t batch_rows = 0;
};

// kInvalidArgument when a column is not in the schema, the cut's column holds no times, or the
// filter does not fit.
Result<ScanColumns> ResolveColumns(const Schema& schema, const ScanReadOptions& options);

// The fields of `_file` and `_pos`, which specification reserves ids for.
// https://iceberg.apache.org/spec/#reserved-field-ids
NestedField FilePathField();
NestedField PositionField();

// The schema of every batch that the scan gives.
std::shared_ptr<arrow::Schema> OutputSchema(const ScanColumns& columns);

}  // namespace strandline::table::internal
