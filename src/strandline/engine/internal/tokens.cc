#include "strandline/engine/internal/tokens.h"

#include <algorithm>

namespace strandline::engine {

namespace {

constexpr std::string_view kOperatorBytes = "~!@#^&|`+-*/%<>=";
// An operator may only end in + or - if it holds one of these.
constexpr std::string_view kUnusualOperatorBytes = "~!@#^&|`%";

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c) || c == '$'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

class Lexer {
 public:
  explicit Lexer(std::string_view sql) : sql_(sql) {}

  std::vector<Token> Run() {
    std::vector<Token> tokens;
    for (SkipSpaceAndComments(); at_ < sql_.size(); SkipSpaceAndComments()) {
      const std::size_t start = at_;
      const TokenKind kind = Advance();
      tokens.push_back({kind, sql_.substr(start, at_ - start), start});
    }
    return tokens;
  }

 private:
  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0';
  }
  bool StartsWith(std::string_view text) const { return sql_.substr(at_).starts_with(text); }

  void SkipSpaceAndComments() {
    while (at_ < sql_.size()) {
      if (IsSpace(Peek())) {
        ++at_;
      } else if (StartsWith("--")) {
        at_ = std::min(sql_.find_first_of("\r\n", at_), sql_.size());
      } else if (StartsWith("/*")) {
        SkipBlockComment();
      } else {
        return;
      }
    }
  }

  void SkipBlockComment() {
    int depth = 0;  // Block comments nest.
    do {
      if (StartsWith("/*")) {
        ++depth;
        at_ += 2;
      } else if (StartsWith("*/")) {
        --depth;
        at_ += 2;
      } else {
        ++at_;
      }
    } while (depth > 0 && at_ < sql_.size());
  }

  // Moves past one token.
  TokenKind Advance() {
    const char c = Peek();
    if (c == '\'') {
      SkipQuoted('\'', false);
      return TokenKind::kString;
    }
    if (c == '"') {
      SkipQuoted('"', false);
      return TokenKind::kQuotedName;
    }
    if (Peek(1) == '\'' && (Lower(c) == 'e' || Lower(c) == 'x' || Lower(c) == 'b')) {
      ++at_;
      SkipQuoted('\'', Lower(c) == 'e');
      return TokenKind::kString;
    }
    if (IsNameStart(c)) {
      SkipWhile(IsNamePart);
      return TokenKind::kName;
    }
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) {
      SkipNumber();
      return TokenKind::kNumber;
    }
    if (c == '$') {
      return AdvanceDollar();
    }
    if (c == '?') {
      ++at_;
      return TokenKind::kParameter;
    }
    SkipOperator();
    return TokenKind::kOperator;
  }

  template <typename Predicate>
  void SkipWhile(Predicate predicate) {
    while (at_ < sql_.size() && predicate(sql_[at_])) {
      ++at_;
    }
  }

  void SkipQuoted(char quote, bool backslash_escapes) {
    for (++at_; at_ < sql_.size(); ++at_) {
      if (backslash_escapes && Peek() == '\\') {
        ++at_;
      } else if (Peek() == quote) {
        if (Peek(1) != quote) {
          ++at_;
          return;
        }
        ++at_;
      }
    }
    at_ = sql_.size();
  }

  void SkipNumber() {
    const auto digit = [](char c) { return IsDigit(c) || c == '_'; };
    SkipWhile(digit);
    // `1..2` is no number with two points.
    if (Peek() == '.' && Peek(1) != '.') {
      ++at_;
      SkipWhile(digit);
    }
    if (Lower(Peek()) == 'e') {
      const std::size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 1 : 0;
      if (IsDigit(Peek(1 + sign))) {
        at_ += 1 + sign;
        SkipWhile(digit);
      }
    }
  }

  TokenKind AdvanceDollar() {
    std::size_t end = at_ + 1;
    while (end < sql_.size() && IsNamePart(sql_[end]) && sql_[end] != '$') {
      ++end;
    }
    const bool digits = end > at_ + 1 && IsDigit(sql_[at_ + 1]);
    if (end < sql_.size() && sql_[end] == '$' && !digits) {
      const std::string_view tag = sql_.substr(at_, end + 1 - at_);
      const std::size_t close = sql_.find(tag, end + 1);
      at_ = close == std::string_view::npos ? sql_.size() : close + tag.size();
      return TokenKind::kString;
    }
    at_ = end;
    return TokenKind::kParameter;
  }

  void SkipOperator() {
    for (const std::string_view pair : {"::", ":=", ".."}) {
      if (StartsWith(pair)) {
        at_ += 2;
        return;
      }
    }
    const std::size_t start = at_;
    while (at_ < sql_.size() && kOperatorBytes.find(sql_[at_]) != std::string_view::npos &&
           !StartsWith("--") && !StartsWith("/*")) {
      ++at_;
    }
    const std::string_view text = sql_.substr(start, at_ - start);
    if (text.find_first_of(kUnusualOperatorBytes) == std::string_view::npos) {
      while (at_ > start + 1 && (sql_[at_ - 1] == '+' || sql_[at_ - 1] == '-')) {
        --at_;
      }
    }
    at_ = std::max(at_, start + 1);
  }

  std::string_view sql_;
  std::size_t at_ = 0;
};

std::string Quote(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (const char c : text) {
    quoted.append(c == quote ? 2 : 1, c);
  }
  quoted.push_back(quote);
  return quoted;
}

}  // namespace

std::vector<Token> Tokenize(std::string_view sql) { return Lexer(sql).Run(); }

std::string NameOf(const Token& token) {
  if (token.kind != TokenKind::kQuotedName) {
    return std::string(token.text);
  }
  std::string name;
  for (std::size_t i = 1; i + 1 < token.text.size(); ++i) {
    name.push_back(token.text[i]);
    if (token.text[i] == '"') {
      ++i;  // A doubled quote stands for one.
    }
  }
  return name;
}

std::string QuoteName(std::string_view name) { return Quote(name, '"'); }
std::string QuoteText(std::string_view text) { return Quote(text, '\''); }

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

bool EqualNames(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

SqlPosition PositionOf(std::string_view sql, std::size_t offset) {
  SqlPosition position;
  for (const char c : sql.substr(0, std::min(offset, sql.size()))) {
    if (c == '\n') {
      ++position.line;
      position.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++position.column;
    }
  }
  return position;
}

std::string NormalizedSql(std::string_view sql) {
  std::vector<Token> tokens = Tokenize(sql);
  while (!tokens.empty() && tokens.back().text == ";") {
    tokens.pop_back();
  }
  std::string normal;
  for (const Token& token : tokens) {
    if (!normal.empty()) {
      normal.push_back(' ');
    }
    // The letter before a string (`E'...'`) has no case either; the rest of it does.
    const bool name = token.kind == TokenKind::kName;
    const std::size_t lower = name ? token.text.size() : token.text.find('\'');
    const bool prefixed = token.kind == TokenKind::kString && lower == 1;
    if (name || prefixed) {
      normal += LowerCase(token.text.substr(0, lower));
      normal += token.text.substr(lower);
    } else {
      normal += token.text;
    }
  }
  return normal;
}

}  // namespace strandline::engine
