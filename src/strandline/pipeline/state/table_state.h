#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "strandline/base/interval.h"
#include "strandline/catalog/catalog.h"
#include "strandline/pipeline/state/fingerprints.h"
#include "strandline/pipeline/state/records.h"
#include "strandline/table/scan/scan.h"

namespace strandline::pipeline {

// What live rows of one partition say of one unit of work.
struct UnitMark {
  Timestamp unit;
  std::int64_t stamp = 0;
  std::optional<std::int64_t> logic;
  std::int64_t seq_max = 0;

  friend auto operator<=>(const UnitMark&, const UnitMark&) = default;
};

// The newest foreign content snapshot that touched a partition (STATE.md, rules 4 and 9).
struct ForeignChange {
  table::SnapshotId snapshot;
  std::int64_t sequence_number = 0;
  Interval interval;  // Event times of the partition, which need not have live rows any more.
};

// One partition with live rows.
struct PartitionState {
  std::string path;  // `event_time_hour=2026-11-30-05`.
  // Times it can hold, by the columns that its spec divides by time.
  std::map<table::FieldId, Interval> times;
  std::int64_t version = 0;  // Rule 4.
  std::string digest;        // Rule 5.
  std::vector<UnitMark> marks;
  // Live rows whose bookkeeping columns are null: others wrote them.
  bool has_unmarked_rows = false;
  std::int64_t rows = 0;  // Record counts, deleted rows not subtracted.
  std::int64_t bytes = 0;

  // All time where its spec does not divide `column`, or where none is asked for.
  Interval TimesOf(std::optional<table::FieldId> column) const;
};

// A table as a plan sees it: pinned, and read no further than the interval that matters.
struct TableState {
  catalog::LoadedTable table;
  std::optional<table::FieldId> time;      // The column that its windows or units go by.
  bool ours = false;                       // Carries `_strand_seq`.
  std::vector<PartitionState> partitions;  // Those that overlap the interval asked for, by path.
  std::vector<ForeignChange> foreign_changes;  // One for each partition touched, of any interval.
  std::map<Timestamp, EmptyRecord> empty_records;
  std::map<Timestamp, std::int64_t> reopened;
  std::vector<DeployedLogic> deployed;
};

// The first column that a table's default spec divides by time; absent: there is none. What a table
// of others is cut by unless its reader says otherwise.
std::optional<table::FieldId> TimePartitionColumn(const table::TableMetadata& metadata);

// The times of `column` that a partition can hold; absent when its spec does not divide that column
// by time or the value is null.
std::optional<Interval> IntervalOfPartition(const table::PartitionSpec& spec,
                                            const table::PartitionTuple& tuple,
                                            table::FieldId column);

// `column` in [start, end); whole days for a date column. All rows where `column` holds no times.
table::Expression TimeFilter(const table::NestedField& column, const Interval& interval);

// Reads what the rows of `interval` say of themselves; the whole table without one. `time` is the
// column that the interval is about; a table that is not divided by it is read whole. Costs
// metadata only: manifests that may hold that time, and of data files just the bookkeeping columns
// where bounds prove nothing (rule 6). A partition that overlaps the interval is read whole: its
// version is a fact of the lake and not of who asks. Fails like PlanScan and OpenScan.
Result<TableState> ReadTableState(const catalog::LoadedTable& table,
                                  std::optional<table::FieldId> time,
                                  const std::optional<Interval>& interval, io::FileIo& io);

// The newest time of `column` that any live row's partition reaches; absent for a table without
// rows or not divided by it. Reads manifest lists only.
Result<std::optional<Timestamp>> NewestPartitionEnd(const catalog::LoadedTable& table,
                                                    table::FieldId column, io::FileIo& io);

}  // namespace strandline::pipeline
