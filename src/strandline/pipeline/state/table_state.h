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

// A foreign content snapshot that touched a partition (STATE.md, rules 4 and 9).
struct ForeignChange {
  table::SnapshotId snapshot;
  std::int64_t sequence_number = 0;
};

// One partition with live rows.
struct PartitionState {
  std::string path;          // `event_time_hour=2026-11-30-05`.
  Interval interval;         // Of event time, from the partition's time field.
  std::int64_t version = 0;  // Rule 4.
  std::string digest;        // Rule 5.
  std::vector<UnitMark> marks;
  std::optional<ForeignChange> foreign;  // The newest one.
  // Live rows whose bookkeeping columns are null: others wrote them.
  bool has_unmarked_rows = false;
  std::int64_t rows = 0;  // Record counts, deleted rows not subtracted.
  std::int64_t bytes = 0;
};

// A table as a plan sees it: pinned, and read no further than the interval that matters.
struct TableState {
  catalog::LoadedTable table;
  bool ours = false;                       // Carries `_strand_seq`.
  std::vector<PartitionState> partitions;  // Those that overlap the interval asked for, by path.
  std::map<Timestamp, EmptyRecord> empty_records;
  std::map<Timestamp, std::int64_t> reopened;
  std::vector<DeployedLogic> deployed;
};

// The field of a table's default spec that divides it by time; absent: it has none.
struct TimePartition {
  std::string column;  // The source column.
  table::TransformKind transform = table::TransformKind::kHour;
};
std::optional<TimePartition> TimePartitionOf(const table::TableMetadata& metadata);

// The event times a partition can hold; absent when its spec has no time field or the value is
// null.
std::optional<Interval> IntervalOfPartition(const table::PartitionSpec& spec,
                                            const table::PartitionTuple& tuple);

// `column` in [start, end), for a timestamp or timestamptz column.
table::Expression TimeFilter(const std::string& column, const Interval& interval);

// Reads what the rows of `interval` (event time; the whole table without one) say of themselves.
// Costs metadata only: manifests that may hold that time, and of data files just the bookkeeping
// columns where bounds prove nothing (rule 6). Fails like PlanScan and OpenScan.
Result<TableState> ReadTableState(const catalog::LoadedTable& table,
                                  const std::optional<Interval>& interval, io::FileIo& io);

// The newest time that any live row's partition reaches; absent for a table without rows. Reads
// manifest lists only.
Result<std::optional<Timestamp>> NewestPartitionEnd(const catalog::LoadedTable& table,
                                                    io::FileIo& io);

}  // namespace strandline::pipeline
