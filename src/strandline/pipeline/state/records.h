#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/clock.h"
#include "strandline/base/result.h"
#include "strandline/table/metadata/table_metadata.h"

namespace strandline::pipeline {

// The few things that rows cannot say, kept in table properties and committed with the data
// (STATE.md rules 8, 15, 16).

// Why a unit has no row of its own.
enum class EmptyKind {
  kNoRows,      // Nothing was there to write. Always valid.
  kDuplicates,  // All of it was in the table already; valid while the snapshot compared with is a
                // retained ancestor of `main`.
  kElsewhere,   // All rows went to partitions where nobody looks for them (rule 15).
};

// The table property `strandline.empty.<unit>`.
struct EmptyRecord {
  std::int64_t stamp = 0;
  std::optional<std::int64_t> logic;  // Derived tables only.
  EmptyKind kind = EmptyKind::kNoRows;
  std::optional<table::SnapshotId> compared_with;
  std::map<std::string, std::int64_t> counts;  // Of rule 23: no snapshot carries them.
  // The newest change of the table that was seen: foreign ones above it came later (rule 9).
  std::int64_t seq = 0;

  friend bool operator==(const EmptyRecord&, const EmptyRecord&) = default;
};

std::string EmptyRecordKey(Timestamp unit);
std::string EmptyRecordJson(const EmptyRecord& record);
// kCorrupt when it is no such JSON.
Result<EmptyRecord> ParseEmptyRecord(std::string_view json);

// All records of a table, by unit. Properties that are not ours to read are passed over.
std::map<Timestamp, EmptyRecord> EmptyRecordsOf(const table::TableMetadata& metadata);

// The keys of records of units before `horizon`: nobody asks for those any more (rule 16).
std::vector<std::string> EmptyRecordsBefore(const table::TableMetadata& metadata,
                                            Timestamp horizon);

// Whether the record still proves anything (rule 16).
bool IsValid(const EmptyRecord& record, const table::TableMetadata& metadata);

// One entry of the table property `strandline.deployed`: this logic is in force for windows from
// `from` on.
struct DeployedLogic {
  std::int64_t logic = 0;
  std::optional<Timestamp> from;  // Absent: for all time.

  friend bool operator==(const DeployedLogic&, const DeployedLogic&) = default;
};

inline constexpr std::string_view kDeployedKey = "strandline.deployed";

std::string DeployedJson(const std::vector<DeployedLogic>& entries);
Result<std::vector<DeployedLogic>> ParseDeployed(std::string_view json);

// The logic in force for a window: the last entry that starts at or before it; absent when none
// covers it.
std::optional<std::int64_t> LogicInForce(const std::vector<DeployedLogic>& entries,
                                         Timestamp window);

// `strandline.reopen.<unit>`: rows of that unit count only above this number (rule 15).
std::map<Timestamp, std::int64_t> ReopenedUnitsOf(const table::TableMetadata& metadata);

}  // namespace strandline::pipeline
