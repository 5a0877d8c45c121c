#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace strandline::project::internal {

// The two halves of a model's file. White space stands in for what was cut away, so that lines and
// columns of both halves are the file's.
struct ModelText {
  std::string settings;  // YAML.
  int settings_line = 1;
  std::string sql;  // Begins on the first line with something on it.
  int sql_line = 1;
};

// Takes a model's file apart. Absent when it does not begin with `/* strandline` or that comment
// does not end.
std::optional<ModelText> SplitModelText(std::string_view text);

}  // namespace strandline::project::internal
