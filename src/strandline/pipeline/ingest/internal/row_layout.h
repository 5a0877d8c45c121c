#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/project/project.h"
#include "strandline/table/metadata/table_metadata.h"

namespace strandline::pipeline::ingest {

// Which columns of a landed file are read, and where in a batch of them things are.
struct RowLayout {
  // As landed rows must be: columns of the table, key and time not nullable.
  std::shared_ptr<arrow::Schema> schema;
  std::vector<int> key;
  int time = 0;
  std::optional<int> order;    // The column of `keep: max(column)`.
  std::vector<int> partition;  // Source column of each field of the table's spec.
  std::vector<int> payload;    // Everything but the key.
};

struct UnitLayouts {
  RowLayout keys;  // What the first pass reads: enough to tell partition, key and order.
  RowLayout all;   // Every column of the table but the bookkeeping ones, in the table's order.
};

// kInvalidArgument when the table lacks a column that the source declares or names, when the time
// column is no time, or the column of `keep: max(column)` has no order that fits 64 bits.
Result<UnitLayouts> LayoutsOf(const project::Source& source, const table::TableMetadata& metadata);

// Grows with the value, for the types that LayoutsOf() lets through as `order`; null is lowest, as
// is NaN.
std::int64_t OrderOf(const arrow::Array& array, std::int64_t row);

// Microseconds since 1970 of a value of the time column, which is not null.
std::int64_t MicrosOf(const arrow::Array& array, std::int64_t row);

}  // namespace strandline::pipeline::ingest
