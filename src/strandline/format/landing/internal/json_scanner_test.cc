#include "strandline/format/landing/internal/json_scanner.h"

#include <cstdint>
#include <string>

#include <arrow/util/utf8.h>
#include <nlohmann/json.hpp>

#include "tests/support/matchers.h"

namespace strandline::format::landing {
namespace {

// Whether the whole of `text` is one object, and sound.
bool IsObject(const std::string& text) {
  const std::string padded = text + std::string(JsonScanner::kPaddingBytes, '"');
  JsonScanner scanner(std::string_view(padded).substr(0, text.size()));
  if (!scanner.BeginObject()) {
    return false;
  }
  const auto is_sound = [](const JsonToken& token) {
    std::string ignored;
    return token.kind != JsonKind::kString || !token.escaped || Unescape(token.raw, ignored);
  };
  while (true) {
    JsonToken name;
    JsonToken value;
    switch (scanner.NextField(name)) {
      case JsonScanner::Step::kEnd:
        return scanner.AtEnd();
      case JsonScanner::Step::kMalformed:
        return false;
      case JsonScanner::Step::kField:
        if (!scanner.TakeValue(value) || !is_sound(name) || !is_sound(value)) {
          return false;
        }
    }
  }
}

TEST(JsonScanner, AgreesWithAnotherParserOnDamagedObjects) {
  arrow::util::InitializeUTF8();
  const std::string samples[] = {
      R"({})",
      R"({"a": [1, -2.5e3, {"b": [], "c": {}}], "d": null, "e": true, "f": "g\n\u00e9\ud83d\ude00"})",
      R"( { "" : "" , "x":{"y":{"z":[[["deep"]]]}} , "n":0 } )",
      "{\"é\": \"€ and more than eight bytes\", \"false\": false}",
  };
  const std::string pieces = "{}[]\",:\\ \t\n0123456789eE+-.truefalsn/u\x01\x1f\x7f\x80\xff";
  std::uint64_t state = 7;
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % below;
  };
  int accepted = 0;
  for (int round = 0; round < 40'000; ++round) {
    std::string text = samples[random(std::size(samples))];
    for (std::uint64_t i = random(3); i > 0 && !text.empty(); --i) {
      const std::size_t at = random(text.size());
      switch (random(3)) {
        case 0:
          text[at] = pieces[random(pieces.size())];
          break;
        case 1:
          text.erase(at, 1 + random(3));
          break;
        default:
          text.insert(at, 1, pieces[random(pieces.size())]);
      }
    }
    if (!arrow::util::ValidateUTF8(text)) {
      continue;  // The scanner is not asked then.
    }

    const nlohmann::json theirs = nlohmann::json::parse(text, nullptr, false);

    ASSERT_EQ(IsObject(text), theirs.is_object()) << text;
    accepted += theirs.is_object() ? 1 : 0;
  }
  EXPECT_GT(accepted, 10'000);
}

TEST(JsonScanner, FindsTheEndOfAStringWhereverItIs) {
  for (std::size_t length = 0; length < 40; ++length) {
    for (const char* inside : {"", "\\\"", "\\\\", "é"}) {
      const std::string value = std::string(length, 'x') + inside;

      EXPECT_TRUE(IsObject("{\"a\": \"" + value + "\"}")) << value;
      EXPECT_FALSE(IsObject("{\"a\": \"" + value)) << value;
      EXPECT_FALSE(IsObject("{\"a\": \"" + value + "\x1f\"}")) << value;
    }
  }
}

TEST(JsonScanner, NestsToADepthAndNoFurther) {
  const auto nested = [](int depth) {
    return "{\"a\": " + std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']') + "}";
  };
  EXPECT_TRUE(IsObject(nested(256)));
  EXPECT_FALSE(IsObject(nested(257)));
}

TEST(Unescape, KnowsAllEscapesAndRefusesOthers) {
  struct Case {
    const char* raw;
    const char* text;  // Null: refused.
  };
  const Case cases[] = {
      {R"(\"\\\/\b\f\n\r\t)", "\"\\/\b\f\n\r\t"},
      {R"(a\u0041b)", "aAb"},
      {R"(\u00E9)", "é"},
      {R"(\u20ac)", "€"},
      {R"(\uD83D\uDE00!)", "😀!"},
      {R"(\ud83d)", nullptr},
      {R"(\ud83dx)", nullptr},
      {R"(\ud83d\n)", nullptr},
      {R"(\ud83d\u0041)", nullptr},
      {R"(\ude00)", nullptr},
      {R"(\u12)", nullptr},
      {R"(\u12g4)", nullptr},
      {R"(\x)", nullptr},
      {R"(\)", nullptr},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.raw);
    std::string text;
    EXPECT_EQ(Unescape(c.raw, text), c.text != nullptr);
    if (c.text != nullptr) {
      EXPECT_EQ(text, c.text);
    }
  }
}

}  // namespace
}  // namespace strandline::format::landing
