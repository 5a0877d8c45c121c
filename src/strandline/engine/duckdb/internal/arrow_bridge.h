#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/engine/duckdb/internal/handles.h"

namespace strandline::engine {

// How the engine reads arrays of a schema. kUnsupported when it cannot.
Result<ArrowTypesHandle> ArrowTypesOf(duckdb_connection connection, const arrow::Schema& schema);

// The engine's type for each column.
Result<std::vector<TypeHandle>> EngineTypesOf(duckdb_connection connection,
                                              const arrow::Schema& schema);

// Rows of a batch as the engine's vectors, which refer to the batch's memory and keep it alive. At
// most as many rows as a vector holds.
Result<ChunkHandle> ChunkOf(duckdb_connection connection, const arrow::RecordBatch& batch,
                            std::int64_t offset, std::int64_t rows,
                            duckdb_arrow_converted_schema types);

// A chunk as a batch of `schema`, which must have its layout. Consumes nothing of the chunk.
Result<std::shared_ptr<arrow::RecordBatch>> BatchOf(duckdb_arrow_options options,
                                                    duckdb_data_chunk chunk,
                                                    const std::shared_ptr<arrow::Schema>& schema);

}  // namespace strandline::engine
