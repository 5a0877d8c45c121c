#pragma once

#include <cstdint>
#include <string_view>

namespace strandline::table {

// murmur3_x86_32 with seed 0. https://iceberg.apache.org/spec/#appendix-b-32-bit-hash-requirements
std::uint32_t Murmur3(std::string_view bytes);

}  // namespace strandline::table
