#include "strandline/table/metadata/internal/gzip.h"

#include <array>
#include <limits>

#include <zlib.h>

#include "strandline/io/file_io.h"

namespace strandline::table::internal {
namespace {

constexpr std::size_t kInflatedBytesMax = io::kWholeFileBytesMax;
constexpr std::size_t kChunkBytes = std::size_t{64} << 10;
constexpr int kGzipWindowBits = 15 + 16;  // The largest window; 16 asks for gzip's header.
constexpr int kMemoryLevel = 8;           // zlib's default.

// zlib wants pointers that are not const, and does not write through them.
Bytef* InputOf(std::string_view bytes) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
}

struct InflateStream : z_stream {
  InflateStream() : z_stream{} {}
  ~InflateStream() { inflateEnd(this); }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;
};

struct DeflateStream : z_stream {
  DeflateStream() : z_stream{} {}
  ~DeflateStream() { deflateEnd(this); }
  DeflateStream(const DeflateStream&) = delete;
  DeflateStream& operator=(const DeflateStream&) = delete;
};

}  // namespace

bool IsGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Result<std::string> Gunzip(std::string_view bytes) {
  if (bytes.size() > std::numeric_limits<uInt>::max()) {
    return MakeError(ErrorKind::kCorrupt, "gzip file of {} bytes", bytes.size());
  }
  InflateStream stream;
  if (inflateInit2(&stream, kGzipWindowBits) != Z_OK) {
    return MakeError(ErrorKind::kUnavailable, "no memory to unpack gzip");
  }
  stream.next_in = InputOf(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string inflated;
  std::array<Bytef, kChunkBytes> chunk{};
  int outcome = Z_OK;
  while (outcome != Z_STREAM_END) {
    stream.next_out = chunk.data();
    stream.avail_out = static_cast<uInt>(chunk.size());
    outcome = inflate(&stream, Z_NO_FLUSH);
    if (outcome != Z_OK && outcome != Z_STREAM_END) {
      return MakeError(ErrorKind::kCorrupt, "gzip damaged or cut after {} bytes unpacked",
                       inflated.size());
    }
    inflated.append(reinterpret_cast<const char*>(chunk.data()), chunk.size() - stream.avail_out);
    if (inflated.size() > kInflatedBytesMax) {
      return MakeError(ErrorKind::kCorrupt, "gzip unpacks to more than {} bytes",
                       kInflatedBytesMax);
    }
  }
  return inflated;
}

Result<std::string> Gzip(std::string_view bytes) {
  SL_CHECK(bytes.size() <= std::numeric_limits<uInt>::max());
  DeflateStream stream;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return MakeError(ErrorKind::kUnavailable, "no memory to pack gzip");
  }
  std::string deflated(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = InputOf(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(deflated.data());
  stream.avail_out = static_cast<uInt>(deflated.size());
  SL_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);  // The bound is enough, says zlib.
  deflated.resize(stream.total_out);
  return deflated;
}

}  // namespace strandline::table::internal
