#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "strandline/format/avro/avro.h"

namespace strandline::table::manifest_format {

// The branches of the union [null, type], which every optional field of ours has.
inline constexpr std::int64_t kNullBranch = 0;
inline constexpr std::int64_t kValueBranch = 1;

// An id, or null.
template <typename Id>
void WriteOptionalId(const std::optional<Id>& id, format::avro::Encoder& encoder) {
  encoder.WriteLong(id ? kValueBranch : kNullBranch);
  if (id) {
    encoder.WriteLong(id->value());
  }
}

// A text or bytes, or null.
inline void WriteOptionalBytes(const std::optional<std::string>& bytes,
                               format::avro::Encoder& encoder) {
  encoder.WriteLong(bytes ? kValueBranch : kNullBranch);
  if (bytes) {
    encoder.WriteBytes(*bytes);
  }
}

}  // namespace strandline::table::manifest_format
