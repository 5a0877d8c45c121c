#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "strandline/catalog/catalog.h"
#include "strandline/pipeline/ingest/ingest.h"
#include "strandline/pipeline/plan/recorded.h"
#include "strandline/pipeline/run/run_context.h"
#include "strandline/quality/audit.h"
#include "strandline/table/update/snapshot_change.h"

namespace strandline::pipeline {

// A change of one table, written and audited, that no reader sees yet (STATE.md rule 26): base, new
// files, rows removed.
struct PreparedChange {
  catalog::TableName table;
  std::optional<catalog::LoadedTable> base;  // Absent: the table is created by `creation`.
  std::optional<table::NewTable> creation;
  std::optional<table::Schema> new_schema;  // The window brought columns; ids above last-column-id.
  table::SnapshotChange change;             // Without files: only properties change.
  std::map<std::string, std::string> set_properties;
  std::vector<std::string> remove_properties;
  std::vector<std::string> written_files;  // Data and delete files: garbage unless published.
};

// What the summaries of one publish say (rule 27).
struct PublishRecord {
  std::vector<RecordedUnit> units;
  std::vector<RecordedInput> inputs;
  std::optional<std::string> files;  // RecordedFilesText.
  std::optional<IngestCounts> counts;
  std::string checks;  // ChecksJson.
  std::chrono::milliseconds seconds{0};
};

// The metadata that readers will find when the change is published, without its snapshot: the base,
// or the new table, with the new schema. For planning and auditing against it.
Result<std::shared_ptr<const table::TableMetadata>> MetadataToBe(const PreparedChange& change,
                                                                 Timestamp now);

// The `strandline.…` entries of a summary, 8 kB at most: over it the inputs' partitions go first,
// then the files.
std::map<std::string, std::string> SummaryOf(const PublishRecord& record, const RunContext& context,
                                             std::string_view publish_id);

// Lets the change drop the records of units before `horizon` that it does not set itself (rule 16).
void DropOldRecords(Timestamp horizon, PreparedChange& change);

// Publishes all of `changes` in one catalog transaction (rules 28 and 31): all or nothing. Each
// change's base must still be the table's state; if any `main` has moved, kConflict: nothing
// changed, the files written for it are deleted, plan the unit again (rule 29). kCommitUnknown: the
// outcome cannot be told; nothing is deleted (rule 32). The tables as committed otherwise.
Result<std::vector<catalog::LoadedTable>> Publish(const RunContext& context,
                                                  const std::vector<PreparedChange>& changes);

// Deletes files that were written for a change that will not be published. Failures are left to
// orphan cleanup.
void DiscardFiles(io::FileIo& io, const std::vector<std::string>& locations);

}  // namespace strandline::pipeline
