#include "strandline/format/landing/internal/line_reader.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace strandline::format::landing {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteStream> stream, std::int64_t line_bytes_max)
    : stream_(std::move(stream)), line_bytes_max_(static_cast<std::size_t>(line_bytes_max)) {}

Result<bool> LineReader::Next(Line& line) {
  while (true) {
    const void* feed = std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_);
    if (feed == nullptr && !at_end_) {
      scanned_ = end_;
      if (end_ - begin_ > line_bytes_max_) {
        line = SL_TRY(SkipLongLine());
        return true;
      }
      at_end_ = !SL_TRY(Fill());
      continue;
    }
    if (feed == nullptr && begin_ == end_) {
      return false;
    }

    const std::size_t line_end =
        feed == nullptr ? end_
                        : static_cast<std::size_t>(static_cast<const char*>(feed) - buffer_.data());
    const std::string_view text(buffer_.data() + begin_, line_end - begin_);
    line = {.offset = offset_,
            .length_bytes = static_cast<std::int64_t>(text.size()),
            .too_long = text.size() > line_bytes_max_,
            .text = text};
    const std::size_t next = feed == nullptr ? end_ : line_end + 1;
    offset_ += static_cast<std::int64_t>(next - begin_);
    begin_ = next;
    scanned_ = next;
    if (line.offset == 0 && line.text.starts_with(kByteOrderMark)) {
      line.text.remove_prefix(kByteOrderMark.size());
      line.offset += static_cast<std::int64_t>(kByteOrderMark.size());
      line.length_bytes -= static_cast<std::int64_t>(kByteOrderMark.size());
    }
    if (IsBlank(line.text)) {
      continue;
    }
    if (line.too_long) {
      line.text = line.text.substr(0, kTooLongBytes);
    }
    return true;
  }
}

Result<bool> LineReader::Fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < end_ + kReadBytes + kPaddingBytes) {
    buffer_.resize(std::max(buffer_.size() * 2, end_ + kReadBytes + kPaddingBytes));
  }
  const std::size_t space = buffer_.size() - kPaddingBytes - end_;
  const std::size_t count = SL_TRY(stream_->Read(std::span(buffer_).subspan(end_, space)));
  end_ += count;
  return count > 0;
}

Result<Line> LineReader::SkipLongLine() {
  long_line_.assign(buffer_, begin_, std::min(kTooLongBytes, end_ - begin_));
  Line line{.offset = offset_, .length_bytes = 0, .too_long = true, .text = {}};
  while (true) {
    const void* feed = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
    const std::size_t line_end =
        feed == nullptr ? end_
                        : static_cast<std::size_t>(static_cast<const char*>(feed) - buffer_.data());
    line.length_bytes += static_cast<std::int64_t>(line_end - begin_);
    const std::size_t next = feed == nullptr ? end_ : line_end + 1;
    offset_ += static_cast<std::int64_t>(next - begin_);
    begin_ = next;
    scanned_ = next;
    if (feed != nullptr) {
      break;
    }
    at_end_ = !SL_TRY(Fill());
    if (at_end_) {
      break;
    }
  }
  line.text = long_line_;
  return line;
}

}  // namespace strandline::format::landing
