#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/engine/duckdb/internal/handles.h"

namespace strandline::engine {

// One output of a statement.
struct AnswerColumn {
  std::string name;
  std::shared_ptr<arrow::Field> field;  // As Iceberg can hold it.
  std::string cast_to;                  // SQL type; empty: the engine's type is the right one.
};

// What a prepared statement gives. kUnsupported with the column for types that no table can hold.
Result<std::vector<AnswerColumn>> AnswerColumnsOf(duckdb_prepared_statement statement);

std::shared_ptr<arrow::Schema> SchemaOf(const std::vector<AnswerColumn>& columns);

}  // namespace strandline::engine
