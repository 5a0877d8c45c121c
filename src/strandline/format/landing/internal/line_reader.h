#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "strandline/base/result.h"
#include "strandline/format/landing/internal/byte_stream.h"

namespace strandline::format::landing {

// One line without its line feed.
struct Line {
  std::int64_t offset = 0;        // Of its first byte in the decompressed file.
  std::int64_t length_bytes = 0;  // Of the whole line, also when it is too long.
  bool too_long = false;          // Then `text` is only its beginning.
  // Valid until the next call. At least `LineReader::kPaddingBytes` readable bytes follow it.
  std::string_view text;
};

// Cuts a stream into lines. A line longer than `line_bytes_max` is skipped over, not kept: of it
// only the first bytes are given. A byte order mark at the very start is left out; lines of
// white space only (a trailing empty line, a carriage return) are no lines at all. Not thread-safe.
class LineReader {
 public:
  // What SIMD parsers may read, never use, behind a line.
  static constexpr std::size_t kPaddingBytes = 64;
  // Given of a line that is too long.
  static constexpr std::size_t kTooLongBytes = 4096;

  LineReader(std::unique_ptr<ByteStream> stream, std::int64_t line_bytes_max);

  // False at the end. Errors are those of the stream.
  Result<bool> Next(Line& line);

 private:
  // Reads more bytes behind those that are there; false at the end of the stream.
  Result<bool> Fill();
  // Drops bytes until the line that starts at `begin_` ends, and describes it.
  Result<Line> SkipLongLine();

  std::unique_ptr<ByteStream> stream_;
  std::size_t line_bytes_max_;
  std::string buffer_;       // With padding behind `end_`.
  std::size_t begin_ = 0;    // First byte not given out.
  std::size_t scanned_ = 0;  // No line feed in [begin_, scanned_).
  std::size_t end_ = 0;      // Past the last byte read.
  std::int64_t offset_ = 0;  // Of `begin_` in the stream.
  bool at_end_ = false;
  std::string long_line_;
};

}  // namespace strandline::format::landing
