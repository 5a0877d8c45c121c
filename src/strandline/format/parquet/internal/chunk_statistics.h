#pragma once

#include <parquet/metadata.h>
#include <parquet/schema.h>

#include "strandline/format/parquet/parquet_file.h"

namespace strandline::format {

// What of a footer's statistics can be trusted, in the form ChunkStatistics promises. May throw, as
// the Parquet library does.
ChunkStatistics StatisticsOf(const parquet::ColumnChunkMetaData& chunk,
                             const parquet::ColumnDescriptor& column);

}  // namespace strandline::format
