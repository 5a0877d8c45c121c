#include "strandline/engine/duckdb/internal/arrow_bridge.h"

#include <utility>

#include <arrow/api.h>
#include <arrow/c/bridge.h>

#include "strandline/format/batch/arrow_status.h"

namespace strandline::engine {

namespace {

// The C structures, released unless somebody took their content.
struct OwnedSchema {
  ArrowSchema c = {};
  OwnedSchema() = default;
  OwnedSchema(const OwnedSchema&) = delete;
  OwnedSchema& operator=(const OwnedSchema&) = delete;
  ~OwnedSchema() {
    if (c.release != nullptr) {
      c.release(&c);
    }
  }
};
struct OwnedArray {
  ArrowArray c = {};
  OwnedArray() = default;
  OwnedArray(const OwnedArray&) = delete;
  OwnedArray& operator=(const OwnedArray&) = delete;
  ~OwnedArray() {
    if (c.release != nullptr) {
      c.release(&c);
    }
  }
};

Status Check(duckdb_error_data raw, ErrorKind kind) {
  const ErrorHandle error(raw);
  if (error && duckdb_error_data_has_error(error.get())) {
    return MakeError(kind, "{}", duckdb_error_data_message(error.get()));
  }
  return {};
}

}  // namespace

Result<ArrowTypesHandle> ArrowTypesOf(duckdb_connection connection, const arrow::Schema& schema) {
  OwnedSchema exported;
  SL_TRY(format::FromArrow(arrow::ExportSchema(schema, &exported.c), ErrorKind::kUnsupported));
  duckdb_arrow_converted_schema types = nullptr;
  SL_TRY(Check(duckdb_schema_from_arrow(connection, &exported.c, &types), ErrorKind::kUnsupported));
  return ArrowTypesHandle(types);
}

Result<std::vector<TypeHandle>> EngineTypesOf(duckdb_connection connection,
                                              const arrow::Schema& schema) {
  // What the engine makes of an empty batch says more than a second table of types could.
  const ArrowTypesHandle types = SL_TRY(ArrowTypesOf(connection, schema));
  const std::shared_ptr<arrow::RecordBatch> empty = SL_TRY(
      format::FromArrow(arrow::RecordBatch::MakeEmpty(std::make_shared<arrow::Schema>(schema)),
                        ErrorKind::kUnsupported));
  const ChunkHandle chunk = SL_TRY(ChunkOf(connection, *empty, 0, 0, types.get()));
  const idx_t columns = duckdb_data_chunk_get_column_count(chunk.get());
  std::vector<TypeHandle> result;
  result.reserve(columns);
  for (idx_t i = 0; i < columns; ++i) {
    result.emplace_back(
        duckdb_vector_get_column_type(duckdb_data_chunk_get_vector(chunk.get(), i)));
  }
  return result;
}

Result<ChunkHandle> ChunkOf(duckdb_connection connection, const arrow::RecordBatch& batch,
                            std::int64_t offset, std::int64_t rows,
                            duckdb_arrow_converted_schema types) {
  OwnedArray exported;
  SL_TRY(format::FromArrow(arrow::ExportRecordBatch(*batch.Slice(offset, rows), &exported.c)));
  duckdb_data_chunk chunk = nullptr;
  SL_TRY(Check(duckdb_data_chunk_from_arrow(connection, &exported.c, types, &chunk),
               ErrorKind::kUnsupported));
  return ChunkHandle(chunk);
}

Result<std::shared_ptr<arrow::RecordBatch>> BatchOf(duckdb_arrow_options options,
                                                    duckdb_data_chunk chunk,
                                                    const std::shared_ptr<arrow::Schema>& schema) {
  OwnedArray exported;
  SL_TRY(Check(duckdb_data_chunk_to_arrow(options, chunk, &exported.c), ErrorKind::kUnsupported));
  return format::FromArrow(arrow::ImportRecordBatch(&exported.c, schema), ErrorKind::kUnsupported);
}

}  // namespace strandline::engine
