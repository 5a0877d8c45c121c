#pragma once

#include <memory>
#include <string_view>

#include "strandline/engine/engine.h"

namespace strandline::engine {

// The engine's name without its version, as it goes into a model's logic (STATE.md rule 8).
inline constexpr std::string_view kDuckDbName = "duckdb";

// The embedded engine. One in-memory DuckDB without access to files, network, extensions or
// settings; time zone UTC.
Result<std::unique_ptr<Engine>> MakeDuckDbEngine(const EngineOptions& options);

}  // namespace strandline::engine
