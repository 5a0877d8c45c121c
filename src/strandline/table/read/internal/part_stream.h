#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/format/batch/batch_stream.h"
#include "strandline/table/read/internal/row_selection.h"
#include "strandline/table/read/internal/scan_file.h"

namespace strandline::table::internal {

// The rows of one row group as the scan's columns, deletes and cut applied. `deleted` are positions
// in the file, ascending. `cache` may be null. `file` and `cache` must outlive the stream.
Result<std::unique_ptr<format::BatchStream>> ReadRowGroup(const ScanFile& file,
                                                          const ScanFile::RowGroup& row_group,
                                                          std::vector<std::int64_t> deleted,
                                                          std::shared_ptr<arrow::Schema> schema,
                                                          ColumnCache* cache);

}  // namespace strandline::table::internal
