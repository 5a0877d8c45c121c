#include <algorithm>
#include <string>
#include <string_view>

#include "strandline/format/landing/landing_reader.h"

namespace strandline::format {
namespace {

constexpr std::size_t kRawBytes = 4096;

// How many bytes of `text` make one valid UTF-8 character; 0: its first byte belongs to none.
std::size_t CharacterBytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i, unsigned low, unsigned high) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xc2 && first <= 0xdf) {
    return follows(1, 0x80, 0xbf) ? 2 : 0;
  }
  if (first >= 0xe0 && first <= 0xef) {
    const unsigned low = first == 0xe0 ? 0xa0 : 0x80;   // No overlong forms.
    const unsigned high = first == 0xed ? 0x9f : 0xbf;  // No surrogates.
    return follows(1, low, high) && follows(2, 0x80, 0xbf) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const unsigned low = first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xf4 ? 0x8f : 0xbf;  // Nothing above U+10FFFF.
    return follows(1, low, high) && follows(2, 0x80, 0xbf) && follows(3, 0x80, 0xbf) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string RawText(std::string_view bytes) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string text;
  while (!bytes.empty()) {
    const std::size_t valid = CharacterBytes(bytes);
    const std::string_view next = valid == 0 ? kReplacement : bytes.substr(0, valid);
    if (text.size() + next.size() > kRawBytes) {
      break;
    }
    text += next;
    bytes.remove_prefix(std::max<std::size_t>(valid, 1));
  }
  return text;
}

}  // namespace strandline::format
