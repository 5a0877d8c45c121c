#include "strandline/pipeline/plan/internal/node.h"

#include "strandline/base/check.h"

namespace strandline::pipeline::planning {

using catalog::TableName;

Graph::Graph(const project::Project& project, const std::set<TableName>& selected) {
  std::set<TableName> needed;
  const auto add = [&needed, &project](const auto& self, const TableName& table) -> void {
    if (!needed.insert(table).second) {
      return;
    }
    if (const project::Model* model = FindModel(project, table)) {
      for (const project::ModelInput& input : model->inputs) {
        self(self, input.table);
      }
    }
  };
  for (const TableName& table : selected) {
    add(add, table);
  }
  const auto add_node = [&](const TableName& table, const project::Source* source,
                            const project::Model* model) {
    if (!needed.contains(table)) {
      return;
    }
    index_[table] = nodes_.size();
    nodes_.push_back(
        {.table = table, .source = source, .model = model, .selected = selected.contains(table)});
  };
  for (const project::Source& source : project.sources) {
    add_node(source.table, &source, nullptr);
  }
  for (const TableName& table : needed) {
    if (FindSource(project, table) == nullptr && FindModel(project, table) == nullptr) {
      add_node(table, nullptr, nullptr);
    }
  }
  for (const project::Model& model : project.models) {
    add_node(model.table, nullptr, &model);
  }
}

Node& Graph::At(const TableName& table) {
  const auto found = index_.find(table);
  SL_CHECK(found != index_.end());
  return nodes_[found->second];
}

const Node& Graph::At(const TableName& table) const {
  const auto found = index_.find(table);
  SL_CHECK(found != index_.end());
  return nodes_[found->second];
}

std::chrono::microseconds LengthOf(const Node& node) {
  if (node.source != nullptr) {
    return project::LengthOf(node.source->unit);
  }
  return node.model != nullptr ? project::LengthOf(node.model->window)
                               : std::chrono::microseconds(std::chrono::hours(1));
}

bool IsByTime(const project::ModelInput& input) { return input.as_of == project::AsOf::kNone; }

std::optional<table::FieldId> CutColumn(const project::ModelInput& input, const Node& upstream) {
  if (!input.time || !upstream.loaded) {
    return upstream.time;
  }
  const table::NestedField* column =
      FindColumn(CurrentSchema(*upstream.loaded->metadata), *input.time);
  return column == nullptr ? std::nullopt : std::optional(column->id);
}

}  // namespace strandline::pipeline::planning
