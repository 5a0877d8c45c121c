#include "strandline/cli/exit_code.h"

#include <gtest/gtest.h>

namespace strandline::cli {
namespace {

TEST(StoppedCode, IsTheSignalsUnlessAnOutcomeIsUnknown) {
  EXPECT_EQ(StoppedCode(ExitCode::kDone, ExitCode::kTerminated), ExitCode::kTerminated);
  EXPECT_EQ(StoppedCode(ExitCode::kFailed, ExitCode::kInterrupted), ExitCode::kInterrupted);
  EXPECT_EQ(StoppedCode(ExitCode::kUnknownOutcome, ExitCode::kTerminated),
            ExitCode::kUnknownOutcome);
}

}  // namespace
}  // namespace strandline::cli
