#include "strandline/project/internal/model_file.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "strandline/engine/sql_analysis.h"
#include "strandline/project/internal/checks.h"
#include "strandline/project/internal/columns.h"
#include "strandline/project/internal/model_text.h"
#include "strandline/project/internal/settings.h"
#include "strandline/project/internal/source_columns.h"
#include "strandline/project/internal/sql_rules.h"
#include "strandline/project/internal/values.h"
#include "strandline/project/internal/yaml_value.h"

namespace strandline::project::internal {
namespace {

// `models/campaign_hourly.sql` is the model campaign_hourly.
std::string StemOf(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return std::string(name.substr(0, name.rfind('.')));
}

// The columns of the result, as far as the SELECT names them.
KnownColumns OutputColumns(const ModelFile& file) {
  KnownColumns columns{.names = file.model.analysis.output_names};
  columns.is_complete =
      file.has_sql && !columns.names.empty() &&
      std::ranges::none_of(columns.names, [](const std::string& name) { return name.empty(); });
  return columns;
}

void AnalyzeModelSql(ModelFile& file, const std::string& file_name, engine::SqlParser& parser,
                     ProblemList& problems) {
  Model& model = file.model;
  if (model.sql.find_first_not_of(" \t\r\n") == std::string::npos) {
    problems.Error({.file = file_name, .line = model.sql_first_line, .column = 1},
                   "a model needs one SELECT after its settings");
    return;
  }
  engine::SqlPosition at;
  Result<engine::SqlAnalysis> analysis = parser.Analyze(model.sql, &at);
  if (!analysis) {
    problems.Error(
        {.file = file_name, .line = model.sql_first_line + at.line - 1, .column = at.column}, "{}",
        WithoutPosition(analysis.error().message));
    return;
  }
  model.analysis = std::move(analysis).value();
  file.has_sql = true;
}

// `lookback: 24h`, or `{read: 30d, watch: 6h}`.
void ReadLookback(const YamlEntry* entry, ModelInput& input, ProblemList& problems) {
  if (entry == nullptr) {
    return;
  }
  if (entry->value.kind != YamlValue::Kind::kMapping) {
    input.read_lookback = ReadDuration(entry, problems).value_or(input.read_lookback);
    input.watch_lookback = input.read_lookback;
    return;
  }
  Settings lookback(entry->value, "`lookback`", problems);
  const auto read = ReadDuration(lookback.Require("read"), problems);
  const auto watch = ReadDuration(lookback.Require("watch"), problems);
  lookback.Finish();
  if (!read || !watch) {
    return;
  }
  if (*watch > *read) {
    problems.Error(entry->value.at,
                   "`watch` is longer than `read`: what is not read cannot change "
                   "the result");
  }
  input.read_lookback = *read;
  input.watch_lookback = *watch;
}

void ReadAsOf(const YamlEntry* entry, ModelInput& input, ProblemList& problems) {
  static constexpr std::array<Choice<AsOf>, 3> kChoices = {
      {{"latest", AsOf::kLatest}, {"restate", AsOf::kRestate}, {"valid_at", std::nullopt}}};
  if (entry == nullptr) {
    return;
  }
  if (entry->value.kind == YamlValue::Kind::kMapping) {
    Settings as_of(entry->value, "`as_of`", problems);
    as_of.NotYet("valid_at", "use `as_of: latest` or `as_of: restate`");
    as_of.Finish();
    return;
  }
  input.as_of = ReadChoice<AsOf>(entry, kChoices, problems).value_or(AsOf::kNone);
}

std::optional<ModelInput> ReadInput(const YamlEntry& entry, ProblemList& problems) {
  const Result<catalog::TableName> table = catalog::ParseTableName(entry.key);
  if (!table) {
    problems.Error(entry.key_at, "{}", table.error().message);
    return std::nullopt;
  }
  ModelInput input;
  input.table = *table;
  input.at = entry.key_at;
  if (entry.value.kind == YamlValue::Kind::kEmpty) {
    problems.Error(entry.key_at,
                   "`{}` has no settings: give it some or leave it out, the SELECT "
                   "names it already",
                   entry.key);
    return input;
  }
  Settings settings(entry.value, "an input", problems);
  const YamlEntry* lookback = settings.Find("lookback");
  const YamlEntry* as_of = settings.Find("as_of");
  const YamlEntry* time = settings.Find("time");
  ReadLookback(lookback, input, problems);
  ReadAsOf(as_of, input, problems);
  input.time = ReadColumnName(time, problems);
  settings.NotYet("valid_at", "use `as_of: latest` or `as_of: restate`");
  settings.NotYet("ready", "an input is ready when its windows are published");
  settings.Finish();
  if (as_of != nullptr && (lookback != nullptr || time != nullptr)) {
    problems.Error(as_of->key_at, "`as_of` reads the whole table: take out `{}`",
                   lookback != nullptr ? "lookback" : "time");
  }
  return input;
}

std::vector<ModelInput> ReadInputs(const YamlEntry* entry, ProblemList& problems) {
  std::vector<ModelInput> inputs;
  if (entry == nullptr) {
    return inputs;
  }
  if (entry->value.kind != YamlValue::Kind::kMapping) {
    problems.Error(entry->value.at, "`inputs` is a mapping: a table's name, then how it is read");
    return inputs;
  }
  for (const YamlEntry& input : entry->value.entries) {
    if (std::optional<ModelInput> read = ReadInput(input, problems)) {
      inputs.push_back(*std::move(read));
    }
  }
  return inputs;
}

void RefuseLaterSettings(Settings& settings) {
  settings.NotYet("publish_incomplete_after", "a window is published when its inputs are complete");
  settings.NotYet("expose", "query hides bookkeeping columns by itself");
  settings.NotYet("adopt", "windows that were there before are computed again");
  settings.NotYet("contract", "declare checks here");
  settings.NotYet("restate", "a stale window is restated by the next run");
  settings.NotYet("restate_budget", "every stale window is restated by the next run");
  settings.NotYet("engine", "every model runs on the project's engine");
  settings.NotYet("tags", "select by name");
}

void CheckOutputColumns(const Model& model, const KnownColumns& columns, const YamlEntry* time,
                        const YamlEntry* types, ProblemList& problems) {
  if (model.time) {
    CheckColumnExists(*model.time, "`time`", columns, time->value.at, problems);
  }
  for (const PartitionBy& field : model.partition) {
    CheckColumnExists(field.column, "`partition`", columns, field.at, problems);
  }
  if (types != nullptr) {
    for (const YamlEntry& column : types->value.entries) {
      CheckColumnExists(column.key, "`columns`", columns, column.key_at, problems);
    }
  }
}

}  // namespace

FilePosition PositionInFile(const Model& model, const engine::SqlPosition& at) {
  return {.file = model.at.file, .line = model.sql_first_line + at.line - 1, .column = at.column};
}

std::optional<ModelFile> ReadModel(const ProjectFile& file, const Defaults& defaults,
                                   engine::SqlParser& parser, ProblemList& problems) {
  std::optional<ModelText> text = SplitModelText(file.text);
  if (!text) {
    problems.Error({.file = file.name, .line = 1, .column = 1},
                   "a model begins with its settings in a comment: /* strandline, a line each, */");
    return std::nullopt;
  }
  ModelFile result;
  Model& model = result.model;
  model.name = StemOf(file.name);
  model.sql = std::move(text->sql);
  model.sql_first_line = text->sql_line;
  AnalyzeModelSql(result, file.name, parser, problems);

  const std::optional<YamlValue> value =
      ParseYaml(file.name, text->settings, text->settings_line, problems);
  if (!value) {
    return std::nullopt;
  }
  static constexpr std::array<Choice<OnSchemaChange>, 2> kOnSchemaChange = {
      {{"add", OnSchemaChange::kAdd}, {"fail", OnSchemaChange::kFail}}};
  Settings settings(*value, "a model", problems);
  const YamlEntry* table_entry = settings.Require("table");
  const auto table = ReadTableName(table_entry, problems);
  model.window = ReadUnit(settings.Require("window"), problems).value_or(model.window);
  const YamlEntry* time = settings.Find("time");
  model.time = ReadColumnName(time, problems);
  model.partition = ReadPartition(settings.Find("partition"), problems).value_or(model.partition);
  model.inputs = ReadInputs(settings.Find("inputs"), problems);
  const YamlEntry* types = settings.Find("columns");
  model.columns = ReadOutputTypes(types, problems);
  model.on_schema_change =
      ReadChoice<OnSchemaChange>(settings.Find("on_schema_change"), kOnSchemaChange, problems)
          .value_or(model.on_schema_change);
  model.deterministic =
      ReadBool(settings.Find("deterministic"), problems).value_or(model.deterministic);
  model.revision = ReadText(settings.Find("revision"), problems).value_or("");
  model.owner = ReadText(settings.Find("owner"), problems).value_or(defaults.owner);
  model.tier = ReadTier(settings.Find("tier"), problems).value_or(defaults.tier);

  const KnownColumns columns = OutputColumns(result);
  model.checks = ReadChecks(
      settings.Find("checks"),
      {.parser = parser, .owner = model.owner, .severity = defaults.severity, .columns = columns},
      problems);
  CheckOutputColumns(model, columns, time, types, problems);
  RefuseLaterSettings(settings);
  settings.Finish();
  if (!table) {
    return std::nullopt;
  }
  model.table = *table;
  model.at = table_entry->value.at;
  return result;
}

}  // namespace strandline::project::internal
