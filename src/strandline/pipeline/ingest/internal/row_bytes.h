#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"

namespace strandline::pipeline::ingest {

// Some columns of a row as bytes that are equal exactly when all their values are: hashed, and
// compared, in place of the values. Zeros of both signs are one value, as are all NaNs.
//
// Made for one batch; the batch must outlive it. Not thread-safe.
class RowBytes {
 public:
  // `columns` are indexes in `batch`. Each value stands behind a mark for null, text behind its
  // length. kUnsupported for nested columns, by name.
  static Result<RowBytes> OfColumns(const arrow::RecordBatch& batch,
                                    const std::vector<int>& columns);
  // Likewise, but a single text or binary column gives its own bytes, without copying them. No
  // value may be null.
  static Result<RowBytes> OfKey(const arrow::RecordBatch& batch, const std::vector<int>& columns);

  // Valid until the next call.
  std::string_view Of(std::int64_t row);

 private:
  enum class Layout { kBits, kFixed, kFloat, kDouble, kBytes };
  struct Column {
    Layout layout = Layout::kFixed;
    const arrow::Array* array = nullptr;
    const char* values = nullptr;           // Fixed widths: the first row's; bytes: their data.
    const std::int32_t* offsets = nullptr;  // Bytes only.
    std::size_t width = 0;                  // Fixed widths only.
    bool has_nulls = false;
  };

  static Result<Column> Describe(const arrow::Array& array, const std::string& name);
  void Append(const Column& column, std::int64_t row);

  std::vector<Column> columns_;
  bool plain_ = false;  // One column of bytes, handed out as it is.
  std::string buffer_;
};

}  // namespace strandline::pipeline::ingest
