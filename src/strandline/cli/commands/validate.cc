#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/cli/commands/commands.h"
#include "strandline/cli/output/text.h"
#include "strandline/cli/output/unit_json.h"

namespace strandline::cli {

Result<ExitCode> RunValidate(const GlobalOptions& options) {
  std::string directory = options.project_directory;
  if (directory.empty()) {
    std::error_code error;
    directory =
        SL_TRY(project::FindProjectDirectory(std::filesystem::current_path(error).string()));
  }
  const project::LoadedProject loaded =
      SL_TRY(project::LoadProject(directory, options.environment));
  const auto errors = std::ranges::count(loaded.problems, project::ProblemSeverity::kError,
                                         &project::Problem::severity);
  if (options.output == OutputFormat::kJson) {
    nlohmann::json object = {{"version", 1},
                             {"command", "validate"},
                             {"valid", errors == 0},
                             {"problems", nlohmann::json::array()}};
    for (const project::Problem& problem : loaded.problems) {
      const bool is_error = problem.severity == project::ProblemSeverity::kError;
      object["problems"].push_back({{"file", problem.at.file},
                                    {"line", problem.at.line},
                                    {"column", problem.at.column},
                                    {"severity", is_error ? "error" : "warning"},
                                    {"message", problem.message}});
    }
    PrintJson(object);
  } else {
    for (const project::Problem& problem : loaded.problems) {
      fmt::print("{}\n", ToString(problem));
    }
    if (errors == 0) {
      fmt::print("{} and {} are valid.\n",
                 Counted(static_cast<std::int64_t>(loaded.project.sources.size()), "source"),
                 Counted(static_cast<std::int64_t>(loaded.project.models.size()), "model"));
    }
  }
  return errors == 0 ? ExitCode::kDone : ExitCode::kUsage;
}

}  // namespace strandline::cli
