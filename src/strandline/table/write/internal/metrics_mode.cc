#include "strandline/table/write/internal/metrics_mode.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <system_error>

namespace strandline::table {
namespace {

constexpr std::string_view kDefaultKey = "write.metadata.metrics.default";
constexpr std::string_view kColumnKeyPrefix = "write.metadata.metrics.column.";
constexpr std::string_view kDefaultMode = "truncate(16)";

Result<MetricsMode> ModeOfProperty(const TableMetadata& metadata, const std::string& key) {
  return SL_TRY(ParseMetricsMode(PropertyOr(metadata, key, kDefaultMode)), "table property {}",
                key);
}

}  // namespace

Result<MetricsMode> ParseMetricsMode(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "none") {
    return MetricsMode{.kind = MetricsKind::kNone};
  }
  if (lower == "counts") {
    return MetricsMode{.kind = MetricsKind::kCounts};
  }
  if (lower == "full") {
    return MetricsMode{.kind = MetricsKind::kBounds, .width = kNoWidth};
  }
  constexpr std::string_view kTruncate = "truncate(";
  if (lower.starts_with(kTruncate) && lower.ends_with(')')) {
    const char* const end = lower.data() + lower.size() - 1;
    std::size_t width = 0;
    const auto [stop, error] = std::from_chars(lower.data() + kTruncate.size(), end, width);
    if (error == std::errc() && stop == end && width > 0) {
      return MetricsMode{.kind = MetricsKind::kBounds, .width = width};
    }
  }
  return MakeError(ErrorKind::kInvalidArgument,
                   "a metrics mode is none, counts, truncate(n) with n above 0, or full: {}", text);
}

Result<MetricsMode> MetricsModeOf(const TableMetadata& metadata, std::string_view path) {
  const std::string key = std::string(kColumnKeyPrefix).append(path);
  return ModeOfProperty(metadata,
                        metadata.properties.contains(key) ? key : std::string(kDefaultKey));
}

}  // namespace strandline::table
