#include "strandline/format/landing/internal/byte_stream.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>
#include <zstd.h>

namespace strandline::format::landing {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;

// The stored bytes of a file in pieces.
class StoredBytes {
 public:
  explicit StoredBytes(std::unique_ptr<io::InputFile> file) : file_(std::move(file)) {}

  const std::string& location() const { return file_->location(); }

  // Fills `into` with the next bytes; fewer only at the end.
  Result<std::size_t> ReadInto(std::span<char> into) {
    const std::int64_t left = file_->size_bytes() - offset_;
    const auto count = std::min(static_cast<std::size_t>(left), into.size());
    if (count > 0) {
      SL_TRY(file_->ReadAt(offset_, std::as_writable_bytes(into.first(count))));
      offset_ += static_cast<std::int64_t>(count);
    }
    return count;
  }

 private:
  std::unique_ptr<io::InputFile> file_;
  std::int64_t offset_ = 0;
};

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(StoredBytes stored) : stored_(std::move(stored)) {}

  Result<std::size_t> Read(std::span<char> into) override { return stored_.ReadInto(into); }

 private:
  StoredBytes stored_;
};

class GzipStream final : public ByteStream {
 public:
  static Result<std::unique_ptr<ByteStream>> Make(StoredBytes stored) {
    auto stream = std::unique_ptr<GzipStream>(new GzipStream(std::move(stored)));
    // 16: a gzip header is expected, not a zlib one.
    if (inflateInit2(&stream->zlib_, 16 + MAX_WBITS) != Z_OK) {
      return MakeError(ErrorKind::kUnavailable, "zlib could not be started, reading {}",
                       stream->stored_.location());
    }
    stream->started_ = true;
    return std::unique_ptr<ByteStream>(std::move(stream));
  }

  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() override {
    if (started_) {
      inflateEnd(&zlib_);
    }
  }

  Result<std::size_t> Read(std::span<char> into) override {
    zlib_.next_out = reinterpret_cast<Bytef*>(into.data());
    zlib_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), kReadBytes));
    const uInt wanted = zlib_.avail_out;
    while (zlib_.avail_out == wanted) {
      if (zlib_.avail_in == 0) {
        SL_TRY(Refill());
        if (zlib_.avail_in == 0) {
          if (!between_members_) {
            return MakeError(ErrorKind::kCorrupt, "gzip file ends too early: {}",
                             stored_.location());
          }
          return std::size_t{0};
        }
      }
      if (between_members_ && !StartMember()) {
        continue;
      }
      const int outcome = inflate(&zlib_, Z_NO_FLUSH);
      if (outcome == Z_STREAM_END) {
        between_members_ = true;
      } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
        return MakeError(ErrorKind::kCorrupt, "bad gzip data ({}): {}",
                         zlib_.msg == nullptr ? "no reason given" : zlib_.msg, stored_.location());
      }
    }
    return static_cast<std::size_t>(wanted - zlib_.avail_out);
  }

 private:
  explicit GzipStream(StoredBytes stored) : stored_(std::move(stored)), buffer_(kReadBytes) {}

  Status Refill() {
    const std::size_t count = SL_TRY(stored_.ReadInto(buffer_));
    zlib_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    zlib_.avail_in = static_cast<uInt>(count);
    return {};
  }

  // Skips zero padding, which tape-like writers leave after a member; false when nothing else is
  // left of this buffer.
  bool StartMember() {
    while (zlib_.avail_in > 0 && *zlib_.next_in == 0) {
      ++zlib_.next_in;
      --zlib_.avail_in;
    }
    if (zlib_.avail_in == 0) {
      return false;
    }
    if (members_ > 0) {
      inflateReset(&zlib_);
    }
    ++members_;
    between_members_ = false;
    return true;
  }

  StoredBytes stored_;
  std::vector<char> buffer_;
  z_stream zlib_{};
  bool started_ = false;
  bool between_members_ = true;
  std::int64_t members_ = 0;
};

class ZstdStream final : public ByteStream {
 public:
  static Result<std::unique_ptr<ByteStream>> Make(StoredBytes stored) {
    auto stream = std::unique_ptr<ZstdStream>(new ZstdStream(std::move(stored)));
    if (stream->context_ == nullptr) {
      return MakeError(ErrorKind::kUnavailable, "zstandard could not be started, reading {}",
                       stream->stored_.location());
    }
    return std::unique_ptr<ByteStream>(std::move(stream));
  }

  Result<std::size_t> Read(std::span<char> into) override {
    ZSTD_outBuffer out{.dst = into.data(), .size = into.size(), .pos = 0};
    while (out.pos == 0) {
      // A full output buffer may leave bytes inside the decoder: ask it before reading on.
      if (in_.pos == in_.size && !may_hold_output_) {
        const std::size_t count = SL_TRY(stored_.ReadInto(buffer_));
        in_ = {.src = buffer_.data(), .size = count, .pos = 0};
        if (count == 0) {
          if (in_frame_) {
            return MakeError(ErrorKind::kCorrupt, "zstandard file ends too early: {}",
                             stored_.location());
          }
          return std::size_t{0};
        }
      }
      const std::size_t outcome = ZSTD_decompressStream(context_.get(), &out, &in_);
      if (ZSTD_isError(outcome) != 0) {
        return MakeError(ErrorKind::kCorrupt, "bad zstandard data ({}): {}",
                         ZSTD_getErrorName(outcome), stored_.location());
      }
      in_frame_ = outcome != 0;
      may_hold_output_ = in_frame_ && out.pos == out.size;
    }
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  explicit ZstdStream(StoredBytes stored)
      : stored_(std::move(stored)), buffer_(kReadBytes), context_(ZSTD_createDCtx()) {}

  StoredBytes stored_;
  std::vector<char> buffer_;
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  ZSTD_inBuffer in_{.src = nullptr, .size = 0, .pos = 0};
  bool in_frame_ = false;
  bool may_hold_output_ = false;
};

bool IsGzip(std::string_view head) {
  return head.size() >= 2 && head[0] == '\x1f' && head[1] == '\x8b';
}

// A frame, or a skippable frame (0x184D2A50 to 0x184D2A5F), which may come first.
bool IsZstd(std::string_view head) {
  if (head.size() < 4) {
    return false;
  }
  if (head.substr(0, 4) == std::string_view("\x28\xb5\x2f\xfd", 4)) {
    return true;
  }
  return head.substr(1, 3) == std::string_view("\x2a\x4d\x18", 3) &&
         (static_cast<unsigned char>(head[0]) & 0xf0U) == 0x50U;
}

}  // namespace

Result<std::unique_ptr<ByteStream>> OpenByteStream(io::FileIo& io, const std::string& location,
                                                   std::int64_t size_bytes) {
  std::unique_ptr<io::InputFile> file = SL_TRY(io.Open(location));
  if (file->size_bytes() != size_bytes) {
    return MakeError(ErrorKind::kCorrupt, "landed file has {} bytes, listed with {}: {}",
                     file->size_bytes(), size_bytes, location);
  }
  if (size_bytes == 0 && (location.ends_with(".gz") || location.ends_with(".zst"))) {
    return MakeError(ErrorKind::kCorrupt, "compressed file is empty, so it was cut: {}", location);
  }

  std::string head(static_cast<std::size_t>(std::min<std::int64_t>(size_bytes, 4)), '\0');
  if (!head.empty()) {
    SL_TRY(file->ReadAt(0, std::as_writable_bytes(std::span(head))));
  }
  StoredBytes stored(std::move(file));
  if (IsGzip(head)) {
    return GzipStream::Make(std::move(stored));
  }
  if (IsZstd(head)) {
    return ZstdStream::Make(std::move(stored));
  }
  return std::unique_ptr<ByteStream>(std::make_unique<PlainStream>(std::move(stored)));
}

}  // namespace strandline::format::landing
