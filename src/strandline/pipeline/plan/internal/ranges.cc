#include "strandline/pipeline/plan/internal/ranges.h"

#include <algorithm>
#include <ranges>

namespace strandline::pipeline::planning {
namespace {

using std::chrono::microseconds;

void Widen(Interval& interval, const Interval& by) {
  if (by.start >= by.end) {
    return;
  }
  interval = interval.start >= interval.end
                 ? by
                 : Interval{std::min(interval.start, by.start), std::max(interval.end, by.end)};
}

void Widen(std::optional<Interval>& interval, const Interval& by) {
  Interval wide = interval.value_or(Interval{});
  Widen(wide, by);
  if (wide.start < wide.end) {
    interval = wide;
  }
}

// `time - back`, not before all time.
Timestamp Back(Timestamp time, microseconds back) {
  return time < Timestamp::min() + back ? Timestamp::min() : time - back;
}

void FindSourceBounds(Node& node) {
  node.start = WindowStart(node.source->unit, node.source->start);
  // What has been ingested is there, also when its landed files have been cleared away.
  node.available_end = std::max(node.landed_end.value_or(Timestamp::min()),
                                node.newest_done.value_or(Timestamp::min()));
  node.lateness = node.source->lateness;
  node.takes_all_late_rows = node.source->beyond_lateness == project::BeyondLateness::kAccept;
  node.horizon = node.newest_done
                     ? std::min(Back(node.available_end, node.lateness), *node.newest_done)
                     : node.start;
}

void FindModelBounds(Node& node, const Graph& graph) {
  bool any = false;
  for (const project::ModelInput& input : node.model->inputs) {
    if (!IsByTime(input)) {
      continue;
    }
    const Node& upstream = graph.At(input.table);
    // The oldest window that a row of any unit which may still be read can reach.
    const Timestamp reached =
        upstream.source != nullptr ? Back(upstream.horizon, upstream.lateness) : upstream.horizon;
    node.start = any ? std::max(node.start, upstream.start) : upstream.start;
    node.available_end =
        any ? std::min(node.available_end, upstream.available_end) : upstream.available_end;
    node.horizon = any ? std::min(node.horizon, reached) : reached;
    node.lateness = std::max(node.lateness, upstream.lateness);
    node.takes_all_late_rows = node.takes_all_late_rows || upstream.takes_all_late_rows;
    any = true;
  }
  if (node.start > Timestamp::min()) {
    const Timestamp floor = WindowStart(node.model->window, node.start);
    node.start = floor < node.start ? floor + LengthOf(node) : floor;
  }
  if (!node.newest_done || node.takes_all_late_rows) {
    node.horizon = node.start;
  } else {
    node.horizon = std::min(node.horizon, Back(*node.newest_done, node.lateness));
  }
}

// Whole units only; what an interval touches belongs to it.
Interval RangeOf(const Node& node, const Look& look) {
  const project::Unit unit = node.source != nullptr ? node.source->unit : node.model->window;
  if (look.interval) {
    // Units that nobody can have yet are not listed one by one.
    const Timestamp end =
        std::min(look.interval->end,
                 std::max(node.available_end, WindowStart(unit, look.now) + LengthOf(node)));
    const Timestamp start = std::max(node.start, WindowStart(unit, look.interval->start));
    return {start, std::max(start, end)};
  }
  if (node.available_end == Timestamp::min()) {
    return {};
  }
  const Timestamp oldest = look.beyond_horizon ? node.start : std::max(node.start, node.horizon);
  const Timestamp start = WindowStart(unit, oldest);
  return {std::max(start, node.start), std::max(start, node.available_end)};
}

// The windows that begin in a range, as far as they go.
Interval WholeWindows(const Interval& range, microseconds length) {
  if (range.start >= range.end) {
    return {};
  }
  const microseconds rest = (range.end - range.start) % length;
  return {range.start, rest.count() == 0 ? range.end : range.end + (length - rest)};
}

void WidenUpstream(const Node& node, Graph& graph) {
  const Interval windows = WholeWindows(node.judged, LengthOf(node));
  if (windows.start >= windows.end) {
    return;
  }
  for (const project::ModelInput& input : node.model->inputs) {
    Node& upstream = graph.At(input.table);
    if (!IsByTime(input)) {
      upstream.reads_all = upstream.reads_all || input.as_of == project::AsOf::kRestate;
      continue;
    }
    const microseconds arrives =
        upstream.source != nullptr ? upstream.source->arrives_within : microseconds(0);
    Widen(upstream.judged, {std::max(windows.start, upstream.start),
                            std::min(windows.end + arrives, upstream.available_end)});
    Widen(upstream.reads,
          {windows.start - std::max(input.read_lookback, input.watch_lookback), windows.end});
    // The interval is about the column that its own units go by.
    upstream.reads_all = upstream.reads_all || CutColumn(input, upstream) != upstream.time;
  }
}

}  // namespace

void FindRanges(Graph& graph, const Look& look) {
  for (Node& node : graph.nodes()) {
    if (node.source != nullptr) {
      FindSourceBounds(node);
    } else if (node.model != nullptr) {
      FindModelBounds(node, graph);
    } else {
      continue;
    }
    node.range = RangeOf(node, look);
    node.judged = node.range;
  }
  for (Node& node : std::ranges::reverse_view(graph.nodes())) {
    if (node.model != nullptr) {
      WidenUpstream(node, graph);
      Widen(node.reads, WholeWindows(node.judged, LengthOf(node)));
    } else if (node.source != nullptr) {
      Widen(node.reads, {node.judged.start - node.lateness, node.judged.end});
    }
  }
}

}  // namespace strandline::pipeline::planning
