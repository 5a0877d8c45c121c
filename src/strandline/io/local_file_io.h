#pragma once

#include <memory>

#include "strandline/io/file_io.h"

namespace strandline::io {

// Local files: `file:` locations and plain absolute paths. Close() syncs the file and every folder
// that was made for it. Starts writing back early, so that the sync at the end is short.
std::unique_ptr<FileIo> MakeLocalFileIo();

}  // namespace strandline::io
