#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "strandline/engine/sql_analysis.h"
#include "strandline/project/internal/check_project.h"
#include "strandline/project/internal/config_file.h"
#include "strandline/project/internal/model_file.h"
#include "strandline/project/internal/problem_list.h"
#include "strandline/project/internal/project_files.h"
#include "strandline/project/internal/source_file.h"
#include "strandline/project/project.h"

namespace strandline::project {
namespace {

namespace fs = std::filesystem;

std::string AbsoluteDirectory(const std::string& directory) {
  std::error_code error;
  const fs::path absolute = fs::absolute(directory.empty() ? "." : directory, error);
  std::string text = (error ? fs::path(directory) : absolute).lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) {
    text.pop_back();
  }
  return text;
}

// The table that a file with a broken syntax would have declared, from the line that says so.
std::optional<catalog::TableName> TableInBrokenFile(std::string_view text) {
  constexpr std::string_view kKey = "table:";
  constexpr std::string_view kSpace = " \t\r\"'";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
    if (!line.starts_with(kKey)) {
      continue;
    }
    line.remove_prefix(std::min(line.find_first_not_of(kSpace, kKey.size()), line.size()));
    const Result<catalog::TableName> name =
        catalog::ParseTableName(line.substr(0, line.find_first_of(kSpace)));
    return name ? std::optional<catalog::TableName>(*name) : std::nullopt;
  }
  return std::nullopt;
}

void NoteBrokenFile(const internal::ProjectFile& file, internal::ProjectParts& parts) {
  if (std::optional<catalog::TableName> table = TableInBrokenFile(file.text)) {
    parts.broken_tables.push_back(*std::move(table));
  } else {
    parts.has_unknown_tables = true;
  }
}

internal::ProjectParts ReadParts(const internal::ProjectFiles& files, const std::string& directory,
                                 const internal::Defaults& defaults, engine::SqlParser& parser,
                                 internal::ProblemList& problems) {
  internal::ProjectParts parts;
  parts.has_unknown_tables = !files.is_complete;
  for (const internal::ProjectFile& file : files.sources) {
    if (auto source = internal::ReadSource(file, directory, defaults, parser, problems)) {
      parts.sources.push_back(*std::move(source));
    } else {
      NoteBrokenFile(file, parts);
    }
  }
  for (const internal::ProjectFile& file : files.models) {
    if (auto model = internal::ReadModel(file, defaults, parser, problems)) {
      parts.models.push_back(*std::move(model));
    } else {
      NoteBrokenFile(file, parts);
    }
  }
  return parts;
}

}  // namespace

Result<LoadedProject> LoadProject(const std::string& directory,
                                  const std::map<std::string, std::string>& environment) {
  internal::ProblemList problems;
  const std::string root = AbsoluteDirectory(directory);
  const internal::ProjectFiles files = SL_TRY(internal::ReadProjectFiles(root, problems));

  const std::unique_ptr<engine::SqlParser> parser =
      SL_TRY(engine::SqlParser::Make(), "starting the SQL parser");

  internal::Config config;
  if (files.config) {
    config = internal::ReadConfig(*files.config, root, environment, problems);
  }
  internal::ProjectParts parts = ReadParts(files, root, config.defaults, *parser, problems);
  internal::CheckProject(parts, problems);

  LoadedProject loaded;
  loaded.project = {.name = std::move(config.project),
                    .directory = root,
                    .catalogs = std::move(config.catalogs),
                    .default_catalog = std::move(config.default_catalog),
                    .engine = std::move(config.engine),
                    .sources = std::move(parts.sources),
                    .models = internal::InOrderOfReading(std::move(parts.models))};
  std::ranges::sort(loaded.project.sources, {}, &Source::name);
  loaded.problems = std::move(problems).InFileOrder();
  return loaded;
}

Result<std::string> FindProjectDirectory(const std::string& directory) {
  const std::string start = AbsoluteDirectory(directory);
  fs::path candidate(start);
  while (true) {
    std::error_code error;
    if (fs::exists(candidate / internal::kConfigFile, error)) {
      return candidate.string();
    }
    if (candidate == candidate.parent_path()) {
      return MakeError(
          ErrorKind::kNotFound,
          "no project here: neither {} nor a folder above it has a {}; go to one, name "
          "it with --project DIR, or make one with `strandline init DIR`",
          start, internal::kConfigFile);
    }
    candidate = candidate.parent_path();
  }
}

}  // namespace strandline::project
