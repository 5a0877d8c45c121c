#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strandline/project/project.h"

namespace strandline::project::internal {

// What is wrong with the user's files, gathered while reading goes on: a reader reports and carries
// on with a default, so that one run shows every fault.
class ProblemList {
 public:
  template <typename... Args>
  void Error(const FilePosition& at, fmt::format_string<Args...> format, Args&&... args) {
    Add(at, ProblemSeverity::kError, fmt::format(format, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void Warning(const FilePosition& at, fmt::format_string<Args...> format, Args&&... args) {
    Add(at, ProblemSeverity::kWarning, fmt::format(format, std::forward<Args>(args)...));
  }

  // Whether anything is wrong with this file so far.
  bool HasErrorsIn(std::string_view file) const;

  // By file, line and column; problems of one place in the order they were found.
  std::vector<Problem> InFileOrder() &&;

 private:
  void Add(const FilePosition& at, ProblemSeverity severity, std::string message);

  std::vector<Problem> problems_;
};

}  // namespace strandline::project::internal
