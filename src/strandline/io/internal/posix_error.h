#pragma once

#include <string_view>

#include "strandline/base/error.h"

namespace strandline::io::internal {

// The error that a failed system call left in `errno_value`. `doing` is what was tried on `path`,
// as in "creating"; the message names both and what the system said.
Error PosixError(int errno_value, std::string_view doing, std::string_view path);

}  // namespace strandline::io::internal
