#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/engine/internal/edited_sql.h"

namespace strandline::engine {

// The name of output number `index` in a statement that wraps the user's.
std::string WrappedName(std::size_t index);

// What is needed to say a failure in the words of the user's statement.
struct FailureContext {
  std::string_view sql;                   // As the user wrote it.
  const EditedSql* edited = nullptr;      // As it was run. Null: as written.
  std::size_t prefix = 0;                 // Bytes put in front of the edited text.
  std::vector<std::string> output_names;  // Of the wrapped outputs.
};

// Turns the engine's message (JSON, since `errors_as_json` is on) into a sentence of ours with
// `line:column: ` in front where the place is known. Kinds as Engine::Execute promises them.
Error FailureOf(const char* message, const FailureContext& context);

}  // namespace strandline::engine
