#pragma once

#include <string>
#include <string_view>

#include "strandline/base/result.h"

namespace strandline::table::internal {

// Whether the bytes begin as gzip files do. No JSON text does.
bool IsGzip(std::string_view bytes);

// kCorrupt when the bytes are damaged, cut, or more than a gigabyte when unpacked.
Result<std::string> Gunzip(std::string_view bytes);

// The same bytes for the same input: no time stamp.
Result<std::string> Gzip(std::string_view bytes);

}  // namespace strandline::table::internal
