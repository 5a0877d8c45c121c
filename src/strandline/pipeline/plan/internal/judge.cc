#include "strandline/pipeline/plan/internal/judge.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strandline/base/time_text.h"
#include "strandline/pipeline/plan/recorded.h"

namespace strandline::pipeline::planning {
namespace {

using std::chrono::microseconds;

// The entries of a map or set by start whose units overlap an interval.
template <typename ByStart>
auto Overlapping(ByStart& units, const Interval& interval, microseconds length) {
  const auto first = units.upper_bound(interval.start - length);
  auto last = units.lower_bound(interval.end);
  if (interval.start >= interval.end) {
    last = first;
  }
  return std::ranges::subrange(first, last);
}

bool Runs(const Judgement& judgement) {
  return judgement.status != UnitStatus::kFresh && judgement.status != UnitStatus::kWaiting;
}

// Judgement of a source's units.
class SourceJudge {
 public:
  SourceJudge(Node& node, Plan& plan) : node_(node), plan_(plan) {}

  void Run() {
    for (const ListedUnit& listed : node_.landing.units) {
      const Interval& window = listed.unit.interval;
      const bool planned = node_.selected && node_.range.Contains(window.start);
      Judgement judgement = JudgeOne(listed);
      if (judgement.status == UnitStatus::kWaiting && planned) {
        plan_.waiting.push_back({node_.table, window, judgement.reason});
        if (listed.problem) {
          plan_.problems.push_back(*listed.problem);
        }
      }
      if (Runs(judgement) && planned) {
        node_.will_run.insert(window.start);
        plan_.units.push_back(IngestOf(listed, judgement));
      }
      node_.windows[window.start] = std::move(judgement);
    }
    if (node_.selected && node_.landing.waiting_for && node_.landing.units.empty()) {
      plan_.waiting.push_back(
          {node_.table, {node_.start, node_.start + LengthOf(node_)}, *node_.landing.waiting_for});
    }
    if (node_.selected && node_.landing.problem) {
      plan_.problems.push_back(*node_.landing.problem);
    }
  }

 private:
  Judgement JudgeOne(const ListedUnit& listed) const {
    const Timestamp start = listed.unit.interval.start;
    Judgement judgement{UnitStatus::kMissing, ""};
    if (node_.state) {
      // Landed files may be cleared away once their rows are in the table.
      if (!listed.landed && IsIngested(*node_.state, start)) {
        return {};
      }
      judgement = JudgeLandingUnit(*node_.state, listed.unit.interval, listed.unit.stamp);
    }
    // A unit that was read before and has grown since is read again when it is complete again.
    if (judgement.status != UnitStatus::kFresh && !listed.complete) {
      return {UnitStatus::kWaiting, listed.waiting_for};
    }
    return judgement;
  }

  PlannedUnit IngestOf(const ListedUnit& listed, const Judgement& judgement) const {
    PlannedUnit unit;
    unit.table = node_.table;
    unit.action = UnitAction::kIngest;
    unit.window = listed.unit.interval;
    unit.status = judgement.status;
    unit.reason = judgement.reason;
    unit.source = node_.source;
    unit.landing = listed.unit;
    unit.stamp = listed.unit.stamp;
    unit.sample = SampleFor(listed);
    if (node_.state) {
      DropFilesAlreadyRead(*node_.state, unit);
    }
    unit.files = static_cast<std::int64_t>(unit.landing.files.size());
    for (const LandedFile& file : unit.landing.files) {
      unit.bytes += file.size_bytes;
    }
    return unit;
  }

  // A new table takes its undeclared columns from what lands first, also if its first unit is
  // empty.
  std::optional<LandedFile> SampleFor(const ListedUnit& listed) const {
    if (!listed.unit.files.empty()) {
      return listed.unit.files.front();
    }
    for (const ListedUnit& other : node_.landing.units) {
      if (!other.unit.files.empty()) {
        return other.unit.files.front();
      }
    }
    return std::nullopt;
  }

  // Rule 17: only new files are read while the last reading is retained and its rows are still
  // there.
  static void DropFilesAlreadyRead(const TableState& state, PlannedUnit& unit) {
    const Timestamp start = unit.window.start;
    const table::Snapshot* snapshot = PublishingSnapshot(*state.table.metadata, start);
    if (snapshot == nullptr || unit.status != UnitStatus::kStaleInput ||
        state.reopened.contains(start)) {
      return;
    }
    const std::optional<RecordedUnit> recorded = RecordedUnitOf(*snapshot, start);
    const std::int64_t stamp = recorded ? recorded->stamp : 0;
    const bool rows_are_there =
        std::ranges::any_of(state.partitions, [start, stamp](const PartitionState& partition) {
          return std::ranges::any_of(partition.marks, [start, stamp](const UnitMark& mark) {
            return mark.unit == start && mark.stamp == stamp;
          });
        });
    if (!recorded || !rows_are_there) {
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

  Node& node_;
  Plan& plan_;
};

// Judgement of a model's windows.
class ModelJudge {
 public:
  ModelJudge(Node& node, const Graph& graph, const Look& look, const std::string& engine,
             Plan& plan)
      : node_(node), graph_(graph), look_(look), engine_(engine), plan_(plan) {}

  void Run(PlannedTable& planned) {
    logic_ = Logic();
    planned.logic = logic_;
    if (node_.state && !node_.state->deployed.empty()) {
      deployed_ = &node_.state->deployed;
    }
    // Older code than the newest deployed is refused too: it would undo what that one publishes.
    const bool refused = deployed_ != nullptr && logic_ && deployed_->back().logic != *logic_;
    if (refused) {
      planned.logic_needs_deploy = logic_;
    }
    const microseconds length = LengthOf(node_);
    for (Timestamp start = node_.judged.start; start < node_.judged.end; start += length) {
      const Interval window{start, start + length};
      const bool planned_here = node_.selected && node_.range.Contains(start);
      reported_upstream_ = false;
      Judgement judgement = JudgeOne(window);
      if (Runs(judgement) && refused) {
        judgement = {UnitStatus::kNotDeployed, "its logic is not the deployed one"};
      }
      if (judgement.status == UnitStatus::kWaiting && planned_here && !reported_upstream_) {
        plan_.waiting.push_back({node_.table, window, judgement.reason});
      }
      if (Runs(judgement) && planned_here) {
        if (!refused) {
          node_.will_run.insert(start);
        }
        plan_.units.push_back(ComputeOf(window, judgement));
      }
      node_.windows[start] = std::move(judgement);
    }
  }

 private:
  // The logic of the code at hand; absent while an input has no table yet.
  std::optional<std::int64_t> Logic() const {
    std::map<catalog::TableName, table::Schema> schemas;
    for (const project::ModelInput& input : node_.model->inputs) {
      const Node& upstream = graph_.At(input.table);
      if (!upstream.loaded) {
        return std::nullopt;
      }
      schemas.emplace(input.table, CurrentSchema(*upstream.loaded->metadata));
    }
    return LogicOfModel(*node_.model, engine_, schemas);
  }

  Judgement JudgeOne(const Interval& window) {
    for (const project::ModelInput& input : node_.model->inputs) {
      if (std::optional<Judgement> held_up = HeldUpBy(input, window)) {
        return *std::move(held_up);
      }
    }
    if (!logic_) {
      return {UnitStatus::kPending, "its inputs have no table yet"};
    }
    if (!node_.state) {
      return {UnitStatus::kMissing, ""};
    }
    ExpectedMarks expected{.stamp = StampOfWindow(DigestsOf(window)), .logics = {}};
    if (deployed_ != nullptr) {
      if (const std::optional<std::int64_t> in_force = LogicInForce(*deployed_, window.start)) {
        expected.logics.push_back(*in_force);
      }
      expected.logics.push_back(deployed_->back().logic);
    }
    Judgement judgement = JudgeWindow(*node_.state, window, expected);
    if (judgement.status == UnitStatus::kStaleInput) {
      judgement.reason = ReasonOf(*node_.state, window);
    }
    return judgement;
  }

  // Whether what the window reads is not complete, or will be written first by this plan.
  std::optional<Judgement> HeldUpBy(const project::ModelInput& input, const Interval& window) {
    const Node& upstream = graph_.At(input.table);
    if (upstream.error) {
      reported_upstream_ = true;
      return Waiting(fmt::format("{} cannot be read", ToString(input.table)));
    }
    if (!IsByTime(input)) {
      const bool is_written_first =
          input.as_of == project::AsOf::kRestate && !upstream.will_run.empty();
      return is_written_first ? std::optional(After(input, *upstream.will_run.begin()))
                              : std::nullopt;
    }
    const microseconds length = LengthOf(upstream);
    const microseconds arrives =
        upstream.source != nullptr ? upstream.source->arrives_within : microseconds(0);
    const Interval needed{window.start, window.end + arrives};
    if (needed.end > upstream.available_end) {
      reported_upstream_ = !look_.interval;
      return Waiting(
          upstream.available_end == Timestamp::min()
              ? fmt::format("nothing of {} has landed", ToString(input.table))
              : fmt::format("{} has landed up to {} and is needed up to {}", ToString(input.table),
                            FormatTimestamp(upstream.available_end), FormatTimestamp(needed.end)));
    }
    for (const auto& [start, judgement] : Overlapping(upstream.windows, needed, length)) {
      const bool never_written =
          judgement.status == UnitStatus::kMissing || judgement.status == UnitStatus::kPending;
      if (judgement.status == UnitStatus::kWaiting) {
        reported_upstream_ = upstream.selected && upstream.range.Contains(start);
        return Waiting(fmt::format("{} {}: {}", ToString(input.table), FormatTimestamp(start),
                                   judgement.reason));
      }
      if (never_written && !upstream.will_run.contains(start)) {
        return Waiting(fmt::format("{} {} is missing, and is not {}", ToString(input.table),
                                   FormatTimestamp(start),
                                   upstream.selected ? "within what was asked for" : "selected"));
      }
    }
    const Interval watched{window.start - input.watch_lookback, needed.end};
    if (const auto first = Overlapping(upstream.will_run, watched, length); !first.empty()) {
      return After(input, *first.begin());
    }
    for (const auto& [start, judgement] : Overlapping(upstream.windows, watched, length)) {
      if (judgement.status == UnitStatus::kNotDeployed) {
        reported_upstream_ = upstream.selected;
        return Waiting(fmt::format("{} is not deployed", ToString(input.table)));
      }
    }
    return std::nullopt;
  }

  static Judgement Waiting(std::string reason) { return {UnitStatus::kWaiting, std::move(reason)}; }

  static Judgement After(const project::ModelInput& input, Timestamp start) {
    return {UnitStatus::kPending,
            fmt::format("after {} {}", ToString(input.table), FormatTimestamp(start))};
  }

  std::vector<InputDigest> DigestsOf(const Interval& window) const {
    std::vector<InputDigest> digests;
    for (const project::ModelInput& input : node_.model->inputs) {
      const Node& upstream = graph_.At(input.table);
      if (input.as_of == project::AsOf::kLatest || !upstream.state) {
        continue;
      }
      constexpr Interval kAllTime{Timestamp::min(), Timestamp::max()};
      const Interval watched{window.start - input.watch_lookback, window.end};
      digests.push_back(DigestOfInput(*upstream.state, CutColumn(input, upstream),
                                      IsByTime(input) ? watched : kAllTime));
    }
    return digests;
  }

  std::string ReasonOf(const TableState& state, const Interval& window) const {
    constexpr std::size_t kLinesMax = 3;
    const table::Snapshot* snapshot = PublishingSnapshot(*state.table.metadata, window.start);
    if (snapshot == nullptr) {
      return "its input has changed (details expired)";
    }
    const std::vector<std::string> lines =
        DescribeChanges(RecordedInputsOf(*snapshot), DigestsOf(window), kLinesMax);
    return lines.empty() ? "its input has changed" : fmt::format("{}", fmt::join(lines, "; "));
  }

  PlannedUnit ComputeOf(const Interval& window, const Judgement& judgement) const {
    PlannedUnit unit;
    unit.table = node_.table;
    unit.action = UnitAction::kCompute;
    unit.window = window;
    unit.status = judgement.status;
    unit.reason = judgement.reason;
    unit.model = node_.model;
    unit.logic = logic_.value_or(0);
    unit.inputs = DigestsOf(window);
    unit.stamp = StampOfWindow(unit.inputs);
    std::int64_t rows = 0;
    for (const project::ModelInput& input : node_.model->inputs) {
      const Node& upstream = graph_.At(input.table);
      if (!upstream.state) {
        continue;
      }
      const Interval read{window.start - input.read_lookback, window.end};
      const std::optional<table::FieldId> column = CutColumn(input, upstream);
      for (const PartitionState& partition : upstream.state->partitions) {
        if (!IsByTime(input) || partition.TimesOf(column).Overlaps(read)) {
          rows += partition.rows;
          unit.bytes += partition.bytes;
        }
      }
    }
    unit.rows = rows;
    return unit;
  }

  Node& node_;
  const Graph& graph_;
  const Look& look_;
  const std::string& engine_;
  Plan& plan_;
  std::optional<std::int64_t> logic_;
  const std::vector<DeployedLogic>* deployed_ = nullptr;  // Null: nothing is deployed yet.
  bool reported_upstream_ = false;  // What the last window waits for is told of another table.
};

}  // namespace

void Judge(Graph& graph, const Look& look, const std::string& engine, Plan& plan) {
  for (Node& node : graph.nodes()) {
    if (node.error) {
      plan.problems.push_back(node.error->message);
    }
    if (node.source == nullptr && node.model == nullptr) {
      continue;
    }
    PlannedTable planned;
    planned.table = node.table;
    planned.source = node.source;
    planned.model = node.model;
    planned.horizon = node.horizon;
    if (!node.error && node.source != nullptr) {
      SourceJudge(node, plan).Run();
    } else if (!node.error) {
      ModelJudge(node, graph, look, engine, plan).Run(planned);
    }
    planned.windows = node.windows;
    plan.tables.push_back(std::move(planned));
  }
}

}  // namespace strandline::pipeline::planning
