#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strandline/base/clock.h"
#include "strandline/io/file_io.h"
#include "strandline/pipeline/ingest/landed_file.h"
#include "strandline/project/project.h"

namespace strandline::pipeline {

// A landing unit as the listing shows it.
struct ListedUnit {
  LandingUnit unit;     // Files without markers, hidden and temporary names (rule 14); stamp set.
  bool landed = false;  // Its folder is there.
  bool complete =
      false;  // Rule 18: by marker or grace; or absent for so long that it counts as empty.
  std::string waiting_for;  // Why it is not complete, for people: `has no _SUCCESS yet`.
  // Absent for longer than `error_after` allows, or with files of other names only.
  std::optional<std::string> problem;
};

// What has landed for one source.
struct Landing {
  std::vector<ListedUnit> units;  // All units of the interval asked for, absent ones too, by start.
  std::optional<std::string> problem;      // A folder whose name is surely a mistake.
  std::optional<std::string> waiting_for;  // Nothing at all has landed: where it was looked for.
};

// The newest landed unit's end. Costs one directory read.
Result<std::optional<Timestamp>> NewestLandedEnd(const project::Source& source, io::FileIo& io);

// Lists the units of `interval` from the source's start on. Costs one directory read and one for
// each landed unit of the interval, however long the history is. `now` decides grace periods only
// (rule 20), and those only of units before the newest that has landed: what comes after it has
// just not landed. A folder more than a year after all others is left out, and named: one wrong
// digit would make years of units absent.
Result<Landing> ListLanding(const project::Source& source, const Interval& interval, Timestamp now,
                            io::FileIo& io);

}  // namespace strandline::pipeline
