#include <array>
#include <bit>
#include <cstring>

#include "strandline/base/check.h"
#include "strandline/format/avro/avro.h"

// https://avro.apache.org/docs/1.11.1/specification/#binary-encoding

namespace strandline::format::avro {
namespace {

static_assert(std::endian::native == std::endian::little, "Avro's floats are little-endian");

constexpr int kLongBytesMax = 10;

// Whether values of a schema have bytes at all: null, fixed(0) and records of only these have none,
// so that a count of them is bounded by nothing.
bool HasBytes(const Schema& schema) {
  switch (schema.kind) {
    case Kind::kNull:
      return false;
    case Kind::kFixed:
      return schema.size > 0;
    case Kind::kRecord:
      for (const Field& field : schema.fields) {
        if (HasBytes(*field.schema)) {
          return true;
        }
      }
      return false;
    default:
      return true;
  }
}

// How many numbers a value consists of, 0 when it has anything else: manifests are full of lists of
// such, and most readers pass over them.
std::uint64_t LongsOf(const Schema& schema) {
  if (schema.kind == Kind::kInt || schema.kind == Kind::kLong) {
    return 1;
  }
  if (schema.kind != Kind::kRecord) {
    return 0;
  }
  std::uint64_t longs = 0;
  for (const Field& field : schema.fields) {
    const Kind kind = field.schema->kind;
    if (kind != Kind::kInt && kind != Kind::kLong) {
      return 0;
    }
    ++longs;
  }
  return longs;
}

template <typename T>
T FromBytes(std::string_view bytes) {
  T value = 0;
  if (bytes.size() == sizeof(T)) {
    std::memcpy(&value, bytes.data(), sizeof(T));
  }
  return value;
}

}  // namespace

Error Cursor::error() const {
  SL_CHECK(!ok());
  return MakeError(ErrorKind::kCorrupt, "malformed avro value: {}", failure_);
}

void Cursor::Fail(const char* what) {
  if (ok()) {
    failure_ = what;
  }
  position_ = end_;
}

std::int64_t Cursor::LongOfManyBytes() {
  std::uint64_t bits = 0;
  for (int index = 0; index < kLongBytesMax; ++index) {
    if (position_ == end_) {
      Fail("the bytes end within a number");
      return 0;
    }
    const auto byte = static_cast<unsigned char>(*position_++);
    bits |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * index);
    if (byte < 0x80) {
      return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
    }
  }
  Fail("a number is longer than ten bytes");
  return 0;
}

bool Cursor::Bool() {
  const std::string_view byte = Fixed(1);
  if (!byte.empty() && byte[0] != 0 && byte[0] != 1) {
    Fail("a boolean is neither 0 nor 1");
    return false;
  }
  return !byte.empty() && byte[0] == 1;
}

float Cursor::Float() { return FromBytes<float>(Fixed(sizeof(float))); }
double Cursor::Double() { return FromBytes<double>(Fixed(sizeof(double))); }

std::int64_t Cursor::BlockCount(std::size_t item_bytes_min) {
  std::int64_t count = Long();
  if (count < 0) {
    // The block says how many bytes it has, for readers that skip it.
    if (const std::int64_t bytes = Long(); bytes < 0 || static_cast<std::size_t>(bytes) > left()) {
      Fail("a block is longer than what is left");
    }
    // The lowest number has no positive one; as an unsigned it is too many anyhow.
    count = count == INT64_MIN ? INT64_MAX : -count;
  }
  if (item_bytes_min > 0 && static_cast<std::uint64_t>(count) > left() / item_bytes_min) {
    Fail("a block has more items than can be left");
  }
  return ok() ? count : 0;
}

void Cursor::SkipLongs(std::uint64_t count) {
  // A number ends with the byte whose highest bit is clear: count these, eight bytes at a time.
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  while (count >= sizeof(std::uint64_t) && left() >= sizeof(std::uint64_t)) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, position_, sizeof(bytes));
    // The product's highest byte is the sum of all bytes, of which each is 0 or 1 here.
    count -= (((~bytes & kHighBits) >> 7) * 0x0101010101010101) >> 56;
    position_ += sizeof(bytes);
  }
  for (; count > 0 && ok(); --count) {
    SkipLong();
  }
}

void Cursor::SkipItems(const Schema& items, bool keyed) {
  const bool has_bytes = keyed || HasBytes(items);
  const std::uint64_t longs = keyed ? 0 : LongsOf(items);
  while (true) {
    const std::int64_t count = Long();
    if (count < 0) {
      Bytes();  // A block that says how many bytes it has.
    } else if (longs > 0 && static_cast<std::uint64_t>(count) <= left()) {
      SkipLongs(static_cast<std::uint64_t>(count) * longs);
    } else if (has_bytes) {
      for (std::int64_t index = 0; index < count && ok(); ++index) {
        if (keyed) {
          SkipBytes();
        }
        Skip(items);
      }
    }
    if (count == 0 || !ok()) {
      return;
    }
  }
}

void Cursor::Skip(const Schema& schema) {
  switch (schema.kind) {
    case Kind::kNull:
      return;
    case Kind::kBoolean:
      Fixed(1);
      return;
    case Kind::kInt:
    case Kind::kLong:
    case Kind::kEnum:
      SkipLong();
      return;
    case Kind::kFloat:
      Fixed(sizeof(float));
      return;
    case Kind::kDouble:
      Fixed(sizeof(double));
      return;
    case Kind::kBytes:
    case Kind::kString:
      SkipBytes();
      return;
    case Kind::kFixed:
      Fixed(static_cast<std::size_t>(schema.size));
      return;
    case Kind::kArray:
    case Kind::kMap:
      SkipItems(*schema.items, schema.kind == Kind::kMap);
      return;
    case Kind::kUnion: {
      const auto branch = static_cast<std::uint64_t>(Long());
      if (branch >= schema.branches.size()) {
        Fail("a union has no such branch");
        return;
      }
      Skip(*schema.branches[branch]);
      return;
    }
    case Kind::kRecord:
      for (const Field& field : schema.fields) {
        Skip(*field.schema);
      }
      return;
  }
}

void Encoder::WriteBool(bool value) { buffer_ += value ? '\1' : '\0'; }

void Encoder::WriteLong(std::int64_t value) {
  std::uint64_t bits =
      (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  while (bits >= 0x80) {
    buffer_ += static_cast<char>((bits & 0x7F) | 0x80);
    bits >>= 7;
  }
  buffer_ += static_cast<char>(bits);
}

void Encoder::WriteFloat(float value) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(float)>>(value);
  buffer_.append(bytes.data(), bytes.size());
}

void Encoder::WriteDouble(double value) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(double)>>(value);
  buffer_.append(bytes.data(), bytes.size());
}

void Encoder::WriteBytes(std::string_view bytes) {
  WriteLong(static_cast<std::int64_t>(bytes.size()));
  buffer_ += bytes;
}

void Encoder::WriteFixed(std::string_view bytes) { buffer_ += bytes; }

template <typename T>
Result<T> Decoder::Checked(T value) const {
  if (!cursor_.ok()) {
    return cursor_.error();
  }
  return value;
}

Result<bool> Decoder::ReadBool() { return Checked(cursor_.Bool()); }
Result<std::int64_t> Decoder::ReadLong() { return Checked(cursor_.Long()); }
Result<float> Decoder::ReadFloat() { return Checked(cursor_.Float()); }
Result<double> Decoder::ReadDouble() { return Checked(cursor_.Double()); }
Result<std::string_view> Decoder::ReadBytes() { return Checked(cursor_.Bytes()); }

Result<std::string_view> Decoder::ReadFixed(std::size_t size) {
  return Checked(cursor_.Fixed(size));
}

Result<std::int64_t> Decoder::ReadBlockCount(std::size_t item_bytes_min) {
  return Checked(cursor_.BlockCount(item_bytes_min));
}

Status Decoder::Skip(const Schema& schema) {
  cursor_.Skip(schema);
  if (!cursor_.ok()) {
    return cursor_.error();
  }
  return {};
}

}  // namespace strandline::format::avro
