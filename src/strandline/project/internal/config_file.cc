#include "strandline/project/internal/config_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "strandline/io/location.h"
#include "strandline/project/internal/near_miss.h"
#include "strandline/project/internal/settings.h"
#include "strandline/project/internal/values.h"
#include "strandline/project/internal/yaml_value.h"

namespace strandline::project::internal {
namespace {

constexpr int kConfigVersion = 1;
constexpr int kThreadsMax = 1024;
constexpr std::string_view kTemporaryDirectory = ".strandline/tmp";
constexpr std::string_view kSqliteScheme = "sqlite:///";

// The folder where the engine spills unless the project says.
std::string DefaultTemporaryDirectory(const std::string& directory) {
  // A location made of a project's folder, which is open, has a local path.
  return io::LocalPath(io::FileLocation(kTemporaryDirectory, directory)).value();
}

// `path`, as written for `setting`, relative to `directory`. Absent, and reported, when no file can
// have such a name.
std::optional<std::string> AbsolutePath(std::string_view path, const std::string& directory,
                                        const YamlEntry& setting, ProblemList& problems) {
  if (path.find('\0') != std::string_view::npos) {
    problems.Error(setting.value.at, "`{}` has a zero byte in it: no file has such a name",
                   setting.key);
    return std::nullopt;
  }
  return io::LocalPath(io::FileLocation(path, directory))
      .value();  // It is a file's, so it has one.
}

// Puts the environment's values into every text below `value`.
void ReplaceEnvironment(YamlValue& value, const std::map<std::string, std::string>& environment,
                        ProblemList& problems) {
  for (YamlValue& item : value.items) {
    ReplaceEnvironment(item, environment, problems);
  }
  for (YamlEntry& entry : value.entries) {
    ReplaceEnvironment(entry.value, environment, problems);
  }
  std::string replaced;
  std::string_view rest = value.text;
  for (std::size_t open = rest.find("${"); open != std::string_view::npos; open = rest.find("${")) {
    const std::size_t close = rest.find('}', open);
    const std::string name(
        close == std::string_view::npos ? "" : rest.substr(open + 2, close - open - 2));
    const auto found = environment.find(name);
    if (name.empty()) {
      problems.Error(value.at, "an environment variable is written ${{NAME}}: found `{}`",
                     value.text);
      value.kind = YamlValue::Kind::kReported;
      return;
    }
    if (found == environment.end()) {
      problems.Error(value.at, "the environment variable `{}` is not set", name);
      value.kind = YamlValue::Kind::kReported;
      return;
    }
    replaced.append(rest.substr(0, open)).append(found->second);
    rest.remove_prefix(close + 1);
  }
  if (rest.size() != value.text.size()) {
    replaced.append(rest);
    value.written = std::exchange(value.text, std::move(replaced));
  }
}

// The path of the database behind `sqlite:///../catalog.db`, as SQLAlchemy and PyIceberg write it:
// what follows three slashes is relative, a fourth makes it absolute.
std::optional<std::string> ReadDatabase(const YamlEntry* uri, const std::string& directory,
                                        ProblemList& problems) {
  const std::optional<std::string> text = ReadText(uri, problems);
  if (!text) {
    return std::nullopt;
  }
  if (text->starts_with("postgresql")) {
    problems.Error(uri->value.at, "PostgreSQL catalogs are not supported yet: use sqlite:///PATH");
    return std::nullopt;
  }
  if (!text->starts_with(kSqliteScheme) || text->size() == kSqliteScheme.size()) {
    problems.Error(uri->value.at,
                   "`uri` names the catalog's database as sqlite:///PATH (relative to this file) "
                   "or sqlite:////PATH: found `{}`",
                   Shown(uri->value));
    return std::nullopt;
  }
  return AbsolutePath(text->substr(kSqliteScheme.size()), directory, *uri, problems);
}

std::optional<std::string> ReadWarehouse(const YamlEntry* warehouse, const std::string& directory,
                                         ProblemList& problems) {
  const std::optional<std::string> text = ReadText(warehouse, problems);
  if (!text) {
    return std::nullopt;
  }
  if (text->find(':') == std::string::npos) {
    const auto path = AbsolutePath(*text, directory, *warehouse, problems);
    return path ? std::optional(io::FileLocation(*path, directory)) : std::nullopt;
  }
  const Result<std::string> path = io::LocalPath(*text);
  if (path) {
    return io::FileLocation(*path, directory);
  }
  if (path.error().kind == ErrorKind::kUnsupported) {
    problems.Error(warehouse->value.at,
                   "warehouses in object stores are not supported yet: use a folder, found `{}`",
                   Shown(warehouse->value));
  } else {
    problems.Error(warehouse->value.at,
                   "`warehouse` is a folder, as a path or as file:///PATH: found `{}`",
                   Shown(warehouse->value));
  }
  return std::nullopt;
}

void ReadCatalog(const YamlEntry& entry, const std::string& directory, Config& config,
                 ProblemList& problems) {
  static constexpr std::array<Choice<bool>, 2> kTypes = {{{"sql", true}, {"rest", std::nullopt}}};
  Settings settings(entry.value, "a catalog", problems);
  ReadChoice<bool>(settings.Require("type"), kTypes, problems);
  CatalogConfig catalog;
  catalog.name = entry.key;
  catalog.at = entry.key_at;
  catalog.database_path = ReadDatabase(settings.Require("uri"), directory, problems).value_or("");
  catalog.warehouse =
      ReadWarehouse(settings.Require("warehouse"), directory, problems).value_or("");
  settings.Finish();
  config.catalogs.push_back(std::move(catalog));
}

void ReadCatalogs(const YamlEntry* entry, const std::string& directory, Config& config,
                  ProblemList& problems) {
  if (entry == nullptr) {
    return;
  }
  if (entry->value.kind != YamlValue::Kind::kMapping || entry->value.entries.empty()) {
    problems.Error(entry->value.at,
                   "`catalogs` is a mapping: the catalog's name, then its settings");
    return;
  }
  for (const YamlEntry& catalog : entry->value.entries) {
    ReadCatalog(catalog, directory, config, problems);
  }
  if (entry->value.entries.size() > 1) {
    problems.Error(entry->value.entries[1].key_at,
                   "a second catalog is not supported yet: tables are named without their catalog");
  }
}

void ReadDefaultCatalog(const YamlEntry* entry, Config& config, ProblemList& problems) {
  if (!config.catalogs.empty()) {
    config.default_catalog = config.catalogs.front().name;
  }
  const std::optional<std::string> name = ReadText(entry, problems);
  if (!name || config.catalogs.empty()) {
    return;
  }
  std::vector<std::string> names;
  for (const CatalogConfig& catalog : config.catalogs) {
    names.push_back(catalog.name);
  }
  if (std::ranges::find(names, *name) == names.end()) {
    problems.Error(entry->value.at, "there is no catalog `{}`{}", Shown(entry->value),
                   Suggestion(*name, names));
    return;
  }
  config.default_catalog = *name;
}

void ReadEngine(const YamlEntry* entry, const std::string& directory, EngineConfig& engine,
                ProblemList& problems) {
  static constexpr std::array<Choice<bool>, 3> kTypes = {
      {{"duckdb", true}, {"spark", std::nullopt}, {"trino", std::nullopt}}};
  if (entry == nullptr) {
    return;
  }
  Settings settings(entry->value, "`engine`", problems);
  ReadChoice<bool>(settings.Find("type"), kTypes, problems);
  if (const auto threads = ReadInteger(settings.Find("threads"), 1, kThreadsMax, problems)) {
    engine.threads = static_cast<int>(*threads);
  }
  engine.memory_limit_bytes =
      ReadByteSize(settings.Find("memory_limit"), problems).value_or(engine.memory_limit_bytes);
  const YamlEntry* temp_directory = settings.Find("temp_directory");
  if (const auto path = ReadText(temp_directory, problems)) {
    engine.temp_directory =
        AbsolutePath(*path, directory, *temp_directory, problems).value_or(engine.temp_directory);
  }
  settings.Finish();
}

void ReadDefaults(const YamlEntry* entry, Defaults& defaults, ProblemList& problems) {
  if (entry == nullptr) {
    return;
  }
  Settings settings(entry->value, "`defaults`", problems);
  defaults.owner = ReadText(settings.Find("owner"), problems).value_or(defaults.owner);
  defaults.tier = ReadTier(settings.Find("tier"), problems).value_or(defaults.tier);
  defaults.severity = ReadSeverity(settings.Find("severity"), problems).value_or(defaults.severity);
  settings.Finish();
}

}  // namespace

Config ReadConfig(const ProjectFile& file, const std::string& directory,
                  const std::map<std::string, std::string>& environment, ProblemList& problems) {
  Config config;
  config.engine.temp_directory = DefaultTemporaryDirectory(directory);
  std::optional<YamlValue> value = ParseYaml(file.name, file.text, 1, problems);
  if (!value) {
    return config;
  }
  ReplaceEnvironment(*value, environment, problems);

  Settings settings(*value, "a project", problems);
  ReadInteger(settings.Require("version"), kConfigVersion, kConfigVersion, problems);
  config.project = ReadText(settings.Require("project"), problems).value_or("");
  ReadCatalogs(settings.Require("catalogs"), directory, config, problems);
  ReadDefaultCatalog(settings.Find("default_catalog"), config, problems);
  ReadEngine(settings.Find("engine"), directory, config.engine, problems);
  ReadDefaults(settings.Find("defaults"), config.defaults, problems);
  settings.NotYet("environments", "a project has one");
  settings.NotYet("engines", "a project has one `engine`");
  settings.NotYet("alerts", "failures are on standard error and in the exit code");
  settings.NotYet("tenants", "a table has one source");
  settings.NotYet("restate_budget", "every stale window is restated by the next run");
  settings.Finish();
  return config;
}

}  // namespace strandline::project::internal
