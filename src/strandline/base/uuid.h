#pragma once

#include <string>

#include "strandline/base/clock.h"
#include "strandline/base/rng.h"

namespace strandline {

// A random UUID (RFC 9562, version 4) in lower case with hyphens: table uuids, file names.
std::string NewUuidV4(Rng& rng);

// A UUID that sorts by time (RFC 9562, version 7): run ids.
std::string NewUuidV7(const Clock& clock, Rng& rng);

}  // namespace strandline
