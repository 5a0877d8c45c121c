#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/io/file_io.h"

namespace strandline::format {

// A row of a landed file that cannot be taken as it is.
struct RowProblem {
  std::int64_t position = 0;  // Row number (Parquet) or byte offset of the line (JSON lines).
  std::int64_t row = 0;       // Index among the file's rows or lines, from 0.
  std::string reason;         // `not valid JSON`, `null in a required column`, `not a long`, ...
  std::string column;         // Empty when it concerns the whole row.
  std::string raw;            // At most 4 KiB of what was there, as text.
};

// Some rows of a landed file as the columns asked for, and the rows between them that could not be.
struct LandedBatch {
  std::shared_ptr<arrow::RecordBatch> rows;
  // Index among the file's rows or lines of each row, ascending; together with `problems` every row
  // is accounted for once.
  std::vector<std::int64_t> row_indexes;
  std::vector<std::int64_t> positions;  // As RowProblem::position.
  std::vector<RowProblem> problems;
};

// One landed file, read in row order. A second reader over the same file with other columns reports
// the same problems for the columns that both read.
class LandingReader {
 public:
  virtual ~LandingReader() = default;
  // Null after the last batch. kCorrupt, naming the file, when it cannot be read on (a cut gzip, a
  // bad page).
  virtual Result<std::unique_ptr<LandedBatch>> Next() = 0;
};

struct LandingOptions {
  std::int64_t batch_rows = 65536;
  std::int64_t max_line_bytes =
      16 << 20;  // A longer line is a problem row: its first 4 KiB, length and offset are reported.
};

// Opens a landed Parquet file or JSON lines (gzip and zstandard by their magic bytes) as `schema`
// (nullable flags are honoured: a null in a non-nullable column is a problem of its row). Values
// are converted where nothing but declared rounding is lost: ints widen, doubles become decimals
// rounded to the declared scale, timestamps change their unit; whatever does not fit is a problem
// of its row. Columns of the file that `schema` lacks are ignored; nullable ones that the file
// lacks are null. kCorrupt when the file is broken, kInvalidArgument when a non-nullable column is
// missing or a type can never be converted.
Result<std::unique_ptr<LandingReader>> OpenLandedParquet(io::FileIo& io,
                                                         const std::string& location,
                                                         std::int64_t size_bytes,
                                                         std::shared_ptr<arrow::Schema> schema,
                                                         const LandingOptions& options);
Result<std::unique_ptr<LandingReader>> OpenLandedJsonLines(io::FileIo& io,
                                                           const std::string& location,
                                                           std::int64_t size_bytes,
                                                           std::shared_ptr<arrow::Schema> schema,
                                                           const LandingOptions& options);

}  // namespace strandline::format
