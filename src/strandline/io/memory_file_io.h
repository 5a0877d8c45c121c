#pragma once

#include <memory>

#include "strandline/base/clock.h"
#include "strandline/io/file_io.h"

namespace strandline::io {

// Files in memory, for tests and simulation: same contract, any scheme. `clock` must outlive it.
std::unique_ptr<FileIo> MakeMemoryFileIo(const Clock& clock);

}  // namespace strandline::io
