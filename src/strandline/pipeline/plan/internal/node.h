#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "strandline/base/error.h"
#include "strandline/base/interval.h"
#include "strandline/catalog/catalog.h"
#include "strandline/pipeline/state/freshness.h"
#include "strandline/pipeline/state/landing.h"
#include "strandline/pipeline/state/table_state.h"
#include "strandline/project/project.h"

namespace strandline::pipeline::planning {

// One table on its way through the plan: what is known of it grows from step to step.
struct Node {
  catalog::TableName table{};
  const project::Source* source = nullptr;  // What makes it: a source, a model, or others.
  const project::Model* model = nullptr;
  bool selected = false;

  // Read first. Absent `loaded`: the table is not there yet.
  std::optional<catalog::LoadedTable> loaded{};
  std::optional<table::FieldId> time{};    // What its units or windows go by.
  std::optional<Timestamp> landed_end{};   // Sources: end of the newest unit that has landed.
  std::optional<Timestamp> newest_done{};  // End of the newest unit that rows or records show.
  std::optional<Error> error{};            // It could not be read: nothing is planned for it.

  // Set by FindRanges().
  Timestamp start = Timestamp::min();  // Units before it are not planned (rule 18).
  Timestamp available_end = Timestamp::min();
  std::chrono::microseconds lateness{0};
  bool takes_all_late_rows = false;      // `beyond_lateness: accept`, here or upstream: no horizon.
  Timestamp horizon = Timestamp::min();  // Rule 20: older units are not looked at by themselves.
  Interval range{};                      // Units or windows that may be planned.
  Interval judged{};                     // Those that must be judged, as others need them too.
  std::optional<Interval> reads{};       // Times whose rows' marks are needed; absent: none.
  bool reads_all = false;                // All of it, whatever `reads` says.

  // Read then.
  std::optional<TableState> state{};
  Landing landing{};

  // Judged last.
  std::map<Timestamp, Judgement> windows{};
  std::set<Timestamp> will_run{};  // What this plan runs, now or when its upstream is done.
};

// Every table that is selected and all that it reads: sources first, then tables of others, then
// models after those they read.
class Graph {
 public:
  Graph(const project::Project& project, const std::set<catalog::TableName>& selected);

  std::vector<Node>& nodes() { return nodes_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  // `table` is in the graph (checked).
  Node& At(const catalog::TableName& table);
  const Node& At(const catalog::TableName& table) const;

 private:
  std::vector<Node> nodes_;
  std::map<catalog::TableName, std::size_t> index_;
};

// Length of one unit or window.
std::chrono::microseconds LengthOf(const Node& node);

// Cut at the model's window; other inputs are read `as_of` something.
bool IsByTime(const project::ModelInput& input);

// The column that `input` of a model is cut by: its own `time:`, or what the table's units go by.
std::optional<table::FieldId> CutColumn(const project::ModelInput& input, const Node& upstream);

}  // namespace strandline::pipeline::planning
