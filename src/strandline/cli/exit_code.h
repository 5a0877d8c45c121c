#pragma once

#include "strandline/base/error.h"
#include "strandline/pipeline/run/run.h"

namespace strandline::cli {

// What orchestrators branch on (docs/CLI.md).
enum class ExitCode {
  kDone = 0,
  kFailed = 1,
  kChanges = 2,         // `plan --detailed-exitcode`: there is something to run.
  kRefused = 3,         // By a gate: an audit, a deployment.
  kNotReady = 4,        // What was asked for by name or time is not ready upstream.
  kLostRace = 5,        // After all retries; safe to try again.
  kUnknownOutcome = 6,  // Of a commit; run again.
  kUsage = 64,          // Wrong usage, or the project does not validate.
  kInterrupted = 130,   // SIGINT.
  kTerminated = 143,    // SIGTERM.
};

// For a command that ended with an error.
ExitCode ExitCodeOf(ErrorKind kind);

// For a run: the first of 6, 1, 3, 5, 4 that applies. `asked_for` says that a table or a time was
// named, so that waiting counts.
ExitCode ExitCodeOf(const pipeline::RunReport& report, bool asked_for);

// For a command that ended with `code` after a signal whose code is `stopped`: the signal's, unless
// a commit's outcome is unknown. Whoever sent it has to know that above all.
ExitCode StoppedCode(ExitCode code, ExitCode stopped);

}  // namespace strandline::cli
