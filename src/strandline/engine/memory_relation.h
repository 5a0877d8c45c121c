#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/engine/engine.h"

namespace strandline::engine {

// Rows that are in memory already: metadata tables, given rows of a test. Each batch is a part. The
// filter is not looked at, all rows come. Every batch has `schema` (checked).
std::shared_ptr<Relation> MakeMemoryRelation(
    std::shared_ptr<arrow::Schema> schema,
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches);

}  // namespace strandline::engine
