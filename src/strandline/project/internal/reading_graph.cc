#include "strandline/project/internal/reading_graph.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

namespace strandline::project::internal {

ReadingGraph::ReadingGraph(const std::vector<const Model*>& models)
    : models_(models), reads_(models.size()) {
  std::map<catalog::TableName, std::size_t> by_table;
  for (std::size_t i = 0; i < models_.size(); ++i) {
    by_table.emplace(models_[i]->table, i);
  }
  for (std::size_t i = 0; i < models_.size(); ++i) {
    for (const ModelInput& input : models_[i]->inputs) {
      if (const auto found = by_table.find(input.table); found != by_table.end()) {
        reads_[i].push_back(found->second);
      }
    }
  }
}

std::vector<catalog::TableName> ReadingGraph::Upstream(std::size_t model) const {
  std::set<catalog::TableName> tables;
  std::set<std::size_t> seen = {model};
  std::deque<std::size_t> next = {model};
  while (!next.empty()) {
    const std::size_t current = next.front();
    next.pop_front();
    for (const ModelInput& input : models_[current]->inputs) {
      tables.insert(input.table);
    }
    for (const std::size_t read : reads_[current]) {
      if (seen.insert(read).second) {
        next.push_back(read);
      }
    }
  }
  return {tables.begin(), tables.end()};
}

std::optional<std::vector<std::size_t>> ReadingGraph::CycleThrough(std::size_t model) const {
  // Breadth first; `from` remembers over which model each one was reached.
  std::map<std::size_t, std::size_t> from;
  std::deque<std::size_t> next = {model};
  while (!next.empty()) {
    const std::size_t current = next.front();
    next.pop_front();
    for (const std::size_t read : reads_[current]) {
      if (!from.emplace(read, current).second) {
        continue;
      }
      if (read != model) {
        next.push_back(read);
        continue;
      }
      std::vector<std::size_t> cycle;
      for (std::size_t step = from.at(model); step != model; step = from.at(step)) {
        cycle.push_back(step);
      }
      cycle.push_back(model);
      std::ranges::reverse(cycle);
      return cycle;
    }
  }
  return std::nullopt;
}

std::vector<std::size_t> ReadingGraph::InOrder() const {
  std::vector<std::size_t> waits_for(models_.size());
  std::vector<std::vector<std::size_t>> read_by(models_.size());
  for (std::size_t i = 0; i < models_.size(); ++i) {
    waits_for[i] = reads_[i].size();
    for (const std::size_t read : reads_[i]) {
      read_by[read].push_back(i);
    }
  }
  using Named = std::pair<catalog::TableName, std::size_t>;
  std::set<Named> ready;
  std::set<Named> waiting;
  for (std::size_t i = 0; i < models_.size(); ++i) {
    (waits_for[i] == 0 ? ready : waiting).insert({models_[i]->table, i});
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t current = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(current);
    for (const std::size_t reader : read_by[current]) {
      if (--waits_for[reader] == 0) {
        ready.insert(waiting.extract({models_[reader]->table, reader}));
      }
    }
  }
  for (const Named& on_cycle : waiting) {
    order.push_back(on_cycle.second);
  }
  return order;
}

}  // namespace strandline::project::internal
