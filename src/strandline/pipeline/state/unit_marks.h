#pragma once

#include <vector>

#include "strandline/io/file_io.h"
#include "strandline/pipeline/state/bookkeeping_ids.h"
#include "strandline/pipeline/state/table_state.h"
#include "strandline/table/scan/scan.h"

namespace strandline::pipeline {

// What the live rows of one data file say of themselves.
struct FileMarks {
  bool live = false;
  bool has_unmarked_rows = false;
  std::vector<UnitMark> marks;
};

// From bounds where they prove it (rule 6: no value missing, none null, lower equals upper, and
// fewer rows deleted than the file has); absent otherwise.
std::optional<FileMarks> MarksFromBounds(const table::ScanTask& task, const BookkeepingIds& ids);

// From the rows, deletes applied. Fails like OpenScan.
Result<FileMarks> MarksFromRows(const table::ScanTask& task, const table::TableMetadata& metadata,
                                const BookkeepingIds& ids, io::FileIo& io);

}  // namespace strandline::pipeline
