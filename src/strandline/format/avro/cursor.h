#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "strandline/base/error.h"

namespace strandline::format::avro {

struct Schema;

// Reads Avro's binary encoding in hot loops. A failure is remembered instead of returned: from then
// on every call gives zero or nothing, so a caller reads a whole record and asks ok() once per
// field. Only BlockCount() bounds a loop: it gives 0 after a failure, and never more items than
// bytes are left.
//
// Decoder (avro.h) is the same with a Result for each value.
class Cursor {
 public:
  // `bytes` must outlive the cursor and every view it gave.
  explicit Cursor(std::string_view bytes)
      : position_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return failure_ == nullptr; }
  // The first failure, as kCorrupt. Only if not ok().
  Error error() const;

  bool Bool();
  std::int64_t Long();  // int and long
  float Float();
  double Double();
  std::string_view Bytes();  // bytes and string
  std::string_view Fixed(std::size_t size);

  // Items of the next block of an array or map, 0 at its end. Fails when items of at least
  // `item_bytes_min` bytes could not fit into what is left.
  std::int64_t BlockCount(std::size_t item_bytes_min = 1);

  void SkipLong();
  void SkipBytes() { Bytes(); }
  // Passes over one value. Blocks that say how long they are cost nothing.
  void Skip(const Schema& schema);

  // Fails unless it has failed before. `what` must be a literal: it is kept.
  void Fail(const char* what);

  std::size_t left() const { return static_cast<std::size_t>(end_ - position_); }
  std::string_view rest() const { return {position_, left()}; }

 private:
  std::int64_t LongOfManyBytes();
  void SkipLongs(std::uint64_t count);
  void SkipItems(const Schema& items, bool keyed);

  const char* position_;
  const char* end_;
  const char* failure_ = nullptr;
};

inline std::int64_t Cursor::Long() {
  if (position_ != end_ && (*position_ & 0x80) == 0) [[likely]] {
    const auto bits = static_cast<std::uint64_t>(*position_++);
    return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
  }
  return LongOfManyBytes();
}

inline void Cursor::SkipLong() {
  while (position_ != end_) {
    if ((*position_++ & 0x80) == 0) {
      return;
    }
  }
  Fail("the bytes end within a number");
}

inline std::string_view Cursor::Fixed(std::size_t size) {
  if (size > left()) [[unlikely]] {
    Fail("the bytes end within a value");
    return {};
  }
  const std::string_view bytes(position_, size);
  position_ += size;
  return bytes;
}

inline std::string_view Cursor::Bytes() {
  const std::int64_t size = Long();
  if (size < 0) [[unlikely]] {
    Fail("a length is negative");
    return {};
  }
  return Fixed(static_cast<std::size_t>(size));
}

}  // namespace strandline::format::avro
