#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "strandline/base/hash.h"

namespace strandline::pipeline::ingest {

// Items by the hash of their key; those of one hash form a chain, however many there are, so that a
// key that comes a million times costs no more than others. Items are numbers from 0 on, kept by
// the caller, who also tells their hashes: `hash_of(item)`.
//
//   HashChains chains(items.size());
//   for (i : items) chains.Add(i, hash_of);
//   for (i = chains.First(hash, hash_of); i != HashChains::kNone; i = chains.Next(i)) ...
class HashChains {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  // For at most `count` items (below 2^31).
  explicit HashChains(std::size_t count)
      : mask_(std::bit_ceil(count * 2 + 1) - 1), heads_(mask_ + 1, kNone), next_(count, kNone) {}

  // Puts `item` at the front of its hash's chain; true when the chain was empty.
  template <typename HashOf>
  bool Add(std::uint32_t item, const HashOf& hash_of) {
    std::uint32_t& head = heads_[SlotOf(hash_of(item), hash_of)];
    const bool is_first = head == kNone;
    next_[item] = head;
    head = item;
    return is_first;
  }

  template <typename HashOf>
  std::uint32_t First(const Hash128& hash, const HashOf& hash_of) const {
    return heads_[SlotOf(hash, hash_of)];
  }

  std::uint32_t Next(std::uint32_t item) const { return next_[item]; }

 private:
  // The slot of a hash's chain, or the free one where it would begin.
  template <typename HashOf>
  std::size_t SlotOf(const Hash128& hash, const HashOf& hash_of) const {
    std::size_t slot = hash.low & mask_;
    while (heads_[slot] != kNone && hash_of(heads_[slot]) != hash) {
      slot = (slot + 1) & mask_;
    }
    return slot;
  }

  std::size_t mask_;
  std::vector<std::uint32_t> heads_;
  std::vector<std::uint32_t> next_;
};

}  // namespace strandline::pipeline::ingest
