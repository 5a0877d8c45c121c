#pragma once

#include <memory>

#include "strandline/base/result.h"
#include "strandline/engine/duckdb/internal/prepared_query.h"
#include "strandline/engine/engine.h"

namespace strandline::engine {

// Starts a query and gives its rows as the engine makes them. Fails as Engine::Execute does.
Result<std::unique_ptr<Answer>> StartQuery(std::unique_ptr<PreparedQuery> query);

}  // namespace strandline::engine
