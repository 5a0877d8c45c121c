#pragma once

#include <string>
#include <vector>

#include "strandline/cli/exit_code.h"
#include "strandline/cli/session.h"
#include "strandline/pipeline/plan/plan.h"

namespace strandline::cli {

// One function a command, in the file of its name. Each writes its answer to standard output and
// says how it ended; an error is printed by main().

struct PlanOptions {
  pipeline::PlanScope scope;
  bool detailed_exit_code = false;
};
Result<ExitCode> RunPlan(Session& session, const PlanOptions& options);

struct RunOptions {
  pipeline::PlanScope scope;
  bool quiet = false;
  bool dry_run = false;
};
Result<ExitCode> RunRun(Session& session, const RunOptions& options, const std::stop_token& stop);

struct StatusOptions {
  pipeline::PlanScope scope;
  int windows = 24;  // Columns of the grid.
};
Result<ExitCode> RunStatus(Session& session, const StatusOptions& options);

Result<ExitCode> RunExplain(Session& session, const std::string& table, const std::string& window);

struct QueryOptions {
  std::string sql;
  std::int64_t rows_max = 1000;  // Shown as a table; JSON has all.
};
Result<ExitCode> RunQuery(Session& session, const QueryOptions& options);

// The answer's cells as text, for other commands.
Result<std::vector<std::vector<std::string>>> QueryTexts(Session& session, const std::string& sql);

struct FsckCommandOptions {
  std::vector<std::string> tables;  // Empty: every table of the project's catalog.
  bool read_rows = true;
};
Result<ExitCode> RunFsck(Session& session, const FsckCommandOptions& options);

struct DeployOptions {
  std::vector<std::string> select;
  std::string on_change;  // restate, forward, or empty when `from` is given.
  std::string from;
  bool dry_run = false;
};
Result<ExitCode> RunDeploy(Session& session, const DeployOptions& options);

// These work without a valid project.
Result<ExitCode> RunValidate(const GlobalOptions& options);
Result<ExitCode> RunInit(const std::string& directory);

}  // namespace strandline::cli
