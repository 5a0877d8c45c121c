#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "strandline/catalog/table_name.h"
#include "strandline/project/project.h"

namespace strandline::project::internal {

// Which model reads which, by their indexes in one list.
class ReadingGraph {
 public:
  explicit ReadingGraph(const std::vector<const Model*>& models);

  // The models that `model` reads.
  const std::vector<std::size_t>& reads(std::size_t model) const { return reads_[model]; }

  // All tables that `model` is made from, directly or through other models.
  std::vector<catalog::TableName> Upstream(std::size_t model) const;

  // The shortest way from `model` back to itself, as the models on it beginning with `model`;
  // absent when it does not depend on itself.
  std::optional<std::vector<std::size_t>> CycleThrough(std::size_t model) const;

  // All models, each after those that it reads; where that leaves a choice, by table name. Models
  // on cycles and those that depend on them come last.
  std::vector<std::size_t> InOrder() const;

 private:
  std::vector<const Model*> models_;
  std::vector<std::vector<std::size_t>> reads_;
};

}  // namespace strandline::project::internal
