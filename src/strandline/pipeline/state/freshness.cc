#include "strandline/pipeline/state/freshness.h"

#include <algorithm>

#include <fmt/format.h>

#include "strandline/base/hash.h"

namespace strandline::pipeline {
namespace {

// The marks that live rows of one unit carry, in any partition that was read.
std::vector<UnitMark> MarksOf(const TableState& state, Timestamp unit) {
  std::vector<UnitMark> marks;
  for (const PartitionState& partition : state.partitions) {
    for (const UnitMark& mark : partition.marks) {
      if (mark.unit == unit) {
        marks.push_back(mark);
      }
    }
  }
  return marks;
}

// A foreign change of a partition that holds rows of the window, newer than all of those rows.
std::optional<ForeignChange> NewerForeignChange(const TableState& state, const Interval& window) {
  for (const PartitionState& partition : state.partitions) {
    if (!partition.foreign || !partition.interval.Overlaps(window)) {
      continue;
    }
    std::int64_t seq_max = 0;
    for (const UnitMark& mark : partition.marks) {
      if (mark.unit == window.start) {
        seq_max = std::max(seq_max, mark.seq_max);
      }
    }
    if (partition.foreign->sequence_number > seq_max) {
      return partition.foreign;
    }
  }
  return std::nullopt;
}

bool IsExpected(const ExpectedMarks& expected, const std::optional<std::int64_t>& logic) {
  return expected.logics.empty() ||
         (logic && std::ranges::find(expected.logics, *logic) != expected.logics.end());
}

}  // namespace

std::string_view ToString(UnitStatus status) {
  switch (status) {
    case UnitStatus::kFresh:
      return "fresh";
    case UnitStatus::kMissing:
      return "missing";
    case UnitStatus::kStaleInput:
      return "stale: input";
    case UnitStatus::kStaleLogic:
      return "stale: logic";
    case UnitStatus::kModifiedByOthers:
      return "modified by others";
    case UnitStatus::kPending:
      return "pending";
    case UnitStatus::kWaiting:
      return "waiting";
    case UnitStatus::kNotDeployed:
      return "not deployed";
  }
  return "unknown";
}

Judgement JudgeWindow(const TableState& state, const Interval& window,
                      const ExpectedMarks& expected) {
  const std::vector<UnitMark> marks = MarksOf(state, window.start);
  if (const std::optional<ForeignChange> foreign = NewerForeignChange(state, window)) {
    return {UnitStatus::kModifiedByOthers,
            fmt::format("snapshot {} of another program changed it after it was published",
                        foreign->snapshot)};
  }
  if (marks.empty()) {
    const auto record = state.empty_records.find(window.start);
    if (record == state.empty_records.end() || !IsValid(record->second, *state.table.metadata)) {
      return {UnitStatus::kMissing, ""};
    }
    if (record->second.stamp != expected.stamp) {
      return {UnitStatus::kStaleInput, "it was empty; its input has changed"};
    }
    if (!IsExpected(expected, record->second.logic)) {
      return {UnitStatus::kStaleLogic, "it was empty; its logic has changed"};
    }
    return {};
  }
  for (const UnitMark& mark : marks) {
    if (mark.stamp != expected.stamp) {
      return {UnitStatus::kStaleInput, fmt::format("stamp {} → {}", FingerprintText(mark.stamp),
                                                   FingerprintText(expected.stamp))};
    }
  }
  for (const UnitMark& mark : marks) {
    if (!IsExpected(expected, mark.logic)) {
      return {UnitStatus::kStaleLogic,
              fmt::format("logic {} → {}", FingerprintText(mark.logic.value_or(0)),
                          FingerprintText(expected.logics.front()))};
    }
  }
  return {};
}

Judgement JudgeLandingUnit(const TableState& state, const Interval& unit, std::int64_t stamp) {
  const auto reopened = state.reopened.find(unit.start);
  const std::int64_t above = reopened == state.reopened.end() ? 0 : reopened->second;
  const std::vector<UnitMark> marks = MarksOf(state, unit.start);
  const bool found = std::ranges::any_of(marks, [stamp, above](const UnitMark& mark) {
    return mark.stamp == stamp && mark.seq_max > above;
  });
  if (found) {
    return {};
  }
  const auto record = state.empty_records.find(unit.start);
  const bool recorded = record != state.empty_records.end() && record->second.stamp == stamp;
  if (recorded && IsValid(record->second, *state.table.metadata)) {
    return {};
  }
  if (recorded) {
    return {
        UnitStatus::kMissing,
        "it held only duplicates; the snapshot compared with has expired, so it is compared again"};
  }
  if (marks.empty() && record == state.empty_records.end()) {
    return {UnitStatus::kMissing, ""};
  }
  return {UnitStatus::kStaleInput, "its landed files have changed"};
}

InputDigest DigestOfInput(const TableState& state, const Interval& watched) {
  InputDigest input{.table = ToString(state.table.name), .partitions = {}};
  for (const PartitionState& partition : state.partitions) {
    if (partition.interval.Overlaps(watched)) {
      input.partitions.push_back({partition.path, partition.digest});
    }
  }
  return input;
}

}  // namespace strandline::pipeline
