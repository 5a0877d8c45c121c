#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "strandline/base/result.h"
#include "strandline/io/file_io.h"

namespace strandline::format::landing {

// The bytes of a landed file from start to end, decompressed. Not thread-safe.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Fills as much of `into` (not empty) as there is, at least one byte; 0 at the end. kCorrupt,
  // naming the file, when the compressed bytes are broken or end too early.
  virtual Result<std::size_t> Read(std::span<char> into) = 0;
};

// Opens `location` and looks at its first bytes: gzip (several members one after the other are one
// file, as `cat a.gz b.gz` makes them) and zstandard (likewise) are decompressed, anything else is
// taken as it is. kCorrupt when the size differs from `size_bytes`, and for an empty file that is
// named `.gz` or `.zst`: a compressed file is never empty, so this one was cut.
Result<std::unique_ptr<ByteStream>> OpenByteStream(io::FileIo& io, const std::string& location,
                                                   std::int64_t size_bytes);

}  // namespace strandline::format::landing
