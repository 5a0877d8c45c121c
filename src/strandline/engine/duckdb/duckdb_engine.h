#pragma once

#include <memory>

#include "strandline/engine/engine.h"

namespace strandline::engine {

// The embedded engine. One in-memory DuckDB without access to files, network, extensions or
// settings; time zone UTC.
Result<std::unique_ptr<Engine>> MakeDuckDbEngine(const EngineOptions& options);

}  // namespace strandline::engine
