#pragma once

#include <map>
#include <string>
#include <vector>

#include "strandline/cli/exit_code.h"

namespace strandline::cli {

// The program: reads the command line, does one command, and says how it ended. Writes answers to
// standard output and everything else to standard error.
ExitCode RunApp(int argc, const char* const* argv,
                const std::map<std::string, std::string>& environment);

}  // namespace strandline::cli
