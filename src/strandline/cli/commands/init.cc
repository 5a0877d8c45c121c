#include <filesystem>

#include <fmt/format.h>

#include "strandline/cli/commands/commands.h"
#include "strandline/project/init_template.h"

namespace strandline::cli {

Result<ExitCode> RunInit(const std::string& directory) {
  const std::string absolute = std::filesystem::absolute(directory).lexically_normal().string();
  SL_TRY(project::WriteSampleProject(absolute));
  fmt::print(
      "Wrote a project into {0}, with two landed hours of orders. Try:\n"
      "    cd {0}\n"
      "    strandline plan\n"
      "    strandline run\n"
      "    strandline status\n",
      directory);
  return ExitCode::kDone;
}

}  // namespace strandline::cli
