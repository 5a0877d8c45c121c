#include "strandline/io/file_io.h"

#include <utility>

namespace strandline::io {

Result<std::string> ReadFile(FileIo& io, const std::string& location, std::int64_t size_bytes_max) {
  const std::unique_ptr<InputFile> file = SL_TRY(io.Open(location));
  const std::int64_t size = file->size_bytes();
  if (size > size_bytes_max) {
    return MakeError(
        ErrorKind::kCorrupt,
        "file larger than anything of its kind: at most {} bytes expected, found {}: {}",
        size_bytes_max, size, location);
  }
  std::string bytes(static_cast<std::size_t>(size), '\0');
  SL_TRY(file->ReadAt(0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

Status WriteFile(FileIo& io, const std::string& location, std::string_view bytes,
                 std::int64_t size_bytes_max) {
  if (std::cmp_greater(bytes.size(), size_bytes_max)) {
    return MakeError(ErrorKind::kUnsupported,
                     "file would be larger than readers take: at most {} bytes, not {}: {}",
                     size_bytes_max, bytes.size(), location);
  }
  const std::unique_ptr<OutputFile> file = SL_TRY(io.Create(location));
  SL_TRY(file->Write(bytes));
  return file->Close();
}

}  // namespace strandline::io
