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

// Reads `level.level.table`; at least one level. kInvalidArgument for empty parts (so also for a
// dot at either end), for slashes and control characters, since a part must be usable as a folder,
// and for a part that begins or ends with a space, which other clients strip.
Result<TableName> ParseTableName(std::string_view text);
std::string ToString(const TableName& name);

// The same rules for names that were built and not parsed. A dot inside one part is refused too:
// catalogs join levels with dots, so `["a.b"]` and `["a", "b"]` would become one.
Status CheckTableName(const TableName& name);
Status CheckNamespace(const std::vector<std::string>& levels);

// Levels joined with dots, as SQL catalogs store them.
std::string NamespaceText(const std::vector<std::string>& levels);

}  // namespace strandline::catalog
