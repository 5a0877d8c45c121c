#pragma once

#include <string>

#include "strandline/base/result.h"

namespace strandline::project {

// Writes a small project that runs as it is into `directory`: two landed hours of orders, the
// source that describes them, a model over it, and a README. The folder is made; it may be there if
// it is empty.
//
// Fails with kAlreadyExists when something is in it (nothing is written then), kPermissionDenied or
// kUnavailable when a file cannot be written; what was written before that stays.
Status WriteSampleProject(const std::string& directory);

}  // namespace strandline::project
