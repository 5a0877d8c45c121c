#include "strandline/cli/app.h"

#include <cstdio>
#include <functional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "strandline/base/log.h"
#include "strandline/base/time_text.h"
#include "strandline/cli/commands/commands.h"
#include "strandline/cli/stop_signals.h"

namespace strandline::cli {
namespace {

// What the options of a command fill in; values are checked after parsing, so that messages are
// ours.
struct Arguments {
  GlobalOptions global;
  std::string output = "table";
  std::string log_format = "text";
  std::string start;
  std::string end;
  pipeline::PlanScope scope;
  bool detailed_exit_code = false;
  bool quiet = false;
  bool dry_run = false;
  int windows = 24;
  std::string table;
  std::string window;
  QueryOptions query;
  FsckCommandOptions fsck;
  bool metadata_only = false;
  DeployOptions deploy;
  std::string directory;
};

using Command = std::function<Result<ExitCode>(Arguments&, const StopSignals&)>;

Result<std::optional<Interval>> ScopeInterval(const Arguments& arguments) {
  if (arguments.start.empty() && arguments.end.empty()) {
    return std::optional<Interval>();
  }
  if (arguments.start.empty() || arguments.end.empty()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "--start and --end come together: the interval is half-open, "
                     "as in --start 2026-11-30T05Z --end 2026-11-30T08Z");
  }
  const Interval interval{SL_TRY(ParseTimestamp(arguments.start), "--start"),
                          SL_TRY(ParseTimestamp(arguments.end), "--end")};
  if (interval.start >= interval.end) {
    return MakeError(ErrorKind::kInvalidArgument, "--start {} is not before --end {}",
                     arguments.start, arguments.end);
  }
  return std::optional<Interval>(interval);
}

Result<std::unique_ptr<Session>> OpenSession(Arguments& arguments, const StopSignals& signals) {
  arguments.scope.interval = SL_TRY(ScopeInterval(arguments));
  return Session::Open(arguments.global, signals.token());
}

void AddGlobalOptions(CLI::App& app, Arguments& arguments) {
  app.add_option(
      "--project", arguments.global.project_directory,
      "Folder with strandline.yml (default: this folder or the nearest parent that has one)");
  app.add_option("--output", arguments.output, "table or json")
      ->check(CLI::IsMember({"table", "json"}));
  app.add_option("--log-format", arguments.log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("--now", arguments.global.now, "Take this as the current time everywhere");
  app.add_option("--threads", arguments.global.threads,
                 "Threads to use (default: as the project says)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--memory-limit", arguments.global.memory_limit,
                 "Memory for hashing, sorting and SQL before it spills, such as 512MiB");
}

void AddScopeOptions(CLI::App& command, Arguments& arguments) {
  command.add_option(
      "--select", arguments.scope.select,
      "Tables or models: names, globs, +m (and what it reads), m+ (and what reads it)");
  command.add_option("--exclude", arguments.scope.exclude, "The same, taken away");
  command.add_option("--start", arguments.start, "First window, such as 2026-11-30T05Z");
  command.add_option("--end", arguments.end, "End of the last window; not part of it");
}

void AddDiagnosticOptions(CLI::App& command, Arguments& arguments) {
  command.add_flag("!--no-prune", arguments.global.prune,
                   "Read every file and push no filter: the same rows, slower");
  command.add_flag("!--no-bloom-filters", arguments.global.use_bloom_filters,
                   "Verify every key instead of asking bloom filters: the same rows, slower");
}

// Each command's options and what it does, in the order `--help` lists them.
class CommandLine {
 public:
  explicit CommandLine(Arguments& arguments) : arguments_(arguments) {
    app_.name("strandline");
    app_.description(
        "Stateless, idempotent pipelines on Apache Iceberg: what is done, missing or stale is read "
        "from the "
        "tables themselves.");
    app_.footer(
        "Exit codes: 0 done, 1 failed, 2 changes (plan --detailed-exitcode), 3 refused by a gate, "
        "4 not ready "
        "upstream, 5 lost a race, 6 outcome unknown, 64 wrong usage, 130 SIGINT, 143 SIGTERM.");
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.set_version_flag("--version", std::string("strandline ") + STRANDLINE_VERSION);
    AddGlobalOptions(app_, arguments_);
    AddProjectCommands();
    AddPipelineCommands();
    AddLookingCommands();
  }

  CLI::App& app() { return app_; }

  const Command* chosen() const {
    for (const auto& [app, command] : commands_) {
      if (app->parsed()) {
        return &command;
      }
    }
    return nullptr;
  }

 private:
  CLI::App& Add(const std::string& name, const std::string& description, const std::string& example,
                Command command) {
    CLI::App* app = app_.add_subcommand(name, description);
    app->footer("Example: " + example);
    app->fallthrough();
    commands_.emplace_back(app, std::move(command));
    return *app;
  }

  void AddProjectCommands() {
    CLI::App& init =
        Add("init", "Write a small project that runs as it is", "strandline init my-project",
            [](Arguments& a, const StopSignals&) { return RunInit(a.directory); });
    init.add_option("directory", arguments_.directory, "New folder")->required();
    Add("validate", "Check every file of the project; all errors at once", "strandline validate",
        [](Arguments& a, const StopSignals&) { return RunValidate(a.global); });
  }

  void AddPipelineCommands() {
    CLI::App& plan = Add(
        "plan", "Show what would run and why", "strandline plan --select campaign_hourly",
        [](Arguments& a, const StopSignals& signals) -> Result<ExitCode> {
          const auto session = SL_TRY(OpenSession(a, signals));
          return RunPlan(*session, {.scope = a.scope, .detailed_exit_code = a.detailed_exit_code});
        });
    AddScopeOptions(plan, arguments_);
    plan.add_flag("--all", arguments_.scope.beyond_horizon, "Also what is older than the horizon");
    plan.add_flag("--detailed-exitcode", arguments_.detailed_exit_code,
                  "Exit with 2 when there is something to run");

    CLI::App& run =
        Add("run", "Do exactly what plan shows", "strandline run",
            [](Arguments& a, const StopSignals& signals) -> Result<ExitCode> {
              const auto session = SL_TRY(OpenSession(a, signals));
              return RunRun(*session, {.scope = a.scope, .quiet = a.quiet, .dry_run = a.dry_run},
                            signals.token());
            });
    AddScopeOptions(run, arguments_);
    AddDiagnosticOptions(run, arguments_);
    run.add_flag("--quiet", arguments_.quiet, "No progress line");
    run.add_flag("--dry-run", arguments_.dry_run, "Show the plan and change nothing");

    CLI::App& deploy = Add("deploy", "Name the logic in force for changed models",
                           "strandline deploy --select campaign_hourly --on-change restate",
                           [](Arguments& a, const StopSignals& signals) -> Result<ExitCode> {
                             const auto session = SL_TRY(OpenSession(a, signals));
                             a.deploy.dry_run = a.dry_run;
                             return RunDeploy(*session, a.deploy);
                           });
    deploy.add_option("--select", arguments_.deploy.select, "Models (default: all that changed)");
    CLI::Option* on_change =
        deploy
            .add_option("--on-change", arguments_.deploy.on_change,
                        "restate: all windows again; forward: only windows not published yet")
            ->check(CLI::IsMember({"restate", "forward"}));
    CLI::Option* from = deploy.add_option("--from", arguments_.deploy.from, "From this window on");
    on_change->excludes(from);
    deploy.add_flag("--dry-run", arguments_.dry_run, "Say what would change and change nothing");
    deploy.callback([on_change, from] {
      if (on_change->empty() && from->empty()) {
        throw CLI::ValidationError("say --on-change restate, --on-change forward or --from DATE");
      }
    });
  }

  void AddLookingCommands() {
    CLI::App& status =
        Add("status", "The grid of windows per table", "strandline status --windows 48",
            [](Arguments& a, const StopSignals& signals) -> Result<ExitCode> {
              const auto session = SL_TRY(OpenSession(a, signals));
              return RunStatus(*session, {.scope = a.scope, .windows = a.windows});
            });
    AddScopeOptions(status, arguments_);
    status.add_option("--windows", arguments_.windows, "Columns of the grid")
        ->check(CLI::Range(1, 1000));

    CLI::App& explain = Add("explain", "Why a window is fresh or not",
                            "strandline explain ads.campaign_hourly 2026-11-30T05Z",
                            [](Arguments& a, const StopSignals& signals) -> Result<ExitCode> {
                              const auto session = SL_TRY(OpenSession(a, signals));
                              return RunExplain(*session, a.table, a.window);
                            });
    explain.add_option("table", arguments_.table, "Table of a source or model")->required();
    explain.add_option("window", arguments_.window, "A time in the window")->required();

    CLI::App& query = Add("query", "One SELECT over the catalog's tables",
                          "strandline query \"select count(*) from ads.impressions\"",
                          [](Arguments& a, const StopSignals& signals) -> Result<ExitCode> {
                            const auto session = SL_TRY(OpenSession(a, signals));
                            if (a.query.rows_max == 0) {
                              a.query.rows_max = std::numeric_limits<std::int64_t>::max();
                            }
                            return RunQuery(*session, a.query);
                          });
    query
        .add_option("sql", arguments_.query.sql,
                    "The SELECT; t.snapshots, t.files, t.partitions, t.refs, t.manifests and "
                    "t.history are tables too")
        ->required();
    query.add_option("--limit", arguments_.query.rows_max, "Rows shown as a table; 0 for all");
    query.add_flag("!--no-prune", arguments_.global.prune,
                   "Read every file: the same rows, slower");

    CLI::App& fsck = Add("fsck", "Is the table sound: files there, counts and bounds true",
                         "strandline fsck ads.impressions",
                         [](Arguments& a, const StopSignals& signals) -> Result<ExitCode> {
                           const auto session = SL_TRY(OpenSession(a, signals));
                           a.fsck.read_rows = !a.metadata_only;
                           return RunFsck(*session, a.fsck);
                         });
    fsck.add_option("tables", arguments_.fsck.tables, "Tables (default: all of the catalog)");
    fsck.add_flag("--metadata-only", arguments_.metadata_only, "Open no data file");
  }

  Arguments& arguments_;
  CLI::App app_;
  std::vector<std::pair<CLI::App*, Command>> commands_;
};

// A project that does not validate and a value that cannot be read are wrong usage; the rest says
// itself what it is.
ExitCode FailureCode(const Error& error) {
  return error.kind == ErrorKind::kInvalidArgument ? ExitCode::kUsage : ExitCodeOf(error.kind);
}

}  // namespace

ExitCode RunApp(int argc, const char* const* argv,
                const std::map<std::string, std::string>& environment) {
  const StopSignals signals;
  Arguments arguments;
  arguments.global.environment = environment;
  CommandLine command_line(arguments);
  try {
    command_line.app().parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Asking for help or the version is no mistake; everything else is.
    return command_line.app().exit(error) == 0 ? ExitCode::kDone : ExitCode::kUsage;
  }
  arguments.global.output = arguments.output == "json" ? OutputFormat::kJson : OutputFormat::kTable;
  arguments.global.log_format =
      arguments.log_format == "json" ? LogFormat::kJson : LogFormat::kText;
  ConfigureLog(LogLevel::kInfo, arguments.global.log_format, "");

  const Command* command = command_line.chosen();
  SL_CHECK(command != nullptr);  // CLI11 asks for exactly one.
  const Result<ExitCode> result = (*command)(arguments, signals);
  if (!result) {
    Log(LogLevel::kError, "strandline: " + result.error().message);
  }
  const ExitCode code = result ? *result : FailureCode(result.error());
  return signals.token().stop_requested() ? StoppedCode(code, signals.exit_code()) : code;
}

}  // namespace strandline::cli
