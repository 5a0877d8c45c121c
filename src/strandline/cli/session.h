#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "strandline/base/clock.h"
#include "strandline/base/log.h"
#include "strandline/base/rng.h"
#include "strandline/catalog/catalog.h"
#include "strandline/engine/engine.h"
#include "strandline/io/counting_file_io.h"
#include "strandline/io/file_io.h"
#include "strandline/pipeline/plan/plan.h"
#include "strandline/pipeline/run/run_context.h"
#include "strandline/project/project.h"

namespace strandline::cli {

enum class OutputFormat { kTable, kJson };

// Options that every command understands.
struct GlobalOptions {
  std::string project_directory;  // Empty: found from the working directory upwards.
  OutputFormat output = OutputFormat::kTable;
  LogFormat log_format = LogFormat::kText;
  std::string now;           // Replaces the clock everywhere.
  int threads = 0;           // 0: as the project says.
  std::string memory_limit;  // Empty: as the project says.
  bool prune = true;
  bool use_bloom_filters = true;
  std::map<std::string, std::string> environment;
};

// A loaded project and what commands do with it, opened when first needed.
class Session {
 public:
  // Loads and checks the project. kNotFound without one; kInvalidArgument when it does not
  // validate: the message has all problems, a line each.
  static Result<std::unique_ptr<Session>> Open(const GlobalOptions& options, std::stop_token stop);

  const project::Project& project() const { return project_; }
  const GlobalOptions& options() const { return options_; }
  io::FileIo& io() { return *io_; }
  // Of storage, by whatever this session did until now.
  std::int64_t bytes_read() const { return io_->bytes_read(); }
  std::int64_t bytes_written() const { return io_->bytes_written(); }
  const Clock& clock() const { return *clock_; }
  Rng& rng() { return *rng_; }
  const std::stop_token& stop() const { return stop_; }

  Result<catalog::Catalog*> OpenCatalog();
  Result<engine::Engine*> OpenEngine();

  // A plan of this project now.
  Result<pipeline::Plan> MakePlan(const pipeline::PlanScope& scope);

  // What a run needs; a fresh run id each call.
  Result<pipeline::RunContext> MakeRunContext();

  std::int64_t memory_limit_bytes() const { return memory_limit_bytes_; }
  int threads() const { return threads_; }

 private:
  Session() = default;

  GlobalOptions options_;
  project::Project project_;
  std::unique_ptr<Clock> clock_;
  std::unique_ptr<Rng> rng_;
  std::unique_ptr<io::FileIo> storage_;
  std::unique_ptr<io::CountingFileIo> io_;
  std::unique_ptr<catalog::Catalog> catalog_;
  std::unique_ptr<engine::Engine> engine_;
  std::stop_token stop_;
  std::int64_t memory_limit_bytes_ = 0;
  int threads_ = 2;
};

// Calls `on_point` of tests (docs/HACKING.md, "Killing a run"): with STRANDLINE_TEST_POINTS set in
// the environment, each named point is appended to that file, and the process pauses at the one
// named by STRANDLINE_TEST_PAUSE_AT, so that a test can end it there. Empty without it.
std::function<void(std::string_view)> TestPoints(
    const std::map<std::string, std::string>& environment);

}  // namespace strandline::cli
