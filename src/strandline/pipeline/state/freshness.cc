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

// The number of the window's rows: the lowest that any partition shows, since a row that was only
// written again raises its own partition's. What an empty record says where there are none.
std::int64_t NumberOf(const TableState& state, Timestamp unit) {
  std::optional<std::int64_t> number;
  for (const PartitionState& partition : state.partitions) {
    std::optional<std::int64_t> highest;
    for (const UnitMark& mark : partition.marks) {
      if (mark.unit == unit) {
        highest = std::max(highest.value_or(mark.seq_max), mark.seq_max);
      }
    }
    if (highest) {
      number = std::min(number.value_or(*highest), *highest);
    }
  }
  if (number) {
    return *number;
  }
  const auto record = state.empty_records.find(unit);
  return record == state.empty_records.end() ? 0 : record->second.seq;
}

// A foreign change of the window's partitions that is newer than the window.
std::optional<ForeignChange> NewerForeignChange(const TableState& state, const Interval& window) {
  const std::int64_t number = NumberOf(state, window.start);
  const auto newer = std::ranges::find_if(state.foreign_changes, [&](const ForeignChange& change) {
    return change.interval.Overlaps(window) && change.sequence_number > number;
  });
  return newer == state.foreign_changes.end() ? std::nullopt : std::optional(*newer);
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
  const auto record = state.empty_records.find(window.start);
  if (marks.empty() &&
      (record == state.empty_records.end() || !IsValid(record->second, *state.table.metadata))) {
    return {UnitStatus::kMissing, ""};
  }
  if (const std::optional<ForeignChange> foreign = NewerForeignChange(state, window)) {
    return {UnitStatus::kModifiedByOthers,
            fmt::format("snapshot {} of another program changed it after it was published",
                        foreign->snapshot)};
  }
  if (marks.empty()) {
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

bool IsIngested(const TableState& state, Timestamp unit) {
  return state.empty_records.contains(unit) || !MarksOf(state, unit).empty();
}

InputDigest DigestOfInput(const TableState& state, std::optional<table::FieldId> column,
                          const Interval& watched) {
  InputDigest input{.table = ToString(state.table.name), .partitions = {}};
  for (const PartitionState& partition : state.partitions) {
    if (partition.TimesOf(column).Overlaps(watched)) {
      input.partitions.push_back({partition.path, partition.digest});
    }
  }
  return input;
}

}  // namespace strandline::pipeline
