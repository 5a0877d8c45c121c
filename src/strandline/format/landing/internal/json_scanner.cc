#include "strandline/format/landing/internal/json_scanner.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>

#include "strandline/format/landing/internal/text_value.h"

namespace strandline::format::landing {
namespace {

constexpr int kDepthMax = 256;

// The same byte eight times.
constexpr std::uint64_t Repeat(std::uint64_t byte) { return byte * 0x0101010101010101ULL; }

// The high bit of each byte that is zero; bytes above the first such one may be marked wrongly.
constexpr std::uint64_t ZeroBytes(std::uint64_t bytes) {
  return (bytes - Repeat(0x01)) & ~bytes & Repeat(0x80);
}

// Where in [begin, end) the first quote, backslash or control character is; `end` if there is none.
const char* FindSpecial(const char* begin, const char* end) {
  static_assert(std::endian::native == std::endian::little);
  for (const char* at = begin; at < end; at += sizeof(std::uint64_t)) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof(bytes));
    const std::uint64_t control = (bytes - Repeat(0x20)) & ~bytes & Repeat(0x80);
    const std::uint64_t special =
        ZeroBytes(bytes ^ Repeat('"')) | ZeroBytes(bytes ^ Repeat('\\')) | control;
    if (special != 0) {
      const char* found = at + std::countr_zero(special) / 8;
      return found < end ? found : end;
    }
  }
  return end;
}

void AppendUtf8(std::uint32_t code, std::string& text) {
  const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3f));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

// Takes four hexadecimal digits.
std::optional<std::uint32_t> TakeHex(std::string_view& rest) {
  constexpr std::size_t kDigits = 4;
  if (rest.size() < kDigits) {
    return std::nullopt;
  }
  std::uint32_t code = 0;
  const char* end = rest.data() + kDigits;
  const auto [parsed, error] = std::from_chars(rest.data(), end, code, 16);
  if (error != std::errc() || parsed != end) {
    return std::nullopt;
  }
  rest.remove_prefix(kDigits);
  return code;
}

// Takes what stands behind `\u`, a second escape too if the first is one half of a pair.
std::optional<std::uint32_t> TakeCodePoint(std::string_view& rest) {
  const auto is_high = [](std::uint32_t code) { return code >= 0xd800 && code <= 0xdbff; };
  const auto is_low = [](std::uint32_t code) { return code >= 0xdc00 && code <= 0xdfff; };
  const std::optional<std::uint32_t> code = TakeHex(rest);
  if (!code || is_low(*code)) {
    return std::nullopt;
  }
  if (!is_high(*code)) {
    return code;
  }
  if (!rest.starts_with("\\u")) {
    return std::nullopt;
  }
  rest.remove_prefix(2);
  const std::optional<std::uint32_t> low = TakeHex(rest);
  if (!low || !is_low(*low)) {
    return std::nullopt;
  }
  return 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
}

}  // namespace

void JsonScanner::SkipSpace() {
  while (next_ != end_ && (*next_ == ' ' || *next_ == '\t' || *next_ == '\r' || *next_ == '\n')) {
    ++next_;
  }
}

bool JsonScanner::Take(char wanted) {
  SkipSpace();
  if (next_ == end_ || *next_ != wanted) {
    return false;
  }
  ++next_;
  return true;
}

bool JsonScanner::BeginObject() {
  is_first_field_ = true;
  return Take('{');
}

JsonScanner::Step JsonScanner::NextField(JsonToken& name) {
  if (Take('}')) {
    return Step::kEnd;
  }
  if (!is_first_field_ && !Take(',')) {
    return Step::kMalformed;
  }
  is_first_field_ = false;
  SkipSpace();
  return TakeString(name) && Take(':') ? Step::kField : Step::kMalformed;
}

bool JsonScanner::TakeValue(JsonToken& value) {
  SkipSpace();
  if (next_ == end_) {
    return false;
  }
  switch (*next_) {
    case '"':
      return TakeString(value);
    case '{':
      return TakeObject(value);
    case '[':
      return TakeArray(value);
    case 't':
      return TakeWord("true", JsonKind::kBoolean, value);
    case 'f':
      return TakeWord("false", JsonKind::kBoolean, value);
    case 'n':
      return TakeWord("null", JsonKind::kNull, value);
    default:
      return TakeNumber(value);
  }
}

bool JsonScanner::AtEnd() {
  SkipSpace();
  return next_ == end_;
}

bool JsonScanner::TakeString(JsonToken& token) {
  if (next_ == end_ || *next_ != '"') {
    return false;
  }
  const char* const begin = ++next_;
  token.kind = JsonKind::kString;
  token.escaped = false;
  while (true) {
    next_ = FindSpecial(next_, end_);
    if (next_ == end_ || static_cast<unsigned char>(*next_) < 0x20) {
      return false;
    }
    if (*next_ == '"') {
      token.raw = std::string_view(begin, static_cast<std::size_t>(next_ - begin));
      ++next_;
      return true;
    }
    token.escaped = true;
    if (end_ - next_ < 2) {
      return false;
    }
    next_ += 2;  // What is escaped is looked at by Unescape().
  }
}

bool JsonScanner::TakeNumber(JsonToken& token) {
  const char* const begin = next_;
  const auto belongs = [](char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
  };
  while (next_ != end_ && belongs(*next_)) {
    ++next_;
  }
  token.kind = JsonKind::kNumber;
  token.raw = std::string_view(begin, static_cast<std::size_t>(next_ - begin));
  return IsJsonNumber(token.raw);
}

bool JsonScanner::TakeWord(std::string_view word, JsonKind kind, JsonToken& token) {
  const std::string_view rest(next_, static_cast<std::size_t>(end_ - next_));
  if (!rest.starts_with(word)) {
    return false;
  }
  token.kind = kind;
  token.raw = rest.substr(0, word.size());
  next_ += word.size();
  return true;
}

bool JsonScanner::TakeArray(JsonToken& token) {
  const char* const begin = next_;
  if (++depth_ > kDepthMax || !Take('[')) {
    return false;
  }
  bool is_first = true;
  while (!Take(']')) {
    JsonToken element;
    if ((!is_first && !Take(',')) || !TakeValue(element)) {
      return false;
    }
    if (element.kind == JsonKind::kString && element.escaped) {
      std::string ignored;
      if (!Unescape(element.raw, ignored)) {
        return false;
      }
    }
    is_first = false;
  }
  --depth_;
  token.kind = JsonKind::kArray;
  token.raw = std::string_view(begin, static_cast<std::size_t>(next_ - begin));
  return true;
}

bool JsonScanner::TakeObject(JsonToken& token) {
  const char* const begin = next_;
  if (++depth_ > kDepthMax || !BeginObject()) {
    return false;
  }
  std::string ignored;
  const auto is_sound = [&](const JsonToken& text) {
    return text.kind != JsonKind::kString || !text.escaped || Unescape(text.raw, ignored);
  };
  while (true) {
    JsonToken name;
    const Step step = NextField(name);
    if (step == Step::kEnd) {
      break;
    }
    JsonToken value;
    if (step == Step::kMalformed || !TakeValue(value) || !is_sound(name) || !is_sound(value)) {
      return false;
    }
    is_first_field_ = false;  // An object inside has used it.
  }
  --depth_;
  is_first_field_ = false;
  token.kind = JsonKind::kObject;
  token.raw = std::string_view(begin, static_cast<std::size_t>(next_ - begin));
  return true;
}

bool Unescape(std::string_view raw, std::string& text) {
  while (!raw.empty()) {
    const std::size_t plain = std::min(raw.find('\\'), raw.size());
    text += raw.substr(0, plain);
    raw.remove_prefix(plain);
    if (raw.empty()) {
      break;
    }
    if (raw.size() < 2) {
      return false;
    }
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char escape = raw[1];
    raw.remove_prefix(2);
    if (escape == 'u') {
      const std::optional<std::uint32_t> code = TakeCodePoint(raw);
      if (!code) {
        return false;
      }
      AppendUtf8(*code, text);
      continue;
    }
    const std::size_t known = kEscapes.find(escape);
    if (known == std::string_view::npos) {
      return false;
    }
    text.push_back(kMeanings[known]);
  }
  return true;
}

}  // namespace strandline::format::landing
