#pragma once

#include <cstddef>
#include <memory>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"

namespace strandline::format {

// Rows in order, a batch at a time. Not thread-safe.
class BatchStream {
 public:
  virtual ~BatchStream() = default;

  // The next batch, never empty; null after the last one.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> Next() = 0;
};

// Rows in parts that can be read at the same time by several threads (a part is typically one
// Parquet row group). Immutable: every call gives the same rows.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  // The schema of every batch of every part.
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;

  virtual std::size_t part_count() const = 0;

  // Thread-safe. The stream must not outlive the source.
  virtual Result<std::unique_ptr<BatchStream>> OpenPart(std::size_t part) = 0;
};

}  // namespace strandline::format
