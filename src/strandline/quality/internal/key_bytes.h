#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/api.h>

#include "strandline/base/result.h"

namespace strandline::quality::internal {

// The key columns of one batch as bytes, row by row: equal keys have equal bytes, different ones
// different bytes.
class KeyBytes {
 public:
  // kUnsupported for column types that are not primitive.
  static Result<KeyBytes> Make(const arrow::RecordBatch& batch);

  // The bytes of one row's key, valid until the next call; empty optional-like `data() == nullptr`
  // when a column is null.
  std::string_view At(std::int64_t row);

  // The one column of texts or bytes that is the whole key, for a tight loop; null when the key is
  // another.
  const arrow::BinaryArray* single_text() const;

  // For people: `7f3a…`, or `DE, 5` for several columns.
  std::string TextAt(std::int64_t row) const;

 private:
  struct Column {
    std::shared_ptr<arrow::Array> array;
    int width = 0;                         // Bytes of a fixed-width value; 0: variable.
    const std::uint8_t* values = nullptr;  // Of fixed-width columns, at the array's offset.
  };

  explicit KeyBytes(std::vector<Column> columns) : columns_(std::move(columns)) {}

  std::vector<Column> columns_;
  std::string buffer_;
};

}  // namespace strandline::quality::internal
