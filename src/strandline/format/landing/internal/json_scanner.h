#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace strandline::format::landing {

enum class JsonKind { kNull, kBoolean, kNumber, kString, kArray, kObject };

// One value as it stands in the text.
struct JsonToken {
  JsonKind kind = JsonKind::kNull;
  std::string_view raw;  // Of strings what is between the quotes; of others all of it.
  bool escaped = false;  // A string with escapes: Unescape() it.
};

// Walks over the JSON text of one object, which must be valid UTF-8 (nothing else is taken on
// trust), and checks all of it: RFC 8259, no more and no less, but nested no deeper than 256.
//
//   JsonScanner scanner(text);
//   if (!scanner.BeginObject()) ...
//   while (scanner.NextField(name) == JsonScanner::Step::kField && scanner.TakeValue(value)) ...
//   scanner.AtEnd()
class JsonScanner {
 public:
  // Strings are looked at eight bytes at a time, so that many bytes behind `text` are read (never
  // used): they must be readable.
  static constexpr std::size_t kPaddingBytes = 8;

  explicit JsonScanner(std::string_view text)
      : next_(text.data()), end_(text.data() + text.size()) {}

  // Takes the opening brace; false when there is none.
  bool BeginObject();

  enum class Step { kField, kEnd, kMalformed };
  // Takes a field's name and its colon, or the closing brace.
  Step NextField(JsonToken& name);

  // Takes one value, arrays and objects to their end. False: malformed.
  bool TakeValue(JsonToken& value);

  // Whether only white space is left.
  bool AtEnd();

 private:
  void SkipSpace();
  bool Take(char wanted);
  bool TakeString(JsonToken& token);
  bool TakeNumber(JsonToken& token);
  bool TakeWord(std::string_view word, JsonKind kind, JsonToken& token);
  bool TakeArray(JsonToken& token);
  bool TakeObject(JsonToken& token);

  const char* next_;
  const char* end_;
  bool is_first_field_ = false;
  int depth_ = 0;
};

// Appends the text that an escaped string means to `text`; false for an escape that is none, half a
// surrogate pair included.
bool Unescape(std::string_view raw, std::string& text);

}  // namespace strandline::format::landing
