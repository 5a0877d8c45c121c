#pragma once

#include <cstddef>
#include <string_view>

#include "strandline/base/result.h"
#include "strandline/table/metadata/table_metadata.h"
#include "strandline/table/write/internal/bound_truncation.h"

namespace strandline::table {

// What of a column's metrics is kept in manifests.
enum class MetricsKind { kNone, kCounts, kBounds };
struct MetricsMode {
  MetricsKind kind = MetricsKind::kBounds;
  std::size_t width = 16;  // Of string and binary bounds; kNoWidth: whole.

  friend bool operator==(const MetricsMode&, const MetricsMode&) = default;
};

// `none`, `counts`, `truncate(16)`, `full`, in any case. kInvalidArgument for anything else.
Result<MetricsMode> ParseMetricsMode(std::string_view text);

// The mode of a column by its dotted path: `write.metadata.metrics.column.<path>`, or
// `write.metadata.metrics.default`, or truncate(16). kInvalidArgument names the property.
Result<MetricsMode> MetricsModeOf(const TableMetadata& metadata, std::string_view path);

}  // namespace strandline::table
