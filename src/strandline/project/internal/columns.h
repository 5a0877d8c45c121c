#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strandline/project/internal/problem_list.h"
#include "strandline/project/project.h"

namespace strandline::project::internal {

// The columns of a table as far as its declaration tells them.
struct KnownColumns {
  std::vector<std::string> names;
  // Whether `names` is all of them: then a name that is not there is a mistake. Parquet files may
  // hold more than was declared, and a SELECT may name its columns by `*`.
  bool is_complete = false;
};

// Reports a column that the table cannot have. `what` says where it was named: "the check
// `unique`".
void CheckColumnExists(std::string_view column, std::string_view what, const KnownColumns& columns,
                       const FilePosition& at, ProblemList& problems);

}  // namespace strandline::project::internal
