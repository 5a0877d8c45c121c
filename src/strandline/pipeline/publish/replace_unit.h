#pragma once

#include <string>
#include <vector>

#include "strandline/base/interval.h"
#include "strandline/base/rng.h"
#include "strandline/io/file_io.h"
#include "strandline/table/update/snapshot_change.h"

namespace strandline::pipeline {

// How the live rows of one unit leave a table (STATE.md rule 12).
struct UnitReplacement {
  std::vector<std::string> removed;     // Files that hold nothing else.
  std::vector<table::NewFile> deletes;  // Position deletes for the rest: one file per partition.
  std::vector<std::string> written_files;
  std::int64_t rows = 0;  // Live rows of the unit.
  // Partitions that keep rows of other units while rows of this one leave them.
  bool leaves_others_behind = false;
};

// Finds the live rows whose `_strand_unit` is `window.start`, in the partitions of `window` (all,
// for a table without a time partition), and how to remove them: whole files where bounds or the
// rows prove that nothing else lives there, position deletes otherwise. Writes delete files,
// commits nothing. Fails like PlanScan and OpenScan.
Result<UnitReplacement> ReplaceUnit(const table::TableMetadata& metadata, const Interval& window,
                                    io::FileIo& io, Rng& rng);

}  // namespace strandline::pipeline
