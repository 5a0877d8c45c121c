#pragma once

#include <span>
#include <string_view>

namespace strandline::project::internal {

struct InitFile {
  std::string_view name;  // Relative to the project.
  std::string_view text;
};

// The files of the project that `init` writes, markers after the files that they speak of.
std::span<const InitFile> InitFiles();

}  // namespace strandline::project::internal
