#pragma once

#include <memory>
#include <optional>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/table/schema/schema.h"

namespace strandline::table {

// The one mapping between Iceberg's and Arrow's types. uuid is fixed_size_binary(16), its field
// marked with the name of Arrow's UUID extension; timestamptz is timestamp[us, tz=UTC]; decimal is
// decimal128; string and binary have 32-bit offsets. Field ids go into the field metadata
// `PARQUET:field_id`.
std::shared_ptr<arrow::DataType> ArrowType(const Type& type);
std::shared_ptr<arrow::Field> ArrowField(const NestedField& field);
std::shared_ptr<arrow::Schema> ArrowSchema(const Schema& schema);

// The Iceberg type of an Arrow one, as a column landed in a file or computed by an engine would be
// stored (nested fields get ids from the Arrow metadata, or 0). Small integers become int, unsigned
// 32 bits long; large and view strings, dictionaries and run-end encodings become their values'
// type; times and timestamps of any unit become Iceberg's microseconds (whoever converts the values
// decides what may be lost). kUnsupported by name for what Iceberg version 2 cannot hold (unsigned
// 64 bits, decimals of more than 38 digits, intervals, ...).
Result<Type> IcebergType(const arrow::DataType& type);

// The same for a field: its name, its id (0 without one), whether it is required, and its type,
// which only a field tells in full (a marked UUID).
Result<NestedField> IcebergField(const arrow::Field& field);

// The `PARQUET:field_id` of a field; absent without one.
std::optional<FieldId> ArrowFieldId(const arrow::Field& field);

}  // namespace strandline::table
