#include "strandline/table/partition/murmur3.h"

#include <bit>

namespace strandline::table {
namespace {

std::uint32_t Scrambled(std::uint32_t block) {
  return std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U;
}

// Up to four bytes, the first one lowest.
std::uint32_t BlockOf(std::string_view bytes) {
  std::uint32_t block = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    block = (block << 8U) | static_cast<unsigned char>(bytes[i]);
  }
  return block;
}

}  // namespace

std::uint32_t Murmur3(std::string_view bytes) {
  constexpr std::size_t kBlockBytes = 4;
  const auto length = static_cast<std::uint32_t>(bytes.size());
  std::uint32_t hash = 0;
  while (bytes.size() >= kBlockBytes) {
    hash ^= Scrambled(BlockOf(bytes.substr(0, kBlockBytes)));
    hash = std::rotl(hash, 13) * 5 + 0xe6546b64U;
    bytes.remove_prefix(kBlockBytes);
  }
  hash ^= Scrambled(BlockOf(bytes));
  hash ^= length;
  hash = (hash ^ (hash >> 16U)) * 0x85ebca6bU;
  hash = (hash ^ (hash >> 13U)) * 0xc2b2ae35U;
  return hash ^ (hash >> 16U);
}

}  // namespace strandline::table
