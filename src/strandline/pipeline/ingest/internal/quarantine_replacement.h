#pragma once

#include <string>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/pipeline/ingest/internal/unit_context.h"
#include "strandline/table/update/snapshot_change.h"

namespace strandline::pipeline::ingest {

// How the rows that earlier readings of a unit's files left in the quarantine leave it (STATE.md
// rule 22: replaced per unit and file).
struct QuarantineReplacement {
  std::vector<std::string> removed;     // Data files that hold nothing else.
  std::vector<table::NewFile> deletes;  // Position deletes for the rest.
  std::vector<std::string> written_files;
};

// Finds the live rows of the unit that name one of its files. Reads those of the quarantine's files
// whose bounds allow for the unit. Fails like PlanScan and OpenScan.
Result<QuarantineReplacement> ReplaceQuarantined(const UnitContext& context,
                                                 const std::string& file_stem);

}  // namespace strandline::pipeline::ingest
