#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "strandline/base/clock.h"
#include "strandline/base/interval.h"
#include "strandline/catalog/catalog.h"
#include "strandline/io/file_io.h"
#include "strandline/pipeline/ingest/landed_file.h"
#include "strandline/pipeline/state/freshness.h"
#include "strandline/pipeline/state/landing.h"
#include "strandline/project/project.h"

namespace strandline::pipeline {

// Everything a plan may look at (STATE.md rule 1). All of it must outlive the plan.
struct PlanInputs {
  const project::Project& project;
  catalog::Catalog& catalog;
  io::FileIo& io;
  Timestamp now;       // One reading of the clock.
  std::string engine;  // The engine's name without its version: part of a model's logic.
  int threads = 2;
};

// What a person asked to see or run.
struct PlanScope {
  std::vector<std::string>
      select;  // Table or model names, globs, with `+` before or after; empty: all.
  std::vector<std::string> exclude;
  std::optional<Interval> interval;  // `--start/--end`: lifts the horizon (rule 20).
  // Metadata only, however far back: what is older than the horizon is reported too (`plan --all`).
  bool beyond_horizon = false;
};

enum class UnitAction { kIngest, kCompute };
std::string_view ToString(UnitAction action);

// One landing unit or derived window that is not fresh.
struct PlannedUnit {
  catalog::TableName table;
  UnitAction action = UnitAction::kIngest;
  Interval window;
  UnitStatus status = UnitStatus::kMissing;
  std::string reason;

  // Ingest: what is read. All files of the unit, or those that are new (rule 17).
  const project::Source* source = nullptr;
  LandingUnit landing;
  std::optional<LandedFile> sample;  // Of this unit or another: shows the columns that land.
  std::vector<LandedFile>
      files_known;  // Files of the unit that were read before and are not read again.

  // Compute.
  const project::Model* model = nullptr;
  std::int64_t stamp = 0;
  std::int64_t logic = 0;
  std::vector<InputDigest> inputs;  // What the stamp was made of.

  // What it reads, from metadata.
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::optional<std::int64_t> rows;
};

// One table as the plan saw it, for `status` and for running.
struct PlannedTable {
  catalog::TableName table;
  const project::Source* source = nullptr;
  const project::Model* model = nullptr;
  std::optional<TableState> state;  // Absent: the table does not exist yet.
  std::optional<std::int64_t>
      logic;  // Models: of the code at hand; absent while an input does not exist.
  std::optional<std::int64_t> logic_needs_deploy;  // Set when the logic in force is another one.
  std::map<Timestamp, Judgement> windows;          // Every window looked at, fresh ones too.
  Timestamp horizon;  // Nobody asks for units before it unless told to (rule 20).
};

// A table as the plan loaded it, of the project or of others.
struct PinnedTable {
  catalog::LoadedTable table;
  std::optional<std::string> time;  // The column that readers cut it by unless they name another.
};
using PinnedTables = std::map<catalog::TableName, PinnedTable>;

struct Waiting {
  catalog::TableName table;
  Interval window;
  std::string reason;
};

struct Plan {
  Timestamp now;
  std::vector<PlannedTable>
      tables;  // Sources first, then models in the order they depend on each other.
  std::vector<PlannedUnit>
      units;  // In the order they run: ingests by start; then models, new windows first.
  // What would run and waits for something outside of the plan. A model's window is told of only
  // where what it waits for is not, or where it was asked for by time.
  std::vector<Waiting> waiting;
  // What somebody must look at: units overdue (`error_after`), tables that cannot be read, odd
  // landing folders.
  std::vector<std::string> problems;
  PinnedTables pinned;  // Every table of the plan that is there (rule 1).
};

// Computes what is missing, stale or waiting and why. Reads metadata and listings, changes nothing,
// asks nothing but `inputs`. The same lake, listing, project and `now` give the same plan.
// A table that cannot be read is a problem of the plan, and holds up what depends on it.
//
// kNotFound when `select` names nothing that is there. Fails like ReadTableState when no table can
// be read at all.
Result<Plan> MakePlan(const PlanInputs& inputs, const PlanScope& scope);

// Tables selected by `scope`, in plan order. kNotFound for a name that matches nothing.
Result<std::vector<catalog::TableName>> SelectTables(const project::Project& project,
                                                     const PlanScope& scope);

}  // namespace strandline::pipeline
