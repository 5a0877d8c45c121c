#include "strandline/project/internal/check_project.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strandline/project/internal/check_inputs.h"
#include "strandline/project/internal/lower_case.h"
#include "strandline/project/internal/near_miss.h"
#include "strandline/project/internal/reading_graph.h"
#include "strandline/project/internal/sql_rules.h"
#include "strandline/project/internal/table_names.h"

namespace strandline::project::internal {
namespace {

constexpr std::string_view kBookkeepingPrefix = "_strand_";

std::vector<const Model*> ModelsOf(const std::vector<ModelFile>& files) {
  std::vector<const Model*> models;
  for (const ModelFile& file : files) {
    models.push_back(&file.model);
  }
  return models;
}

void CheckTableName(const catalog::TableName& table, const FilePosition& at,
                    ProblemList& problems) {
  for (const std::string_view suffix : {kQuarantineSuffix, kRemovedSuffix}) {
    if (table.table.ends_with(suffix)) {
      problems.Error(at, "`{}`: names ending in `{}` belong to the tables that come with a source",
                     catalog::ToString(table), suffix);
    }
  }
  if (LowerCase(table.table).starts_with(kBookkeepingPrefix)) {
    problems.Error(at, "`{}`: names beginning with `{}` are Strandline's own bookkeeping",
                   catalog::ToString(table), kBookkeepingPrefix);
  }
}

// One table, one writer; one source, one name.
void CheckWriters(const ProjectParts& parts, ProblemList& problems) {
  struct Writer {
    FilePosition at;
    bool is_source = false;
  };
  std::map<std::string, Writer> writers;
  const auto add = [&](const catalog::TableName& table, const Writer& writer) {
    CheckTableName(table, writer.at, problems);
    const auto [first, is_new] = writers.emplace(LowerCase(catalog::ToString(table)), writer);
    if (is_new) {
      return;
    }
    const bool are_sources = writer.is_source && first->second.is_source;
    problems.Error(writer.at, "`{}` is written by {} already: {}", catalog::ToString(table),
                   first->second.at.file,
                   are_sources ? "until tenants are built, a second source for a table is refused"
                               : "a table has one writer, name another table");
  };
  std::map<std::string, FilePosition> source_names;
  for (const Source& source : parts.sources) {
    add(source.table, {.at = source.at, .is_source = true});
    const auto [first, is_new] = source_names.emplace(source.name, source.at);
    if (!is_new && !source.name.empty()) {
      problems.Error(source.at,
                     "the source in {} is called `{}` as well: its name is part of what "
                     "its units are known by",
                     first->second.file, source.name);
    }
  }
  for (const ModelFile& file : parts.models) {
    add(file.model.table, {.at = file.model.at});
  }
}

// Names that the tables a model reads are known to have.
struct InputColumns {
  std::set<std::string> names;     // Lower case.
  std::set<std::string> floating;  // Those of type float or double.
};

InputColumns ColumnsOfInputs(const Model& model, const std::vector<KnownTable>& tables) {
  InputColumns columns;
  for (const ModelInput& input : model.inputs) {
    const KnownTable* table = FindKnownTable(tables, input.table);
    if (table != nullptr && table->source != nullptr) {
      for (const SourceColumn& column : table->source->columns) {
        const std::string name = LowerCase(column.name);
        columns.names.insert(name);
        if (column.type && (column.type->id == table::TypeId::kFloat ||
                            column.type->id == table::TypeId::kDouble)) {
          columns.floating.insert(name);
        }
      }
    } else if (table != nullptr && table->model != nullptr) {
      for (const std::string& name : table->model->model.analysis.output_names) {
        columns.names.insert(LowerCase(name));
      }
    }
  }
  return columns;
}

void Report(const std::vector<SqlFinding>& findings, const Model& model, ProblemList& problems) {
  for (const SqlFinding& finding : findings) {
    const FilePosition at = PositionInFile(model, finding.at);
    if (finding.severity == ProblemSeverity::kError) {
      problems.Error(at, "{}", finding.message);
    } else {
      problems.Warning(at, "{}", finding.message);
    }
  }
}

void CheckSql(const ModelFile& file, const std::vector<KnownTable>& tables, ProblemList& problems) {
  const Model& model = file.model;
  const InputColumns columns = ColumnsOfInputs(model, tables);
  Report(FindOutsideReads(model.sql, model.analysis, columns.names), model, problems);
  if (model.deterministic) {
    Report(FindOrderDependence(model.sql, model.analysis, columns.floating), model, problems);
  }
}

// Each cycle is reported once, at its model that comes first.
void CheckCycles(const std::vector<ModelFile>& files, const ReadingGraph& graph,
                 ProblemList& problems) {
  std::set<std::size_t> reported;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto cycle = graph.CycleThrough(i);
    const bool is_known = cycle && std::ranges::any_of(*cycle, [&](std::size_t model) {
                            return reported.contains(model);
                          });
    if (!cycle || is_known) {
      continue;
    }
    reported.insert(cycle->begin(), cycle->end());
    std::vector<std::string> names;
    for (const std::size_t model : *cycle) {
      names.push_back(catalog::ToString(files[model].model.table));
    }
    names.push_back(names.front());
    const Model& read = files[cycle->size() > 1 ? cycle->at(1) : i].model;
    problems.Error(MentionOf(files[i], read.table),
                   "models depend on each other in a circle: {} (each reads the next)",
                   fmt::join(names, " → "));
  }
}

// `reconcile` compares with something that the model was made from: anything else may stand at
// another window when the check runs.
void CheckReconciles(ModelFile& file, const std::vector<catalog::TableName>& upstream,
                     const std::vector<KnownTable>& tables, ProblemList& problems) {
  std::vector<std::string> names;
  for (const catalog::TableName& table : upstream) {
    names.push_back(catalog::ToString(table));
  }
  for (Check& check : file.model.checks) {
    if (check.kind != CheckKind::kReconcile) {
      continue;
    }
    if (const KnownTable* known = FindKnownTable(tables, *check.with)) {
      check.with = known->name;
    }
    if (std::ranges::find(upstream, *check.with) == upstream.end()) {
      problems.Error(check.at, "`reconcile` with `{}`, which this model is not made from{}",
                     catalog::ToString(*check.with),
                     Suggestion(catalog::ToString(*check.with), names));
    }
  }
}

}  // namespace

void CheckProject(ProjectParts& parts, ProblemList& problems) {
  CheckWriters(parts, problems);
  const std::vector<KnownTable> tables = KnownTables(parts);
  for (ModelFile& file : parts.models) {
    if (file.has_sql) {
      ResolveInputs(tables, parts.has_unknown_tables, file, problems);
      CheckSql(file, tables, problems);
    }
  }
  const ReadingGraph graph(ModelsOf(parts.models));
  CheckCycles(parts.models, graph, problems);
  for (std::size_t i = 0; i < parts.models.size(); ++i) {
    if (parts.models[i].has_sql) {
      CheckReconciles(parts.models[i], graph.Upstream(i), tables, problems);
    }
  }
}

std::vector<Model> InOrderOfReading(std::vector<ModelFile> files) {
  std::vector<Model> models;
  for (const std::size_t index : ReadingGraph(ModelsOf(files)).InOrder()) {
    models.push_back(std::move(files[index].model));
  }
  return models;
}

}  // namespace strandline::project::internal
