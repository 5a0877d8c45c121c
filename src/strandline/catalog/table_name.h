#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/result.h"

namespace strandline::catalog {

// `ads.impressions`: namespace levels and a table, no catalog.
struct TableName {
  std::vector<std::string> levels;
  std::string table;

  friend auto operator<=>(const TableName&, const TableName&) = default;
};

// Reads `level.level.table`; at least one level. kInvalidArgument for empty parts, and for names
// with slashes, control characters or a leading dot, which could not be told apart as folders.
Result<TableName> ParseTableName(std::string_view text);
std::string ToString(const TableName& name);

}  // namespace strandline::catalog
