#include "strandline/base/hash.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "strandline/base/check.h"

namespace strandline {

struct Fingerprint::State {
  XXH3_state_t xxh;
};

Fingerprint::Fingerprint() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->xxh); }
Fingerprint::~Fingerprint() = default;
Fingerprint::Fingerprint(Fingerprint&&) noexcept = default;
Fingerprint& Fingerprint::operator=(Fingerprint&&) noexcept = default;

Fingerprint& Fingerprint::Add(std::string_view field) {
  std::array<unsigned char, 8> length{};
  for (std::size_t i = 0; i < length.size(); ++i) {
    length.at(i) = static_cast<unsigned char>((field.size() >> (8U * i)) & 0xffU);
  }
  SL_CHECK(XXH3_64bits_update(&state_->xxh, length.data(), length.size()) == XXH_OK);
  SL_CHECK(XXH3_64bits_update(&state_->xxh, field.data(), field.size()) == XXH_OK);
  return *this;
}

Fingerprint& Fingerprint::Add(std::int64_t field) { return Add(fmt::format("{}", field)); }

std::int64_t Fingerprint::Finish() const {
  return static_cast<std::int64_t>(XXH3_64bits_digest(&state_->xxh));
}

std::string FingerprintText(std::int64_t fingerprint) {
  return fmt::format("{:016x}", static_cast<std::uint64_t>(fingerprint));
}

std::optional<std::int64_t> ParseFingerprintText(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

Hash128 HashKey(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {.high = hash.high64, .low = hash.low64};
}

std::uint64_t HashBytes(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace strandline
