#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "strandline/base/result.h"
#include "strandline/format/avro/avro.h"

namespace strandline::format::avro::internal {

// The name of a codec in the header of a container file.
std::string_view CodecName(Codec codec);
// kUnsupported for a name we do not know.
Result<Codec> CodecNamed(std::string_view name);

// Packs one block. kUnavailable when there is no memory for it.
Result<std::string> Compress(Codec codec, std::optional<int> level, std::string_view bytes);

// Unpacks the blocks of one file, keeping buffer and state from block to block.
class Decompressor {
 public:
  explicit Decompressor(Codec codec);
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // The block's bytes, valid until the next call (or as long as `block`, when nothing was packed).
  // kCorrupt when it does not unpack, or to more than kUnpackedBytesMax; kUnavailable when
  // there is no memory for it.
  Result<std::string_view> Unpack(std::string_view block);

 private:
  struct State;

  Codec codec_;
  std::unique_ptr<State> state_;
};

}  // namespace strandline::format::avro::internal
