#include "strandline/pipeline/plan/plan.h"

#include <algorithm>

#include "strandline/base/parallel.h"
#include "strandline/pipeline/plan/internal/judge.h"
#include "strandline/pipeline/plan/internal/node.h"
#include "strandline/pipeline/plan/internal/ranges.h"
#include "strandline/pipeline/plan/internal/unit_order.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/pipeline/state/bookkeeping_ids.h"
#include "strandline/pipeline/state/time_column.h"

namespace strandline::pipeline {
namespace {

using catalog::TableName;
using planning::Graph;
using planning::Node;

// The quarantine of a source is made with its table.
bool IsMadeByProject(const project::Project& project, const TableName& table) {
  return FindSource(project, table) != nullptr || FindModel(project, table) != nullptr ||
         std::ranges::any_of(project.sources, [&table](const project::Source& source) {
           return QuarantineTable(source.table) == table;
         });
}

// A table of that name which somebody else made has no place for what rows must say of themselves.
Status CheckBookkeeping(const Node& node, const table::Schema& schema) {
  const BookkeepingIds ids = FindBookkeeping(schema);
  if (ids.unit && ids.stamp && ids.seq && (node.source != nullptr || ids.logic)) {
    return {};
  }
  return MakeError(ErrorKind::kInvalidArgument,
                   "table {} lacks bookkeeping columns (_strand_unit, ...): another program made "
                   "or changed it, and which rows are whose cannot be told; give the {} another "
                   "table, or drop this one",
                   ToString(node.table), node.source != nullptr ? "source" : "model");
}

class Planner {
 public:
  Planner(const PlanInputs& inputs, const PlanScope& scope)
      : inputs_(inputs),
        look_{
            .interval = scope.interval, .beyond_horizon = scope.beyond_horizon, .now = inputs.now} {
  }

  Result<Plan> Make(const std::vector<TableName>& selected) {
    Graph graph(inputs_.project, {selected.begin(), selected.end()});
    SL_TRY(ForEach(graph, [this](Node& node) { return Load(node); }));
    FindRanges(graph, look_);
    SL_TRY(ForEach(graph, [this](Node& node) { return ReadState(node); }));
    Plan plan;
    plan.now = inputs_.now;
    Judge(graph, look_, inputs_.engine, plan);
    planning::OrderUnits(plan.units,
                         [&graph](const TableName& table) { return graph.At(table).lateness; });
    Pin(graph, plan);
    return plan;
  }

 private:
  // A table that cannot be read costs itself and what depends on it, unless all of them cannot.
  template <typename Step>
  Status ForEach(Graph& graph, const Step& step) {
    std::vector<Node>& nodes = graph.nodes();
    SL_TRY(ParallelFor(nodes.size(), static_cast<std::size_t>(inputs_.threads),
                       [&](std::size_t i) -> Status {
                         if (Status done = nodes[i].error ? Status{} : step(nodes[i]); !done) {
                           nodes[i].error = std::move(done).error();
                         }
                         return {};
                       }));
    const bool none_is_left =
        std::ranges::all_of(nodes, [](const Node& node) { return node.error.has_value(); });
    if (nodes.empty() || !none_is_left) {
      return {};
    }
    return nodes.front().error.value();
  }

  Status Load(Node& node) {
    Result<catalog::LoadedTable> loaded = inputs_.catalog.LoadTable(node.table);
    if (!loaded && loaded.error().kind != ErrorKind::kNotFound) {
      return std::move(loaded).error().While("table " + ToString(node.table));
    }
    if (!loaded && !IsMadeByProject(inputs_.project, node.table)) {
      return std::move(loaded).error().While(
          "a model reads a table that nothing in the project makes");
    }
    if (loaded) {
      SL_TRY(LookAt(node, *std::move(loaded)));
    }
    if (node.source != nullptr) {
      node.landed_end = SL_TRY(NewestLandedEnd(*node.source, inputs_.io));
    }
    return {};
  }

  Status LookAt(Node& node, catalog::LoadedTable loaded) {
    const table::Schema& schema = CurrentSchema(*loaded.metadata);
    if (node.source != nullptr) {
      node.time = TimeColumnOf(*node.source, schema);
    } else if (node.model != nullptr) {
      node.time = TimeColumnOf(*node.model, schema);
    } else {
      node.time = TimePartitionColumn(*loaded.metadata);
    }
    if (node.source != nullptr || node.model != nullptr) {
      SL_TRY(CheckBookkeeping(node, schema));
      node.newest_done = SL_TRY(NewestDone(node, loaded));
    }
    node.loaded = std::move(loaded);
    return {};
  }

  // End of the newest unit that the rows of the newest partition show, or a record. Rows dated into
  // the future make it too early, which costs a longer look and misses nothing.
  Result<std::optional<Timestamp>> NewestDone(const Node& node,
                                              const catalog::LoadedTable& loaded) {
    std::optional<Timestamp> newest;
    const auto note = [&newest, &node](Timestamp unit) {
      const Timestamp end = unit + LengthOf(node);
      newest = newest ? std::max(*newest, end) : end;
    };
    const std::optional<Timestamp> newest_rows =
        node.time ? SL_TRY(NewestPartitionEnd(loaded, *node.time, inputs_.io)) : std::nullopt;
    if (!newest_rows) {
      return newest;
    }
    const Interval last{*newest_rows - std::chrono::microseconds(1), *newest_rows};
    const TableState state = SL_TRY(ReadTableState(loaded, node.time, last, inputs_.io));
    for (const PartitionState& partition : state.partitions) {
      for (const UnitMark& mark : partition.marks) {
        note(mark.unit);
      }
    }
    for (const auto& [unit, record] : state.empty_records) {
      note(unit);
    }
    return newest;
  }

  Status ReadState(Node& node) {
    if (node.loaded) {
      const Interval nothing{node.range.start, node.range.start};
      const std::optional<Interval> interval =
          node.reads_all ? std::nullopt : std::optional(node.reads.value_or(nothing));
      node.state = SL_TRY(ReadTableState(*node.loaded, node.time, interval, inputs_.io));
    }
    if (node.source != nullptr) {
      node.landing = SL_TRY(ListLanding(*node.source, node.judged, inputs_.now, inputs_.io));
    }
    return {};
  }

  // Rule 1: what the plan has seen is what a run works with.
  static void Pin(Graph& graph, Plan& plan) {
    for (Node& node : graph.nodes()) {
      if (!node.loaded) {
        continue;
      }
      const table::NestedField* time =
          node.time ? FindField(CurrentSchema(*node.loaded->metadata), *node.time) : nullptr;
      plan.pinned.emplace(
          node.table,
          PinnedTable{.table = *node.loaded,
                      .time = time == nullptr ? std::nullopt : std::optional(time->name)});
      const auto planned = std::ranges::find(plan.tables, node.table, &PlannedTable::table);
      if (planned != plan.tables.end()) {
        planned->state = std::move(node.state);
      }
    }
  }

  const PlanInputs& inputs_;
  const planning::Look look_;
};

}  // namespace

std::string_view ToString(UnitAction action) {
  return action == UnitAction::kIngest ? "ingest" : "compute";
}

Result<Plan> MakePlan(const PlanInputs& inputs, const PlanScope& scope) {
  return Planner(inputs, scope).Make(SL_TRY(SelectTables(inputs.project, scope)));
}

}  // namespace strandline::pipeline
