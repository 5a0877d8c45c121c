#include "strandline/cli/exit_code.h"

#include <algorithm>

namespace strandline::cli {

using pipeline::UnitOutcome;

ExitCode ExitCodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kCommitUnknown:
      return ExitCode::kUnknownOutcome;
    case ErrorKind::kConflict:
      return ExitCode::kLostRace;
    default:
      return ExitCode::kFailed;
  }
}

ExitCode ExitCodeOf(const pipeline::RunReport& report, bool asked_for) {
  const auto any = [&report](UnitOutcome outcome) {
    return std::ranges::any_of(report.units, [outcome](const pipeline::UnitReport& unit) {
      return unit.outcome == outcome;
    });
  };
  if (any(UnitOutcome::kUnknown)) {
    return ExitCode::kUnknownOutcome;
  }
  if (any(UnitOutcome::kFailed) || !report.problems.empty()) {
    return ExitCode::kFailed;
  }
  if (any(UnitOutcome::kBlocked) || !report.refused.empty()) {
    return ExitCode::kRefused;
  }
  if (any(UnitOutcome::kLostRace)) {
    return ExitCode::kLostRace;
  }
  if (asked_for && !report.waiting.empty()) {
    return ExitCode::kNotReady;
  }
  return ExitCode::kDone;
}

ExitCode StoppedCode(ExitCode code, ExitCode stopped) {
  return code == ExitCode::kUnknownOutcome ? code : stopped;
}

}  // namespace strandline::cli
