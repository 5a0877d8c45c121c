#include "strandline/project/internal/problem_list.h"

#include <algorithm>

namespace strandline::project::internal {

std::vector<Problem> ProblemList::InFileOrder() && {
  std::ranges::stable_sort(problems_, {}, &Problem::at);
  return std::move(problems_);
}

bool ProblemList::HasErrorsIn(std::string_view file) const {
  return std::ranges::any_of(problems_, [file](const Problem& problem) {
    return problem.severity == ProblemSeverity::kError && problem.at.file == file;
  });
}

void ProblemList::Add(const FilePosition& at, ProblemSeverity severity, std::string message) {
  problems_.push_back({.at = at, .severity = severity, .message = std::move(message)});
}

}  // namespace strandline::project::internal
