#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strandline/pipeline/state/table_state.h"

namespace strandline::pipeline {

// What is to be said of one window or landing unit (STATE.md, rule 9).
enum class UnitStatus {
  kFresh,
  kMissing,
  kStaleInput,
  kStaleLogic,
  kModifiedByOthers,
  kPending,      // Something upstream runs first.
  kWaiting,      // What it needs has not landed or is not complete.
  kNotDeployed,  // Its logic is not the one in force: refused until `deploy`.
};
std::string_view ToString(UnitStatus status);

// What a derived window should carry.
struct ExpectedMarks {
  std::int64_t stamp = 0;
  // The logic in force for the window, and the newest one deployed: what is stale by input is
  // recomputed with the code at hand and gets its logic (rule 8). Empty when nothing is deployed
  // yet.
  std::vector<std::int64_t> logics;
};

struct Judgement {
  UnitStatus status = UnitStatus::kFresh;
  std::string reason;  // For people; empty when fresh.
};

// Rule 9 for one derived window of `state`'s table: pure.
Judgement JudgeWindow(const TableState& state, const Interval& window,
                      const ExpectedMarks& expected);

// Rule 15 for one landing unit: whether a live row of [unit - lateness, unit end) has this unit and
// stamp, or a valid record says so: pure.
Judgement JudgeLandingUnit(const TableState& state, const Interval& unit, std::int64_t stamp);

// Whether rows or a record show that some reading of the unit has been ingested: pure.
bool IsIngested(const TableState& state, Timestamp unit);

// The digests of the partitions of `state` that can hold times of `column` within `watched` (rule
// 7): all of them where the table is not divided by that column.
InputDigest DigestOfInput(const TableState& state, std::optional<table::FieldId> column,
                          const Interval& watched);

}  // namespace strandline::pipeline
