#pragma once

#include <string_view>

#include "strandline/catalog/table_name.h"

namespace strandline::project::internal {

// Tables that come with a source's own: rows that were refused, and keys that were taken out.
inline constexpr std::string_view kQuarantineSuffix = "__quarantine";
inline constexpr std::string_view kRemovedSuffix = "__removed";

inline catalog::TableName QuarantineOf(catalog::TableName table) {
  table.table += kQuarantineSuffix;
  return table;
}

}  // namespace strandline::project::internal
