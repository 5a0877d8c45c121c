#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/table/manifest/manifest.h"
#include "strandline/table/schema/schema.h"
#include "strandline/table/write/internal/leaf_metrics.h"
#include "strandline/table/write/internal/metrics_mode.h"

namespace strandline::table {

// Metrics of all columns of one file, gathered batch by batch, by the ids of leaf fields. Leaves of
// structs are like columns, null where the struct is. Leaves of lists and maps have counts as
// Parquet counts them (a null or empty list is one null entry) and no bounds.
class FileMetrics {
 public:
  // kInvalidArgument when a property of the table that says what to gather is malformed.
  static Result<FileMetrics> Make(const TableMetadata& metadata, const Schema& schema);

  // `batch` has the types of ArrowSchema(schema). kInvalidArgument naming the field when a required
  // one holds a null that no null around it explains; nothing of the batch counts then.
  Status Add(const arrow::RecordBatch& batch);

  // Fills counts and bounds of `file`, as far as the columns' modes allow.
  void Describe(DataFile& file) const;

  // A field of the schema, the fields inside it below.
  struct Node {
    FieldId id;
    std::string path;
    Type type;
    bool required = false;
    bool repeated = false;  // Inside a list or a map.
    MetricsMode mode;
    std::vector<Node> children;
    // Of leaves.
    std::int64_t value_count = 0;
    std::int64_t null_count = 0;
    std::unique_ptr<LeafMetrics> values;  // Null where neither bounds nor NaNs are asked for.
  };

 private:
  explicit FileMetrics(std::vector<Node> columns) : columns_(std::move(columns)) {}

  std::vector<Node> columns_;
};

}  // namespace strandline::table
