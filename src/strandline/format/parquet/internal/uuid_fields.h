#pragma once

#include <memory>

#include <arrow/type_fwd.h>

namespace strandline::format {

// The schema with every field marked as a UUID (kUuidFieldKey), at any depth, given Arrow's UUID
// type, which the Parquet library stores with the logical type UUID.
std::shared_ptr<arrow::Schema> WithUuidTypes(const arrow::Schema& schema);

// `values` as an array of `type`, which differs from its own type in UUID fields only. Copies no
// values.
std::shared_ptr<arrow::Array> WithUuidTypes(const arrow::Array& values,
                                            const std::shared_ptr<arrow::DataType>& type);

}  // namespace strandline::format
