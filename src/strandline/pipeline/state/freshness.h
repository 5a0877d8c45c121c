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

// The digests of the partitions of `state` that overlap `watched` (rule 7).
InputDigest DigestOfInput(const TableState& state, const Interval& watched);

}  // namespace strandline::pipeline
