#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "strandline/pipeline/plan/plan.h"
#include "strandline/pipeline/publish/publish.h"
#include "strandline/pipeline/run/run_context.h"
#include "strandline/quality/audit.h"
#include "strandline/table/read/scan_reader.h"

namespace strandline::pipeline {

// The input as the model's SELECT sees it: rows with start − lookback ≤ t < end (rule 10), or the
// whole table for `as_of`. kInvalidArgument when it has no time column and is not `as_of`.
Result<std::shared_ptr<engine::Relation>> InputRelation(const project::ModelInput& input,
                                                        const PinnedTable& table,
                                                        const Interval& window, bool prune,
                                                        table::ColumnCache* cache, io::FileIo& io);

// One derived window, computed and written, not audited and not published.
struct ComputedWindow {
  PreparedChange change;
  // As it will be, for the audit: what a blocking not_null promises may still be null.
  std::shared_ptr<const table::TableMetadata> metadata;
  std::vector<table::ScanTask> tasks;  // The window's rows, for the audit.
  std::vector<RecordedInput> inputs;
  std::int64_t rows = 0;
  std::int64_t bytes_written = 0;
};

// Runs the model's SELECT over the window and writes its rows in place of those the window has now
// (rules 9, 10, 12). `base` is the model's table as planned, absent when it is to be created.
// `digests` are the inputs' as they go into the stamp.
//
// kInvalidArgument for what is wrong with the SQL or its result against the table (a column that is
// gone or has another type, a row outside of the window); the message names the model, and says
// that nothing was changed. Other failures come from reading and writing.
Result<ComputedWindow> ComputeWindow(const RunContext& context, const PlannedUnit& unit,
                                     const std::optional<TableState>& base,
                                     const PinnedTables& inputs,
                                     const std::vector<InputDigest>& digests,
                                     table::ColumnCache* cache);

}  // namespace strandline::pipeline
