#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "strandline/base/clock.h"
#include "strandline/base/rng.h"
#include "strandline/catalog/catalog.h"
#include "strandline/engine/engine.h"
#include "strandline/io/file_io.h"
#include "strandline/project/project.h"

namespace strandline::pipeline {

// What a run works with. All references must outlive the run.
struct RunContext {
  const project::Project& project;
  catalog::Catalog& catalog;
  io::FileIo& io;
  engine::Engine& engine;
  const Clock& clock;
  Rng& rng;
  std::stop_token stop;
  std::string run_id;  // UUIDv7; in every summary.
  int threads = 2;
  std::int64_t memory_limit_bytes = std::int64_t{2} << 30;
  std::string temp_directory;  // Absolute.
  // Off for comparing answers: filters are not pushed, files are not pruned, bloom filters are not
  // asked.
  bool prune = true;
  bool use_bloom_filters = true;
  // Called at the named points of docs/ARCHITECTURE.md's list of places where a run may die; crash
  // tests end the process there. May be empty.
  std::function<void(std::string_view point)> on_point;
};

inline void PassPoint(const RunContext& context, std::string_view point) {
  if (context.on_point) {
    context.on_point(point);
  }
}

}  // namespace strandline::pipeline
