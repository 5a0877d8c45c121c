#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/io/file_io.h"

namespace strandline::format {

// The reason of a problem that callers tell from the others.
inline constexpr std::string_view kNullInRequired = "null in a required column";

// A row of a landed file that cannot be taken as it is.
struct RowProblem {
  std::int64_t position = 0;  // Row number (Parquet) or byte offset of the line (JSON lines).
  std::int64_t row = 0;       // Index among the file's rows or lines, from 0.
  std::string reason;         // `not valid JSON`, `null in a required column`, `not a long`, ...
  std::string detail;  // What differs between rows of one reason (`20971520 bytes`); or empty.
  std::string column;  // Empty when it concerns the whole row.
  std::string raw;     // At most 4 KiB of what was there, as text.
};

// At most 4 KiB of `bytes` as valid UTF-8, whole characters only: what is not UTF-8 becomes U+FFFD.
std::string RawText(std::string_view bytes);

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

// Opens a landed file as `schema`, which holds Arrow's forms of Iceberg's primitive types
// (nullable flags are honoured: a null in a non-nullable column is a problem of its row). Columns
// of the file that `schema` lacks are ignored; nullable ones that the file lacks are null.
//
// Parquet: values are converted where nothing but declared rounding is lost: ints widen, doubles
// become decimals rounded half away from zero to the declared scale, timestamps change their unit
// (finer than a microsecond is cut off towards the past; one without a zone is UTC); whatever does
// not fit is a problem of its row, as is text that is not UTF-8. kInvalidArgument when a
// non-nullable column is missing, a name is there twice or a type can never be converted.
//
// JSON lines (gzip and zstandard by their magic bytes): an object a line; blank lines are no rows.
// Strings, numbers and booleans are taken as what they are and never as each other, except that a
// decimal may be a number or a string; either way it is read exactly. Dates, times and timestamps
// are ISO 8601 text (`2026-11-30T05:00:00.123456Z`; `T` may be a space, a missing zone is UTC,
// finer than a microsecond is cut off); a bare number has no unit and is a problem. A field that
// comes twice is a problem of its line. kInvalidArgument for a column of a type that JSON lines
// cannot give.
//
// Both: kNotFound when the file is gone, kCorrupt when it is broken or not of `size_bytes`.
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
