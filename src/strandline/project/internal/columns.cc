#include "strandline/project/internal/columns.h"

#include <algorithm>

#include "strandline/project/internal/near_miss.h"

namespace strandline::project::internal {

void CheckColumnExists(std::string_view column, std::string_view what, const KnownColumns& columns,
                       const FilePosition& at, ProblemList& problems) {
  if (columns.is_complete && std::ranges::find(columns.names, column) == columns.names.end()) {
    problems.Error(at, "{} names the column `{}`, which this table does not have{}", what, column,
                   Suggestion(column, columns.names));
  }
}

}  // namespace strandline::project::internal
