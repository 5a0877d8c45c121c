#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strandline/base/glob.h"
#include "strandline/pipeline/plan/plan.h"

namespace strandline::pipeline {
namespace {

using catalog::TableName;

// `+m+`: what to select around the tables that match.
struct Term {
  std::string_view glob;
  bool upstream = false;
  bool downstream = false;
};

Term ParseTerm(std::string_view text) {
  Term term{.glob = text};
  if (term.glob.starts_with('+')) {
    term.upstream = true;
    term.glob.remove_prefix(1);
  }
  if (term.glob.ends_with('+')) {
    term.downstream = true;
    term.glob.remove_suffix(1);
  }
  return term;
}

std::vector<TableName> AllTables(const project::Project& project) {
  std::vector<TableName> tables;
  for (const project::Source& source : project.sources) {
    tables.push_back(source.table);
  }
  for (const project::Model& model : project.models) {
    tables.push_back(model.table);
  }
  return tables;
}

void AddUpstream(const project::Project& project, const TableName& table,
                 std::set<TableName>& into) {
  if (const project::Model* model = FindModel(project, table)) {
    for (const project::ModelInput& input : model->inputs) {
      if (into.insert(input.table).second) {
        AddUpstream(project, input.table, into);
      }
    }
  }
}

void AddDownstream(const project::Project& project, const TableName& table,
                   std::set<TableName>& into) {
  for (const project::Model& model : project.models) {
    const bool reads = std::ranges::any_of(
        model.inputs, [&table](const project::ModelInput& input) { return input.table == table; });
    if (reads && into.insert(model.table).second) {
      AddDownstream(project, model.table, into);
    }
  }
}

Result<std::set<TableName>> Matching(const project::Project& project,
                                     const std::vector<std::string>& terms) {
  std::set<TableName> matched;
  for (const std::string& text : terms) {
    const Term term = ParseTerm(text);
    bool any = false;
    std::vector<std::string> names;
    for (const TableName& table : AllTables(project)) {
      names.push_back(ToString(table));
      if (GlobMatches(term.glob, ToString(table)) || GlobMatches(term.glob, table.table)) {
        any = true;
        matched.insert(table);
        if (term.upstream) {
          AddUpstream(project, table, matched);
        }
        if (term.downstream) {
          AddDownstream(project, table, matched);
        }
      }
    }
    if (!any) {
      return MakeError(ErrorKind::kNotFound, "no table of the project matches '{}'; there are: {}",
                       text, fmt::join(names, ", "));
    }
  }
  return matched;
}

}  // namespace

Result<std::vector<TableName>> SelectTables(const project::Project& project,
                                            const PlanScope& scope) {
  const std::set<TableName> selected = SL_TRY(Matching(project, scope.select));
  const std::set<TableName> excluded = SL_TRY(Matching(project, scope.exclude));
  std::vector<TableName> tables;
  for (const TableName& table : AllTables(project)) {
    if ((scope.select.empty() || selected.contains(table)) && !excluded.contains(table)) {
      tables.push_back(table);
    }
  }
  return tables;
}

}  // namespace strandline::pipeline
