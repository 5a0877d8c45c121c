#include "strandline/pipeline/plan/internal/ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strandline::pipeline::planning {
namespace {

using std::chrono::hours;

// Hours since the source's start, which begins a day.
Timestamp At(int hour) { return Timestamp(hours(24 * 20'000 + hour)); }
Interval Between(int start, int end) { return {At(start), At(end)}; }

// A source by the hour and a model over it.
struct World {
  project::Project project;

  explicit World(project::Unit window = project::Unit::kHour) {
    project::Source source;
    source.name = "orders";
    source.table = {{"shop"}, "orders"};
    source.start = At(0);
    source.lateness = hours(6);
    project.sources = {source};
    project::Model model;
    model.table = {{"shop"}, "counts"};
    model.window = window;
    model.inputs = {{.table = source.table,
                     .read_lookback = {},
                     .watch_lookback = {},
                     .as_of = project::AsOf::kNone,
                     .time = {},
                     .at = {}}};
    project.models = {model};
  }

  Graph MakeGraph(std::optional<int> landed, std::optional<int> ingested,
                  std::optional<int> computed) const {
    Graph graph(project, {project.sources[0].table, project.models[0].table});
    const auto end = [](std::optional<int> hour) {
      return hour ? std::optional(At(*hour)) : std::nullopt;
    };
    graph.nodes()[0].landed_end = end(landed);
    graph.nodes()[0].newest_done = end(ingested);
    graph.nodes()[1].newest_done = end(computed);
    return graph;
  }
};

TEST(FindRanges, GoesBackAsFarAsAnythingMayChange) {
  struct Case {
    std::string_view name;
    std::optional<int> landed, ingested, computed;
    Interval units, windows;
  };
  const std::vector<Case> cases = {
      {"nothing has landed", {}, {}, {}, {}, {}},
      {"a first run begins at the start", 30, {}, {}, Between(0, 30), Between(0, 30)},
      {"all is done: the lateness, and once more for what late rows reach", 30, 30, 30,
       Between(24, 30), Between(18, 30)},
      {"a first run that was interrupted goes on", 30, 10, {}, Between(10, 30), Between(0, 30)},
      {"models behind: what the units since then may have reached", 30, 30, 10, Between(24, 30),
       Between(4, 30)},
      {"both behind", 30, 10, 10, Between(10, 30), Between(4, 30)},
      {"landed files were cleared away", {}, 30, 30, Between(24, 30), Between(18, 30)},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const World world;
    Graph graph = world.MakeGraph(c.landed, c.ingested, c.computed);
    FindRanges(graph, {.interval = {}, .beyond_horizon = false, .now = At(31)});
    EXPECT_EQ(graph.nodes()[0].range, c.units);
    EXPECT_EQ(graph.nodes()[1].range, c.windows);
  }
}

TEST(FindRanges, HasNoHorizonWhereAllLateRowsAreTaken) {
  World world;
  world.project.sources[0].beyond_lateness = project::BeyondLateness::kAccept;
  Graph graph = world.MakeGraph(30, 30, 30);
  FindRanges(graph, {.interval = {}, .beyond_horizon = false, .now = At(31)});
  EXPECT_EQ(graph.nodes()[0].range, Between(24, 30));
  EXPECT_EQ(graph.nodes()[1].range, Between(0, 30));
}

TEST(FindRanges, LooksBeyondTheHorizonWhenAsked) {
  const World world;
  Graph graph = world.MakeGraph(30, 30, 30);
  FindRanges(graph, {.interval = {}, .beyond_horizon = true, .now = At(31)});
  EXPECT_EQ(graph.nodes()[0].range, Between(0, 30));
  EXPECT_EQ(graph.nodes()[1].range, Between(0, 30));
}

TEST(FindRanges, AnIntervalLimitsWhatIsPlannedAndNotWhatIsJudged) {
  const World world(project::Unit::kDay);
  Graph graph = world.MakeGraph(72, 72, 72);
  FindRanges(graph, {.interval = Between(29, 31), .beyond_horizon = false, .now = At(73)});
  EXPECT_EQ(graph.nodes()[0].range, Between(29, 31));
  EXPECT_EQ(graph.nodes()[1].range.start, At(24)) << "the day that it touches";
  EXPECT_EQ(graph.nodes()[0].judged, Between(24, 48)) << "all hours of that day";
  EXPECT_EQ(graph.nodes()[0].reads, Between(18, 48)) << "and rows of the lateness before";
  EXPECT_EQ(graph.nodes()[1].reads, Between(24, 48));
}

TEST(FindRanges, AnIntervalPastWhatHasLandedEndsWithTheClock) {
  const World world;
  Graph graph = world.MakeGraph(30, 30, 30);
  FindRanges(graph, {.interval = Between(28, 1'000'000), .beyond_horizon = false, .now = At(32)});
  EXPECT_EQ(graph.nodes()[0].range, Between(28, 33));
  EXPECT_EQ(graph.nodes()[1].range, Between(28, 33));
}

TEST(FindRanges, LateArrivalsAreJudgedWithTheWindowTheyBelongTo) {
  World world;
  world.project.sources[0].arrives_within = hours(2);
  Graph graph = world.MakeGraph(30, 30, 30);
  FindRanges(graph, {.interval = Between(10, 11), .beyond_horizon = false, .now = At(31)});
  EXPECT_EQ(graph.nodes()[0].range, Between(10, 11));
  EXPECT_EQ(graph.nodes()[0].judged, Between(10, 13));
}

TEST(FindRanges, ReadsWhatModelsLookBackAt) {
  World world;
  world.project.models[0].inputs[0].read_lookback = hours(24);
  world.project.models[0].inputs[0].watch_lookback = hours(2);
  Graph graph = world.MakeGraph(60, 60, 60);
  FindRanges(graph, {.interval = Between(50, 52), .beyond_horizon = false, .now = At(61)});
  EXPECT_EQ(graph.nodes()[0].reads, Between(26, 52));
  world.project.models[0].inputs[0].as_of = project::AsOf::kRestate;
  Graph whole = world.MakeGraph(60, 60, 60);
  FindRanges(whole, {.interval = Between(50, 52), .beyond_horizon = false, .now = At(61)});
  EXPECT_TRUE(whole.nodes()[0].reads_all);
}

}  // namespace
}  // namespace strandline::pipeline::planning
