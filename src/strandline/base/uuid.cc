#include "strandline/base/uuid.h"

#include <cstdint>

#include <fmt/format.h>

namespace strandline {
namespace {

constexpr std::uint64_t kVariantMask = 0x3fffffffffffffffULL;
constexpr std::uint64_t kVariantBits = 0x8000000000000000ULL;

std::string Format(std::uint64_t high, std::uint64_t low) {
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, (high >> 16U) & 0xffffU,
                     high & 0xffffU, low >> 48U, low & 0xffffffffffffULL);
}

}  // namespace

std::string NewUuidV4(Rng& rng) {
  const std::uint64_t high = (rng.Next() & ~0xf000ULL) | 0x4000ULL;
  return Format(high, (rng.Next() & kVariantMask) | kVariantBits);
}

std::string NewUuidV7(const Clock& clock, Rng& rng) {
  const auto since_epoch = clock.Now().time_since_epoch();
  const auto milliseconds = static_cast<std::uint64_t>(
      std::chrono::floor<std::chrono::milliseconds>(since_epoch).count());
  const std::uint64_t high = (milliseconds << 16U) | 0x7000ULL | (rng.Next() & 0xfffULL);
  return Format(high, (rng.Next() & kVariantMask) | kVariantBits);
}

}  // namespace strandline
