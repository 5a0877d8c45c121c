#include "strandline/pipeline/plan/plan.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strandline/base/parallel.h"
#include "strandline/base/time_text.h"
#include "strandline/pipeline/plan/recorded.h"

namespace strandline::pipeline {
namespace {

using catalog::TableName;
using std::chrono::microseconds;

constexpr microseconds kDefaultLateness = std::chrono::hours(72);

// One table on its way through the plan.
struct Node {
  TableName table{};
  const project::Source* source = nullptr;
  const project::Model* model = nullptr;
  std::optional<catalog::LoadedTable> loaded{};
  std::optional<Timestamp> landed_end{};  // Sources.
  std::optional<Timestamp>
      newest_done{};  // End of the newest unit that the rows show; absent: none.
  std::optional<Timestamp> newest_rows{};  // End of the newest partition.

  Timestamp start = Timestamp::min();  // Windows before it are not planned (rule 18).
  Timestamp available_end = Timestamp::min();
  microseconds lateness = kDefaultLateness;
  Interval range{};  // Units or windows that are judged.
  std::optional<Interval>
      reads;  // Event times whose state is needed, by itself or by who reads it.

  std::optional<TableState> state;
  Landing landing;
  std::map<Timestamp, Judgement> windows;
  std::set<Timestamp> will_run;  // Units that this plan runs, now or when their upstream is done.
};

microseconds UnitLength(const Node& node) {
  return node.source != nullptr  ? LengthOf(node.source->unit)
         : node.model != nullptr ? LengthOf(node.model->window)
                                 : microseconds(std::chrono::hours(1));
}

bool IsByTime(const project::ModelInput& input) { return input.as_of == project::AsOf::kNone; }

std::string WindowText(Timestamp start) { return FormatTimestamp(start); }

void Widen(std::optional<Interval>& interval, const Interval& by) {
  if (by.start >= by.end) {
    return;
  }
  interval = interval
                 ? Interval{std::min(interval->start, by.start), std::max(interval->end, by.end)}
                 : by;
}

class Planner {
 public:
  Planner(const PlanInputs& inputs, const PlanScope& scope) : inputs_(inputs), scope_(scope) {}

  Result<Plan> Make() {
    const std::vector<TableName> selected = SL_TRY(SelectTables(inputs_.project, scope_));
    selected_.insert(selected.begin(), selected.end());
    AddNodes();
    SL_TRY(ParallelFor(nodes_.size(), static_cast<std::size_t>(inputs_.threads),
                       [this](std::size_t i) { return Load(nodes_[i]); }));
    FindRanges();
    FindReads();
    SL_TRY(ParallelFor(nodes_.size(), static_cast<std::size_t>(inputs_.threads),
                       [this](std::size_t i) { return ReadState(nodes_[i]); }));
    plan_.now = inputs_.now;
    for (Node& node : nodes_) {
      if (node.source != nullptr) {
        SL_TRY(JudgeSource(node));
      } else if (node.model != nullptr) {
        SL_TRY(JudgeModel(node));
      }
    }
    return Finish();
  }

 private:
  // Every table that is selected, and all that it reads, sources first.
  void AddNodes() {
    std::set<TableName> needed;
    const auto add = [&needed, this](const auto& self, const TableName& table) -> void {
      if (!needed.insert(table).second) {
        return;
      }
      if (const project::Model* model = FindModel(inputs_.project, table)) {
        for (const project::ModelInput& input : model->inputs) {
          self(self, input.table);
        }
      }
    };
    for (const TableName& table : selected_) {
      add(add, table);
    }
    for (const project::Source& source : inputs_.project.sources) {
      if (needed.contains(source.table)) {
        AddNode(source.table, &source, nullptr);
      }
    }
    for (const TableName& table : needed) {
      if (FindSource(inputs_.project, table) == nullptr &&
          FindModel(inputs_.project, table) == nullptr) {
        AddNode(table, nullptr, nullptr);
      }
    }
    for (const project::Model& model : inputs_.project.models) {
      if (needed.contains(model.table)) {
        AddNode(model.table, nullptr, &model);
      }
    }
  }

  void AddNode(const TableName& table, const project::Source* source, const project::Model* model) {
    Node node;
    node.table = table;
    node.source = source;
    node.model = model;
    index_[table] = nodes_.size();
    nodes_.push_back(std::move(node));
  }

  Node& At(const TableName& table) { return nodes_[index_.at(table)]; }

  Status Load(Node& node) {
    Result<catalog::LoadedTable> loaded = inputs_.catalog.LoadTable(node.table);
    if (loaded) {
      node.loaded = *std::move(loaded);
      node.newest_rows = SL_TRY(NewestPartitionEnd(*node.loaded, inputs_.io));
      if (node.newest_rows && (node.source != nullptr || node.model != nullptr)) {
        SL_TRY(FindNewestDone(node));
      }
    } else if (loaded.error().kind != ErrorKind::kNotFound) {
      return std::move(loaded).error();
    } else if (node.source == nullptr && node.model == nullptr) {
      return std::move(loaded).error().While(
          "a model reads a table that nothing in the project makes");
    }
    if (node.source != nullptr) {
      node.landed_end = SL_TRY(NewestLandedEnd(*node.source, inputs_.io));
    }
    return {};
  }

  // The newest unit among the rows of the newest partition. Rows dated into the future make it too
  // early, which costs a longer look and misses nothing.
  Status FindNewestDone(Node& node) {
    const Interval newest{*node.newest_rows - microseconds(1), *node.newest_rows};
    const TableState state = SL_TRY(ReadTableState(*node.loaded, newest, inputs_.io));
    for (const PartitionState& partition : state.partitions) {
      for (const UnitMark& mark : partition.marks) {
        const Timestamp end = mark.unit + UnitLength(node);
        node.newest_done = node.newest_done ? std::max(*node.newest_done, end) : end;
      }
    }
    return {};
  }

  // Rule 20: which units are looked at. Nodes come after all that they read.
  void FindRanges() {
    for (Node& node : nodes_) {
      if (node.source != nullptr) {
        node.start = WindowStart(node.source->unit, node.source->start);
        node.available_end = node.landed_end.value_or(node.start);
        node.lateness = node.source->lateness;
      } else if (node.model != nullptr) {
        FindModelBounds(node);
      } else {
        node.available_end = node.newest_rows.value_or(Timestamp::min());
      }
      node.range = RangeOf(node);
    }
  }

  void FindModelBounds(Node& node) {
    bool any = false;
    node.lateness = microseconds(0);
    for (const project::ModelInput& input : node.model->inputs) {
      if (!IsByTime(input)) {
        continue;
      }
      const Node& upstream = At(input.table);
      node.start = any ? std::max(node.start, upstream.start) : upstream.start;
      node.available_end =
          any ? std::min(node.available_end, upstream.available_end) : upstream.available_end;
      node.lateness = std::max(node.lateness, upstream.lateness);
      any = true;
    }
    if (node.start > Timestamp::min()) {
      const Timestamp floor = WindowStart(node.model->window, node.start);
      node.start = floor < node.start ? floor + UnitLength(node) : floor;
    }
  }

  Interval RangeOf(const Node& node) const {
    Timestamp start = node.start;
    const Timestamp end = node.available_end;
    if (end == Timestamp::min()) {
      return {};
    }
    if (start == Timestamp::min()) {
      // Only foreign inputs, which declare no start: nothing before the horizon is missed that
      // anyone asked for.
      start = end - node.lateness;
    }
    if (scope_.interval) {
      start = std::max(start, scope_.interval->start);
      return {start, std::max(start, std::min(end, scope_.interval->end))};
    }
    if (!scope_.beyond_horizon && node.newest_done) {
      start = std::max(start, std::min(end - node.lateness, *node.newest_done));
    }
    return {start, std::max(start, end)};
  }

  // What each table must be read for: its own units, and what those that depend on it watch.
  void FindReads() {
    for (Node& node : nodes_) {
      if (node.source != nullptr) {
        Widen(node.reads, {node.range.start - node.lateness, node.range.end});
      } else if (node.model != nullptr) {
        Widen(node.reads, node.range);
        for (const project::ModelInput& input : node.model->inputs) {
          const microseconds back = std::max(input.read_lookback, input.watch_lookback);
          Widen(At(input.table).reads, {node.range.start - back, node.range.end});
        }
      }
    }
  }

  Status ReadState(Node& node) {
    if (node.loaded) {
      const Interval nothing{node.range.start, node.range.start};
      node.state = SL_TRY(ReadTableState(*node.loaded, node.reads.value_or(nothing), inputs_.io));
    }
    if (node.source != nullptr && node.landed_end) {
      node.landing = SL_TRY(ListLanding(*node.source, node.range, inputs_.now, inputs_.io));
    }
    return {};
  }

  Status JudgeSource(Node& node) {
    const bool selected = selected_.contains(node.table);
    for (const ListedUnit& listed : node.landing.units) {
      const Interval& window = listed.unit.interval;
      if (listed.problem) {
        plan_.problems.push_back(*listed.problem);
      }
      Judgement judgement{UnitStatus::kMissing, ""};
      if (node.state) {
        judgement = JudgeLandingUnit(*node.state, window, listed.unit.stamp);
      }
      // A unit that was read before and has grown since is read again when it is complete again;
      // what is not there at all needs no waiting for if the table has its rows already.
      if (judgement.status != UnitStatus::kFresh && !listed.complete) {
        judgement = {UnitStatus::kWaiting, listed.waiting_for};
        if (selected) {
          plan_.waiting.push_back({node.table, window, listed.waiting_for});
        }
      }
      if (judgement.status != UnitStatus::kFresh && judgement.status != UnitStatus::kWaiting &&
          selected) {
        node.will_run.insert(window.start);
        plan_.units.push_back(IngestOf(node, listed, judgement));
      }
      node.windows[window.start] = std::move(judgement);
    }
    return {};
  }

  PlannedUnit IngestOf(const Node& node, const ListedUnit& listed,
                       const Judgement& judgement) const {
    PlannedUnit unit;
    unit.table = node.table;
    unit.action = UnitAction::kIngest;
    unit.window = listed.unit.interval;
    unit.status = judgement.status;
    unit.reason = judgement.reason;
    unit.source = node.source;
    unit.landing = listed.unit;
    unit.stamp = listed.unit.stamp;
    if (node.loaded) {
      DropFilesAlreadyRead(node, unit);
    }
    unit.files = static_cast<std::int64_t>(unit.landing.files.size());
    for (const LandedFile& file : unit.landing.files) {
      unit.bytes += file.size_bytes;
    }
    return unit;
  }

  // Rule 17: only new files are read while the last reading is retained and its rows are still
  // there.
  static void DropFilesAlreadyRead(const Node& node, PlannedUnit& unit) {
    const Timestamp start = unit.window.start;
    const table::Snapshot* snapshot = PublishingSnapshot(*node.loaded->metadata, start);
    if (snapshot == nullptr || unit.status != UnitStatus::kStaleInput ||
        node.state->reopened.contains(start)) {
      return;
    }
    const std::int64_t stamp = RecordedUnitOf(*snapshot, start)->stamp;
    const bool rows_are_there = std::ranges::any_of(
        node.state->partitions, [start, stamp](const PartitionState& partition) {
          return std::ranges::any_of(partition.marks, [start, stamp](const UnitMark& mark) {
            return mark.unit == start && mark.stamp == stamp;
          });
        });
    if (!rows_are_there) {
      return;
    }
    std::vector<LandedFile> known = AlreadyRead(*snapshot, unit.landing.files);
    if (known.empty() || known.size() == unit.landing.files.size()) {
      return;
    }
    std::erase_if(unit.landing.files, [&known](const LandedFile& file) {
      return std::ranges::find(known, file) != known.end();
    });
    unit.reason =
        fmt::format("{} new {} landed beside {} read before", unit.landing.files.size(),
                    unit.landing.files.size() == 1 ? "file has" : "files have", known.size());
    unit.files_known = std::move(known);
  }

  Status JudgeModel(Node& node) {
    const std::optional<std::int64_t> logic = LogicOf(node);
    const microseconds length = UnitLength(node);
    PlannedTable& planned = planned_[node.table];
    planned.logic = logic;
    const std::vector<DeployedLogic>* deployed =
        node.state && !node.state->deployed.empty() ? &node.state->deployed : nullptr;
    const bool refused = deployed != nullptr && logic &&
                         std::ranges::none_of(*deployed, [&logic](const DeployedLogic& entry) {
                           return entry.logic == *logic;
                         });
    if (refused) {
      planned.logic_needs_deploy = *logic;
    }
    for (Timestamp start = WindowStart(node.model->window, node.range.start);
         start < node.range.end; start += length) {
      if (start < node.range.start && !scope_.interval) {
        continue;
      }
      const Interval window{start, start + length};
      Judgement judgement = JudgeOne(node, window, logic, deployed);
      const bool runs =
          judgement.status != UnitStatus::kFresh && judgement.status != UnitStatus::kWaiting;
      if (runs && refused) {
        judgement = {UnitStatus::kNotDeployed, "its logic is not the deployed one"};
      }
      if (runs && selected_.contains(node.table)) {
        if (!refused) {
          node.will_run.insert(start);
        }
        plan_.units.push_back(ComputeOf(node, window, judgement, logic.value_or(0)));
      }
      node.windows[start] = std::move(judgement);
    }
    return {};
  }

  // The logic of the code at hand; absent while an input has no table yet.
  std::optional<std::int64_t> LogicOf(const Node& node) {
    std::map<TableName, table::Schema> schemas;
    for (const project::ModelInput& input : node.model->inputs) {
      const Node& upstream = At(input.table);
      if (!upstream.loaded) {
        return std::nullopt;
      }
      schemas.emplace(input.table, CurrentSchema(*upstream.loaded->metadata));
    }
    return LogicOfModel(*node.model, inputs_.engine, schemas);
  }

  Judgement JudgeOne(const Node& node, const Interval& window,
                     const std::optional<std::int64_t>& logic,
                     const std::vector<DeployedLogic>* deployed) {
    for (const project::ModelInput& input : node.model->inputs) {
      if (std::optional<Judgement> held_up = HeldUpBy(input, window)) {
        return *std::move(held_up);
      }
    }
    if (!logic) {
      return {UnitStatus::kPending, "its inputs have no table yet"};
    }
    ExpectedMarks expected{.stamp = StampOfWindow(DigestsOf(node, window)), .logics = {}};
    if (deployed != nullptr) {
      if (const std::optional<std::int64_t> in_force = LogicInForce(*deployed, window.start)) {
        expected.logics.push_back(*in_force);
      }
      expected.logics.push_back(deployed->back().logic);
    }
    if (!node.state) {
      return {UnitStatus::kMissing, ""};
    }
    Judgement judgement = JudgeWindow(*node.state, window, expected);
    if (judgement.status == UnitStatus::kStaleInput) {
      judgement.reason = ReasonOf(node, window);
    }
    return judgement;
  }

  // Whether what the window reads is not complete, or will be written first by this plan.
  std::optional<Judgement> HeldUpBy(const project::ModelInput& input, const Interval& window) {
    const Node& upstream = At(input.table);
    if (!IsByTime(input) || (upstream.source == nullptr && upstream.model == nullptr)) {
      return std::nullopt;
    }
    const microseconds arrives =
        upstream.source != nullptr ? upstream.source->arrives_within : microseconds(0);
    const microseconds length = UnitLength(upstream);
    const Interval needed{window.start, window.end + arrives};
    if (needed.end > upstream.available_end) {
      return Judgement{
          UnitStatus::kWaiting,
          fmt::format("{} has landed up to {} and is needed up to {}", ToString(input.table),
                      WindowText(upstream.available_end), WindowText(needed.end))};
    }
    for (const auto& [start, judgement] : upstream.windows) {
      const Interval unit{start, start + length};
      if (judgement.status == UnitStatus::kWaiting && unit.Overlaps(needed)) {
        return Judgement{UnitStatus::kWaiting, fmt::format("{} {} {}", ToString(input.table),
                                                           WindowText(start), judgement.reason)};
      }
    }
    const Interval watched{window.start - input.watch_lookback, needed.end};
    for (const Timestamp start : upstream.will_run) {
      if (Interval{start, start + length}.Overlaps(watched)) {
        return Judgement{UnitStatus::kPending,
                         fmt::format("after {} {}", ToString(input.table), WindowText(start))};
      }
    }
    for (const auto& [start, judgement] : upstream.windows) {
      const Interval unit{start, start + length};
      if (judgement.status == UnitStatus::kNotDeployed && unit.Overlaps(watched)) {
        return Judgement{UnitStatus::kWaiting,
                         fmt::format("{} is not deployed", ToString(input.table))};
      }
    }
    return std::nullopt;
  }

  std::vector<InputDigest> DigestsOf(const Node& node, const Interval& window) {
    std::vector<InputDigest> digests;
    for (const project::ModelInput& input : node.model->inputs) {
      const Node& upstream = At(input.table);
      if (input.as_of == project::AsOf::kLatest || !upstream.state) {
        continue;
      }
      constexpr Interval kAllTime{Timestamp::min(), Timestamp::max()};
      const Interval watched{window.start - input.watch_lookback, window.end};
      digests.push_back(DigestOfInput(*upstream.state, IsByTime(input) ? watched : kAllTime));
    }
    return digests;
  }

  std::string ReasonOf(const Node& node, const Interval& window) {
    constexpr std::size_t kLinesMax = 3;
    const table::Snapshot* snapshot = PublishingSnapshot(*node.loaded->metadata, window.start);
    if (snapshot == nullptr) {
      return "its input has changed (details expired)";
    }
    const std::vector<std::string> lines =
        DescribeChanges(RecordedInputsOf(*snapshot), DigestsOf(node, window), kLinesMax);
    return lines.empty() ? "its input has changed" : fmt::format("{}", fmt::join(lines, "; "));
  }

  PlannedUnit ComputeOf(const Node& node, const Interval& window, const Judgement& judgement,
                        std::int64_t logic) {
    PlannedUnit unit;
    unit.table = node.table;
    unit.action = UnitAction::kCompute;
    unit.window = window;
    unit.status = judgement.status;
    unit.reason = judgement.reason;
    unit.model = node.model;
    unit.logic = logic;
    unit.inputs = DigestsOf(node, window);
    unit.stamp = StampOfWindow(unit.inputs);
    std::int64_t rows = 0;
    for (const project::ModelInput& input : node.model->inputs) {
      const Node& upstream = At(input.table);
      if (!upstream.state) {
        continue;
      }
      const Interval read{window.start - input.read_lookback, window.end};
      for (const PartitionState& partition : upstream.state->partitions) {
        if (!IsByTime(input) || partition.interval.Overlaps(read)) {
          rows += partition.rows;
          unit.bytes += partition.bytes;
        }
      }
    }
    unit.rows = rows;
    return unit;
  }

  Plan Finish() {
    // Ingests by the start of their unit; then new windows, oldest first; then restatements, newest
    // first (rules 19 and 30). A stable sort keeps models after those that they read.
    const auto rank = [](const PlannedUnit& unit) {
      return unit.action == UnitAction::kIngest                                           ? 0
             : unit.status == UnitStatus::kMissing || unit.status == UnitStatus::kPending ? 1
                                                                                          : 2;
    };
    std::ranges::stable_sort(plan_.units, [&rank](const PlannedUnit& a, const PlannedUnit& b) {
      if (rank(a) != rank(b)) {
        return rank(a) < rank(b);
      }
      return rank(a) == 2 ? a.window.start > b.window.start : a.window.start < b.window.start;
    });
    for (Node& node : nodes_) {
      if (node.source == nullptr && node.model == nullptr) {
        continue;
      }
      PlannedTable& planned = planned_[node.table];
      planned.table = node.table;
      planned.source = node.source;
      planned.model = node.model;
      planned.state = std::move(node.state);
      planned.windows = std::move(node.windows);
      plan_.tables.push_back(std::move(planned));
    }
    return std::move(plan_);
  }

  const PlanInputs& inputs_;
  const PlanScope& scope_;
  std::set<TableName> selected_;
  std::vector<Node> nodes_;
  std::map<TableName, std::size_t> index_;
  std::map<TableName, PlannedTable> planned_;
  Plan plan_;
};

}  // namespace

std::string_view ToString(UnitAction action) {
  return action == UnitAction::kIngest ? "ingest" : "compute";
}

Result<Plan> MakePlan(const PlanInputs& inputs, const PlanScope& scope) {
  return Planner(inputs, scope).Make();
}

std::size_t RunnableUnits(const Plan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(plan.units, [](const PlannedUnit& unit) {
    return unit.status != UnitStatus::kPending && unit.status != UnitStatus::kNotDeployed;
  }));
}

}  // namespace strandline::pipeline
