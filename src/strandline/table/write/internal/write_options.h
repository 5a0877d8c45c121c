#pragma once

#include "strandline/base/result.h"
#include "strandline/format/parquet/parquet_writer.h"
#include "strandline/table/metadata/table_metadata.h"

namespace strandline::table {

// WriteOptionsOf() for files that have the columns of `schema`.
Result<format::ParquetWriteOptions> WriteOptionsFor(const TableMetadata& metadata,
                                                    const Schema& schema);

}  // namespace strandline::table
