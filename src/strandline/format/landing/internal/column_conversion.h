#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"

namespace strandline::format::landing {

// A landed column as the declared type, and the rows of the batch (ascending) whose value does not
// fit it; what those rows hold in `values` means nothing.
struct ConvertedColumn {
  std::shared_ptr<arrow::Array> values;
  std::vector<std::int64_t> misfits;
};

// Thread-safe.
using ConvertColumn =
    std::function<Result<ConvertedColumn>(const std::shared_ptr<arrow::Array>& landed)>;

// How a landed column of type `from` becomes one of type `to`; equal types are handed on without
// copying. kInvalidArgument, in words for the user but without the column's name, when no value
// could ever be converted.
Result<ConvertColumn> FindConversion(const std::shared_ptr<arrow::DataType>& from,
                                     const std::shared_ptr<arrow::DataType>& to);

}  // namespace strandline::format::landing
