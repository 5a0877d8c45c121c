#include "strandline/project/internal/check_inputs.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strandline/project/internal/lower_case.h"
#include "strandline/project/internal/near_miss.h"
#include "strandline/project/internal/table_names.h"

namespace strandline::project::internal {
namespace {

using table::TransformKind;

std::vector<std::string> NamesOf(const std::vector<KnownTable>& tables) {
  std::vector<std::string> names;
  for (const KnownTable& table : tables) {
    if (!table.is_quarantine) {
      names.push_back(catalog::ToString(table.name));
    }
  }
  return names;
}

bool IsSame(const catalog::TableName& a, const catalog::TableName& b) {
  return LowerCase(catalog::ToString(a)) == LowerCase(catalog::ToString(b));
}

// `'data/x.parquet'` in the place of a table.
bool LooksLikeFile(const engine::SqlTable& mention) {
  return mention.path.size() == 1 && mention.path.front().find_first_of("./*") != std::string::npos;
}

// How long a partition over `time` is; the shortest, where there are several. Absent: none is.
std::optional<std::chrono::microseconds> PartitionLength(const std::vector<PartitionBy>& partition,
                                                         std::string_view time) {
  std::optional<std::chrono::microseconds> shortest;
  for (const PartitionBy& field : partition) {
    if (field.column != time) {
      continue;
    }
    std::optional<std::chrono::microseconds> length;
    switch (field.transform.kind) {
      case TransformKind::kHour:
        length = std::chrono::hours(1);
        break;
      case TransformKind::kDay:
        length = std::chrono::days(1);
        break;
      case TransformKind::kMonth:
        length = std::chrono::days(31);
        break;
      case TransformKind::kYear:
        length = std::chrono::days(366);
        break;
      default:
        break;
    }
    if (length && (!shortest || *length < *shortest)) {
      shortest = length;
    }
  }
  return shortest;
}

std::optional<std::chrono::microseconds> PartitionLength(const KnownTable& table) {
  if (table.source != nullptr) {
    return PartitionLength(table.source->partition, table.source->time);
  }
  if (table.model == nullptr) {
    return std::nullopt;
  }
  const Model& model = table.model->model;
  if (model.partition.empty()) {
    return LengthOf(model.window);
  }
  return PartitionLength(model.partition, model.time.value_or(""));
}

class InputResolver {
 public:
  InputResolver(const std::vector<KnownTable>& tables, bool has_unknown_tables, ModelFile& file,
                ProblemList& problems)
      : tables_(tables),
        has_unknown_tables_(has_unknown_tables),
        file_(file),
        problems_(problems),
        declared_(std::exchange(file.model.inputs, {})) {}

  void Resolve() {
    for (const engine::SqlTable& mention : file_.model.analysis.tables) {
      ResolveMention(mention);
    }
    for (const ModelInput& input : declared_) {
      const bool is_read = std::ranges::any_of(
          read_, [&](const auto& entry) { return IsSame(entry.first, input.table); });
      if (!is_read) {
        ReportUnreadInput(input);
      }
    }
    for (auto& [name, input] : read_) {
      file_.model.inputs.push_back(std::move(input));
    }
    const bool has_windows = std::ranges::any_of(
        file_.model.inputs, [](const ModelInput& input) { return input.as_of == AsOf::kNone; });
    const bool reads_tables = !file_.model.inputs.empty();
    if (reads_tables && !has_windows && !problems_.HasErrorsIn(file_.model.at.file)) {
      problems_.Error(file_.model.at,
                      "the model reads no table by time, so nothing says which windows it has: at "
                      "least one input must be without `as_of`");
    }
  }

 private:
  void ResolveMention(const engine::SqlTable& mention) {
    const FilePosition at = PositionInFile(file_.model, mention.at);
    const std::string text = fmt::format("{}", fmt::join(mention.path, "."));
    if (LooksLikeFile(mention)) {
      problems_.Error(at,
                      "`{}` is a file: a model reads tables only; let the file land through a "
                      "source",
                      text);
      return;
    }
    if (mention.path.size() == 1) {
      ReportMissingNamespace(text, at);
      return;
    }
    const Result<catalog::TableName> name = catalog::ParseTableName(text);
    if (!name) {
      problems_.Error(at, "{}", name.error().message);
      return;
    }
    const KnownTable* known = FindKnownTable(tables_, *name);
    const catalog::TableName& table = known != nullptr ? known->name : *name;
    if (read_.contains(table)) {
      return;
    }
    ModelInput input = InputFor(table, at);
    if (known != nullptr) {
      CheckKnownInput(*known, input, at);
    } else if (input.as_of == AsOf::kNone && !has_unknown_tables_) {
      ReportUnknownTable(*name, at);
    }
    read_.emplace(table, std::move(input));
  }

  // What the settings say of the table, or the usual.
  ModelInput InputFor(const catalog::TableName& table, const FilePosition& at) const {
    for (const ModelInput& declared : declared_) {
      if (IsSame(declared.table, table)) {
        ModelInput input = declared;
        input.table = table;
        return input;
      }
    }
    ModelInput usual;
    usual.table = table;
    usual.at = at;
    return usual;
  }

  void CheckKnownInput(const KnownTable& table, ModelInput& input, const FilePosition& at) {
    if (table.is_quarantine) {
      if (input.read_lookback.count() != 0 || input.time) {
        problems_.Error(input.at, "`{}` has no event time: it is read whole, by `as_of`",
                        catalog::ToString(table.name));
      } else if (input.as_of == AsOf::kNone) {
        input.as_of = AsOf::kLatest;
      }
      return;
    }
    const auto length = PartitionLength(table);
    const Unit window = file_.model.window;
    if (input.as_of == AsOf::kNone && length && *length > LengthOf(window)) {
      problems_.Warning(at,
                        "the partitions of `{}` are longer than this model's window of one {}: any "
                        "change in one makes every {} of it stale",
                        catalog::ToString(table.name), ToString(window), ToString(window));
    }
  }

  void ReportMissingNamespace(const std::string& text, const FilePosition& at) {
    for (const KnownTable& table : tables_) {
      if (LowerCase(table.name.table) == LowerCase(text)) {
        problems_.Error(at, "tables are named with their namespace: did you mean `{}`?",
                        catalog::ToString(table.name));
        return;
      }
    }
    problems_.Error(at, "tables are named with their namespace, such as `ads.{}`: found `{}`", text,
                    text);
  }

  void ReportUnknownTable(const catalog::TableName& name, const FilePosition& at) {
    // The metadata table of one of ours: `ads.impressions.snapshots`.
    const catalog::TableName owner{.levels = {name.levels.begin(), name.levels.end() - 1},
                                   .table = name.levels.back()};
    if (FindKnownTable(tables_, owner) != nullptr) {
      problems_.Error(at,
                      "`{}` is a metadata table: it changes with every commit, so no window's "
                      "result can follow from it",
                      catalog::ToString(name));
      return;
    }
    const std::string text = catalog::ToString(name);
    const std::optional<std::string> near = NearMiss(text, NamesOf(tables_));
    const std::string hint =
        near
            ? fmt::format(": did you mean `{}`?", *near)
            : fmt::format(
                  "; one that others write is read with `inputs: {{{}: {{as_of: latest}}}}`", text);
    problems_.Error(at, "no source or model of this project makes the table `{}`{}", text, hint);
  }

  void ReportUnreadInput(const ModelInput& input) {
    std::vector<std::string> names;
    for (const auto& [name, read] : read_) {
      names.push_back(catalog::ToString(name));
    }
    const std::string text = catalog::ToString(input.table);
    problems_.Error(input.at, "the SELECT does not read `{}`{}", text, Suggestion(text, names));
  }

  const std::vector<KnownTable>& tables_;
  bool has_unknown_tables_;
  ModelFile& file_;
  ProblemList& problems_;
  std::vector<ModelInput> declared_;
  std::map<catalog::TableName, ModelInput> read_;
};

}  // namespace

std::vector<KnownTable> KnownTables(const ProjectParts& parts) {
  std::vector<KnownTable> tables;
  for (const Source& source : parts.sources) {
    tables.push_back({.name = source.table, .source = &source});
    tables.push_back({.name = QuarantineOf(source.table), .is_quarantine = true});
  }
  for (const ModelFile& file : parts.models) {
    tables.push_back({.name = file.model.table, .model = &file});
  }
  for (const catalog::TableName& name : parts.broken_tables) {
    tables.push_back({.name = name});
  }
  return tables;
}

const KnownTable* FindKnownTable(const std::vector<KnownTable>& tables,
                                 const catalog::TableName& name) {
  const auto exact = std::ranges::find(tables, name, &KnownTable::name);
  if (exact != tables.end()) {
    return &*exact;
  }
  const auto similar = std::ranges::find_if(
      tables, [&](const KnownTable& table) { return IsSame(table.name, name); });
  return similar == tables.end() ? nullptr : &*similar;
}

void ResolveInputs(const std::vector<KnownTable>& tables, bool has_unknown_tables, ModelFile& file,
                   ProblemList& problems) {
  InputResolver(tables, has_unknown_tables, file, problems).Resolve();
}

FilePosition MentionOf(const ModelFile& file, const catalog::TableName& table) {
  const std::string wanted = LowerCase(catalog::ToString(table));
  for (const engine::SqlTable& mention : file.model.analysis.tables) {
    if (LowerCase(fmt::format("{}", fmt::join(mention.path, "."))) == wanted) {
      return PositionInFile(file.model, mention.at);
    }
  }
  return file.model.at;
}

}  // namespace strandline::project::internal
