#include "strandline/format/avro/internal/codec.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include "strandline/base/check.h"

// https://avro.apache.org/docs/1.11.1/specification/#required-codecs

namespace strandline::format::avro::internal {
namespace {

constexpr std::size_t kUnpackedBytesMax = std::size_t{256} << 20;
constexpr std::size_t kFirstBufferBytes = std::size_t{256} << 10;
constexpr std::size_t kChecksumBytes = 4;
// Deflate without zlib's header, with the largest window.
constexpr int kRawDeflateWindow = -15;
constexpr int kDeflateLevel = 6;
constexpr int kDeflateMemory = 8;
constexpr int kZstandardLevel = 3;

struct CodecEntry {
  Codec codec;
  std::string_view name;
};
constexpr std::array kCodecs = {
    CodecEntry{Codec::kNull, "null"}, CodecEntry{Codec::kDeflate, "deflate"},
    CodecEntry{Codec::kSnappy, "snappy"}, CodecEntry{Codec::kZstandard, "zstandard"}};

// zlib's interface is not const-correct; it does not write here.
Bytef* ZlibBytes(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}
Bytef* ZlibBytes(std::string& bytes) { return reinterpret_cast<Bytef*>(bytes.data()); }

Error TooLarge() {
  return MakeError(ErrorKind::kCorrupt, "an avro block unpacks to more than {} bytes",
                   kUnpackedBytesMax);
}

Error NoMemory(std::string_view what_for) {
  return MakeError(ErrorKind::kUnavailable, "no memory to {} an avro block", what_for);
}

Error BadBlock(Codec codec, std::string_view why) {
  return MakeError(ErrorKind::kCorrupt, "an avro block does not unpack as {}: {}", CodecName(codec),
                   why);
}

// Gives the output twice the room, within the bound.
Status Grow(std::string& buffer) {
  if (buffer.size() >= kUnpackedBytesMax) {
    return TooLarge();
  }
  buffer.resize(std::clamp(buffer.size() * 2, kFirstBufferBytes, kUnpackedBytesMax));
  return {};
}

// CRC-32 of the unpacked bytes, big-endian: Avro's own addition to snappy.
std::array<char, kChecksumBytes> Checksum(std::string_view bytes) {
  const auto crc =
      static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), ZlibBytes(bytes), bytes.size()));
  return {static_cast<char>(crc >> 24), static_cast<char>(crc >> 16), static_cast<char>(crc >> 8),
          static_cast<char>(crc)};
}

Result<std::string> Deflate(int level, std::string_view bytes) {
  SL_CHECK(bytes.size() <= std::numeric_limits<uInt>::max());
  z_stream stream = {};
  if (deflateInit2(&stream, level, Z_DEFLATED, kRawDeflateWindow, kDeflateMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return NoMemory("pack");
  }
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = ZlibBytes(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = ZlibBytes(packed);
  stream.avail_out = static_cast<uInt>(packed.size());
  const int outcome = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  SL_CHECK(outcome == Z_STREAM_END);  // The room was enough by deflateBound's promise.
  return packed;
}

std::string PackSnappy(std::string_view bytes) {
  std::string packed;
  snappy::Compress(bytes.data(), bytes.size(), &packed);
  const std::array<char, kChecksumBytes> checksum = Checksum(bytes);
  packed.append(checksum.data(), checksum.size());
  return packed;
}

Result<std::string> PackZstandard(int level, std::string_view bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size) != 0) {
    return MakeError(ErrorKind::kInvalidArgument, "zstandard does not pack an avro block: {}",
                     ZSTD_getErrorName(size));
  }
  packed.resize(size);
  return packed;
}

}  // namespace

std::string_view CodecName(Codec codec) {
  return std::ranges::find(kCodecs, codec, &CodecEntry::codec)->name;
}

Result<Codec> CodecNamed(std::string_view name) {
  const auto* const found = std::ranges::find(kCodecs, name, &CodecEntry::name);
  if (found == kCodecs.end()) {
    return MakeError(ErrorKind::kUnsupported, "unknown avro codec: `{}`", name);
  }
  return found->codec;
}

Result<std::string> Compress(Codec codec, std::optional<int> level, std::string_view bytes) {
  switch (codec) {
    case Codec::kNull:
      return std::string(bytes);
    case Codec::kDeflate:
      return Deflate(std::clamp(level.value_or(kDeflateLevel), 1, 9), bytes);
    case Codec::kSnappy:
      return PackSnappy(bytes);
    case Codec::kZstandard:
      return PackZstandard(level.value_or(kZstandardLevel), bytes);
  }
  SL_CHECK(false);
  return std::string();
}

struct Decompressor::State {
  std::string buffer;
  z_stream inflate = {};
  bool has_inflate = false;
  ZSTD_DCtx* zstandard = nullptr;

  ~State() {
    if (has_inflate) {
      inflateEnd(&inflate);
    }
    ZSTD_freeDCtx(zstandard);
  }

  Result<std::string_view> Inflate(std::string_view block);
  Result<std::string_view> UnpackSnappy(std::string_view block);
  Result<std::string_view> UnpackZstandard(std::string_view block);
};

Decompressor::Decompressor(Codec codec) : codec_(codec), state_(std::make_unique<State>()) {}
Decompressor::~Decompressor() = default;

Result<std::string_view> Decompressor::Unpack(std::string_view block) {
  switch (codec_) {
    case Codec::kNull:
      return block;
    case Codec::kDeflate:
      return state_->Inflate(block);
    case Codec::kSnappy:
      return state_->UnpackSnappy(block);
    case Codec::kZstandard:
      return state_->UnpackZstandard(block);
  }
  SL_CHECK(false);
  return std::string_view();
}

Result<std::string_view> Decompressor::State::Inflate(std::string_view block) {
  if (block.size() > std::numeric_limits<uInt>::max()) {
    return TooLarge();
  }
  if (!has_inflate) {
    if (inflateInit2(&inflate, kRawDeflateWindow) != Z_OK) {
      return NoMemory("unpack");
    }
    has_inflate = true;
  }
  SL_CHECK(inflateReset(&inflate) == Z_OK);
  inflate.next_in = ZlibBytes(block);
  inflate.avail_in = static_cast<uInt>(block.size());
  while (true) {
    if (inflate.total_out == buffer.size()) {
      SL_TRY(Grow(buffer));
    }
    inflate.next_out = ZlibBytes(buffer) + inflate.total_out;
    inflate.avail_out = static_cast<uInt>(buffer.size() - inflate.total_out);
    const int outcome = ::inflate(&inflate, Z_NO_FLUSH);
    if (outcome == Z_STREAM_END) {
      return std::string_view(buffer).substr(0, inflate.total_out);
    }
    // Without room left over, more output may be to come; otherwise the input ended too early.
    if (outcome != Z_OK || inflate.avail_out > 0) {
      return BadBlock(Codec::kDeflate,
                      inflate.msg != nullptr ? inflate.msg : "the bytes end too early");
    }
  }
}

Result<std::string_view> Decompressor::State::UnpackSnappy(std::string_view block) {
  if (block.size() < kChecksumBytes) {
    return BadBlock(Codec::kSnappy, "no checksum");
  }
  const std::string_view checksum = block.substr(block.size() - kChecksumBytes);
  block.remove_suffix(kChecksumBytes);
  std::size_t size = 0;
  if (!snappy::GetUncompressedLength(block.data(), block.size(), &size)) {
    return BadBlock(Codec::kSnappy, "no length");
  }
  if (size > kUnpackedBytesMax) {
    return TooLarge();
  }
  if (buffer.size() < size) {
    // Checked first, so that a made-up length cannot make us take the memory for it.
    if (!snappy::IsValidCompressedBuffer(block.data(), block.size())) {
      return BadBlock(Codec::kSnappy, "malformed");
    }
    buffer.resize(size);
  }
  if (!snappy::RawUncompress(block.data(), block.size(), buffer.data())) {
    return BadBlock(Codec::kSnappy, "malformed");
  }
  const std::string_view unpacked = std::string_view(buffer).substr(0, size);
  if (!std::ranges::equal(Checksum(unpacked), checksum)) {
    return BadBlock(Codec::kSnappy, "its checksum is wrong");
  }
  return unpacked;
}

Result<std::string_view> Decompressor::State::UnpackZstandard(std::string_view block) {
  if (zstandard == nullptr) {
    zstandard = ZSTD_createDCtx();
    if (zstandard == nullptr) {
      return NoMemory("unpack");
    }
  }
  // Streamed, since frames need not say how long they are and may lie about it.
  ZSTD_DCtx_reset(zstandard, ZSTD_reset_session_only);
  ZSTD_inBuffer input = {block.data(), block.size(), 0};
  ZSTD_outBuffer output = {buffer.data(), buffer.size(), 0};
  while (true) {
    if (output.pos == buffer.size()) {
      SL_TRY(Grow(buffer));
      output.dst = buffer.data();
      output.size = buffer.size();
    }
    const std::size_t outcome = ZSTD_decompressStream(zstandard, &output, &input);
    if (ZSTD_isError(outcome) != 0) {
      return BadBlock(Codec::kZstandard, ZSTD_getErrorName(outcome));
    }
    if (outcome == 0 && input.pos == input.size) {
      return std::string_view(buffer).substr(0, output.pos);
    }
    if (outcome != 0 && input.pos == input.size && output.pos < buffer.size()) {
      return BadBlock(Codec::kZstandard, "the bytes end too early");
    }
  }
}

}  // namespace strandline::format::avro::internal
