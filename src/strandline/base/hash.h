#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace strandline {

// H of docs/STATE.md: XXH3-64 with seed 0 over fields, each preceded by its length as eight bytes,
// little-endian. On disk for ever: changing a byte of this makes every table look stale
// (hash_test.cc has the golden values).
class Fingerprint {
 public:
  Fingerprint();
  ~Fingerprint();
  Fingerprint(Fingerprint&&) noexcept;
  Fingerprint& operator=(Fingerprint&&) noexcept;

  Fingerprint& Add(std::string_view field);
  // Adds the decimal text of `field`.
  Fingerprint& Add(std::int64_t field);

  // The hash of all fields so far, as it is stored in a long column.
  std::int64_t Finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Sixteen hexadecimal digits, as stamps and logics are shown to people and kept in summaries.
std::string FingerprintText(std::int64_t fingerprint);
// The same read back; absent when the text is not one to sixteen such digits.
std::optional<std::int64_t> ParseFingerprintText(std::string_view text);

// XXH3-128 of key bytes: equal keys have equal hashes; unequal ones practically never.
struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};
Hash128 HashKey(std::string_view bytes);

// XXH3-64 of bytes, where equal hashes are only a suspicion that is looked into.
std::uint64_t HashBytes(std::string_view bytes);

}  // namespace strandline
