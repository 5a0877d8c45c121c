#pragma once

#include <string>
#include <utility>
#include <vector>

#include "strandline/base/interval.h"
#include "strandline/base/rng.h"
#include "strandline/io/file_io.h"
#include "strandline/table/update/snapshot_change.h"

namespace strandline::pipeline {

// How the live rows of one unit leave a table (STATE.md rule 12).
struct UnitReplacement {
  std::vector<std::string> removed;  // Files that hold nothing else,
  std::vector<std::pair<table::SpecId, table::PartitionTuple>> removed_from;  // and where they are.
  std::vector<table::NewFile> added;  // Position deletes for the rest, and rewritten survivors.
  std::vector<std::string> written_files;
};

// The rows that come in place of those of a unit.
struct UnitRows {
  Interval window;
  std::string time;  // The column whose values lie in the window, in every row.
  const std::vector<table::NewFile>& files;
  std::int64_t seq = 0;  // Their `_strand_seq`.
};

// Finds the live rows whose `_strand_unit` is the start of `unit.window`, among the files that can
// hold times of that window, and how to remove them: whole files where
// bounds or the rows prove that nothing else lives there, position deletes otherwise. A partition
// that loses rows, gets none of `unit.files` and keeps rows of other units shows the change by one
// of those, written again with `unit.seq` (rule 4). Writes files, commits nothing; on failure what
// it wrote is deleted. Fails like PlanScan and OpenScan.
Result<UnitReplacement> ReplaceUnit(const table::TableMetadata& metadata, const UnitRows& unit,
                                    io::FileIo& io, Rng& rng);

}  // namespace strandline::pipeline
