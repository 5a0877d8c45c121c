#include "strandline/project/internal/reading_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strandline::project::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

// A model of table `n.<name>` that reads `n.<each of reads>`.
Model ModelOver(const std::string& name, const std::vector<std::string>& reads) {
  Model model;
  model.table = {.levels = {"n"}, .table = name};
  for (const std::string& read : reads) {
    ModelInput input;
    input.table = {.levels = {"n"}, .table = read};
    model.inputs.push_back(input);
  }
  return model;
}

std::vector<const Model*> PointersTo(const std::vector<Model>& models) {
  std::vector<const Model*> pointers;
  for (const Model& model : models) {
    pointers.push_back(&model);
  }
  return pointers;
}

TEST(ReadingGraph, PutsModelsAfterThoseTheyReadAndElseByName) {
  const std::vector<Model> models = {ModelOver("a", {"d", "source"}), ModelOver("c", {}),
                                     ModelOver("b", {"a"}), ModelOver("d", {"source"})};

  EXPECT_THAT(ReadingGraph(PointersTo(models)).InOrder(), ElementsAre(1, 3, 0, 2));
}

TEST(ReadingGraph, PutsModelsOnACircleLast) {
  const std::vector<Model> models = {ModelOver("a", {"b"}), ModelOver("b", {"a"}),
                                     ModelOver("c", {}), ModelOver("d", {"d"})};

  EXPECT_THAT(ReadingGraph(PointersTo(models)).InOrder(), ElementsAre(2, 0, 1, 3));
}

TEST(ReadingGraph, FindsTheShortestWayBack) {
  const std::vector<Model> models = {ModelOver("a", {"b"}), ModelOver("b", {"c", "d"}),
                                     ModelOver("c", {"e"}), ModelOver("d", {"a"}),
                                     ModelOver("e", {"a"}), ModelOver("f", {"a"}),
                                     ModelOver("g", {"g"})};
  const ReadingGraph graph(PointersTo(models));

  EXPECT_THAT(graph.CycleThrough(0), Optional(ElementsAre(0, 1, 3)));
  EXPECT_THAT(graph.CycleThrough(2), Optional(ElementsAre(2, 4, 0, 1)));
  EXPECT_THAT(graph.CycleThrough(6), Optional(ElementsAre(6)));
  EXPECT_EQ(graph.CycleThrough(5), std::nullopt);  // It leads into a circle and is not on it.
}

TEST(ReadingGraph, GathersAllThatAModelIsMadeFrom) {
  const std::vector<Model> models = {ModelOver("a", {"b", "x"}), ModelOver("b", {"y"}),
                                     ModelOver("c", {"z"})};
  const ReadingGraph graph(PointersTo(models));

  const std::vector<catalog::TableName> upstream = graph.Upstream(0);

  std::vector<std::string> names;
  for (const catalog::TableName& table : upstream) {
    names.push_back(table.table);
  }
  EXPECT_THAT(names, ElementsAre("b", "x", "y"));
}

}  // namespace
}  // namespace strandline::project::internal
