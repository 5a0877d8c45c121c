#include "strandline/cli/session.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "strandline/base/time_text.h"
#include "strandline/base/uuid.h"
#include "strandline/catalog/sql/sql_catalog.h"
#include "strandline/engine/duckdb/duckdb_engine.h"
#include "strandline/io/local_file_io.h"

namespace strandline::cli {
namespace {

std::string Lookup(const std::map<std::string, std::string>& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

const project::CatalogConfig* DefaultCatalog(const project::Project& project) {
  for (const project::CatalogConfig& config : project.catalogs) {
    if (config.name == project.default_catalog) {
      return &config;
    }
  }
  return nullptr;
}

Result<project::Project> LoadValidProject(const GlobalOptions& options) {
  std::string directory = options.project_directory;
  if (directory.empty()) {
    std::error_code error;
    directory =
        SL_TRY(project::FindProjectDirectory(std::filesystem::current_path(error).string()));
  }
  project::LoadedProject loaded = SL_TRY(project::LoadProject(directory, options.environment));
  if (HasErrors(loaded)) {
    std::string lines = "the project does not validate; nothing was done:";
    for (const project::Problem& problem : loaded.problems) {
      if (problem.severity == project::ProblemSeverity::kError) {
        lines += "\n" + ToString(problem);
      }
    }
    return MakeError(ErrorKind::kInvalidArgument, "{}", lines);
  }
  return std::move(loaded.project);
}

}  // namespace

Result<std::unique_ptr<Session>> Session::Open(const GlobalOptions& options, std::stop_token stop) {
  auto session = std::unique_ptr<Session>(new Session());
  session->options_ = options;
  session->stop_ = std::move(stop);
  session->project_ = SL_TRY(LoadValidProject(options));
  session->storage_ = io::MakeLocalFileIo();
  session->io_ = std::make_unique<io::CountingFileIo>(*session->storage_);
  session->rng_ = std::make_unique<SystemRng>();
  if (options.now.empty()) {
    session->clock_ = std::make_unique<SystemClock>();
  } else {
    session->clock_ = std::make_unique<FixedClock>(SL_TRY(ParseTimestamp(options.now), "--now"));
  }
  session->threads_ = options.threads > 0 ? options.threads : session->project_.engine.threads;
  session->memory_limit_bytes_ = session->project_.engine.memory_limit_bytes;
  if (!options.memory_limit.empty()) {
    session->memory_limit_bytes_ =
        SL_TRY(project::ParseByteSize(options.memory_limit), "--memory-limit");
  }
  return session;
}

Result<catalog::Catalog*> Session::OpenCatalog() {
  if (catalog_ == nullptr) {
    const project::CatalogConfig* config = DefaultCatalog(project_);
    SL_CHECK(config != nullptr);  // Validated with the project.
    catalog::SqlCatalogOptions options;
    options.database_path = config->database_path;
    options.catalog_name = config->name;
    options.warehouse = config->warehouse;
    options.on_point = TestPoints(options_.environment);
    catalog_ =
        SL_TRY(OpenSqlCatalog(options, *io_, *clock_, *rng_), "opening catalog {}", config->name);
  }
  return catalog_.get();
}

Result<engine::Engine*> Session::OpenEngine() {
  if (engine_ == nullptr) {
    engine_ = SL_TRY(engine::MakeDuckDbEngine({.threads = threads_,
                                               .memory_limit_bytes = memory_limit_bytes_,
                                               .temp_directory = project_.engine.temp_directory}));
  }
  return engine_.get();
}

Result<pipeline::Plan> Session::MakePlan(const pipeline::PlanScope& scope) {
  catalog::Catalog* catalog = SL_TRY(OpenCatalog());
  const pipeline::PlanInputs inputs{.project = project_,
                                    .catalog = *catalog,
                                    .io = *io_,
                                    .now = clock_->Now(),
                                    .engine = std::string(engine::kDuckDbName),
                                    .threads = threads_};
  return pipeline::MakePlan(inputs, scope);
}

Result<pipeline::RunContext> Session::MakeRunContext() {
  catalog::Catalog* catalog = SL_TRY(OpenCatalog());
  engine::Engine* engine = SL_TRY(OpenEngine());
  return pipeline::RunContext{.project = project_,
                              .catalog = *catalog,
                              .io = *io_,
                              .engine = *engine,
                              .clock = *clock_,
                              .rng = *rng_,
                              .stop = stop_,
                              .run_id = NewUuidV7(*clock_, *rng_),
                              .threads = threads_,
                              .memory_limit_bytes = memory_limit_bytes_,
                              .temp_directory = project_.engine.temp_directory,
                              .prune = options_.prune,
                              .use_bloom_filters = options_.use_bloom_filters,
                              .on_point = TestPoints(options_.environment)};
}

std::function<void(std::string_view)> TestPoints(
    const std::map<std::string, std::string>& environment) {
  const std::string file = Lookup(environment, "STRANDLINE_TEST_POINTS");
  if (file.empty()) {
    return {};
  }
  const std::string pause_at = Lookup(environment, "STRANDLINE_TEST_PAUSE_AT");
  return [file, pause_at](std::string_view point) {
    static std::mutex mutex;
    {
      const std::lock_guard lock(mutex);
      std::ofstream(file, std::ios::app) << point << '\n';
    }
    if (point == pause_at) {
      // Long enough for a test to end the process here; bounded, should the test be gone.
      std::this_thread::sleep_for(std::chrono::seconds(2));
    }
  };
}

}  // namespace strandline::cli
