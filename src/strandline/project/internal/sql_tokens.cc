#include "strandline/project/internal/sql_tokens.h"

#include <cctype>
#include <utility>

#include "strandline/project/internal/lower_case.h"

namespace strandline::project::internal {
namespace {

bool IsNameStart(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalpha(byte) != 0 || c == '_' || byte >= 0x80;
}

bool IsNamePart(char c) { return IsNameStart(c) || c == '$' || (c >= '0' && c <= '9'); }

class Splitter {
 public:
  explicit Splitter(std::string_view sql) : sql_(sql) {}

  std::vector<SqlToken> Split() && {
    while (offset_ < sql_.size()) {
      SplitOne();
    }
    return std::move(tokens_);
  }

 private:
  char At(std::size_t ahead) const {
    return offset_ + ahead < sql_.size() ? sql_[offset_ + ahead] : '\0';
  }

  // Moves on, counting lines and characters.
  void Skip(std::size_t bytes) {
    for (; bytes > 0 && offset_ < sql_.size(); --bytes, ++offset_) {
      const auto byte = static_cast<unsigned char>(sql_[offset_]);
      if (byte == '\n') {
        ++at_.line;
        at_.column = 1;
      } else if ((byte & 0xC0U) != 0x80U) {
        ++at_.column;
      }
    }
  }

  void SkipPast(std::string_view end) {
    const std::size_t found = sql_.find(end, offset_);
    Skip(found == std::string_view::npos ? sql_.size() - offset_ : found + end.size() - offset_);
  }

  void SplitOne() {
    const char c = At(0);
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      Skip(1);
    } else if (c == '-' && At(1) == '-') {
      SkipPast("\n");
    } else if (c == '/' && At(1) == '*') {
      SkipComment();
    } else if (c == '\'') {
      TakeQuoted(SqlToken::Kind::kString, '\'', false);
    } else if ((c == 'e' || c == 'E') && At(1) == '\'') {
      const engine::SqlPosition start = at_;
      Skip(1);
      TakeQuoted(SqlToken::Kind::kString, '\'', true);
      tokens_.back().at = start;
    } else if (c == '"') {
      TakeQuoted(SqlToken::Kind::kName, '"', false);
    } else if (c == '$') {
      TakeDollar();
    } else if (IsNameStart(c)) {
      TakeName();
    } else if (c >= '0' && c <= '9') {
      TakeNumber();
    } else {
      tokens_.push_back({.kind = SqlToken::Kind::kSymbol, .text = std::string(1, c), .at = at_});
      Skip(1);
    }
  }

  // Comments nest, as in PostgreSQL.
  void SkipComment() {
    int depth = 0;
    while (offset_ < sql_.size()) {
      if (At(0) == '/' && At(1) == '*') {
        ++depth;
        Skip(2);
      } else if (At(0) == '*' && At(1) == '/') {
        --depth;
        Skip(2);
        if (depth == 0) {
          return;
        }
      } else {
        Skip(1);
      }
    }
  }

  // Inside quotes a doubled quote stands for one; with `has_escapes` a backslash hides one.
  void TakeQuoted(SqlToken::Kind kind, char quote, bool has_escapes) {
    SqlToken token{.kind = kind, .text = {}, .at = at_};
    Skip(1);
    while (offset_ < sql_.size()) {
      if (has_escapes && At(0) == '\\') {
        Skip(2);
        continue;
      }
      if (At(0) == quote) {
        if (At(1) != quote) {
          break;
        }
        Skip(1);
      }
      if (kind == SqlToken::Kind::kName) {
        token.text.push_back(At(0));
      }
      Skip(1);
    }
    Skip(1);
    tokens_.push_back(std::move(token));
  }

  std::size_t NameLength(std::size_t ahead) const {
    std::size_t length = 0;
    while (offset_ + ahead + length < sql_.size() && IsNamePart(At(ahead + length))) {
      ++length;
    }
    return length;
  }

  // `$name`, `$1`, or a text between `$$` and `$$` or `$tag$` and `$tag$`.
  void TakeDollar() {
    std::size_t length = 0;
    while (IsNamePart(At(1 + length)) && At(1 + length) != '$') {
      ++length;
    }
    SqlToken token{.kind = SqlToken::Kind::kParameter,
                   .text = std::string(sql_.substr(offset_ + 1, length)),
                   .at = at_};
    const bool is_text = At(1 + length) == '$' && !(length > 0 && std::isdigit(At(1)) != 0);
    if (is_text) {
      const std::string tag(sql_.substr(offset_, length + 2));
      Skip(tag.size());
      SkipPast(tag);
      token = {.kind = SqlToken::Kind::kString, .text = {}, .at = token.at};
    } else {
      Skip(1 + length);
    }
    tokens_.push_back(std::move(token));
  }

  void TakeName() {
    const std::size_t length = NameLength(0);
    tokens_.push_back({.kind = SqlToken::Kind::kName,
                       .text = LowerCase(sql_.substr(offset_, length)),
                       .at = at_});
    Skip(length);
  }

  void TakeNumber() {
    std::size_t length = 1;
    while (IsNamePart(At(length)) || At(length) == '.') {
      ++length;
    }
    tokens_.push_back({.kind = SqlToken::Kind::kNumber,
                       .text = std::string(sql_.substr(offset_, length)),
                       .at = at_});
    Skip(length);
  }

  std::string_view sql_;
  std::size_t offset_ = 0;
  engine::SqlPosition at_;
  std::vector<SqlToken> tokens_;
};

}  // namespace

std::vector<SqlToken> SqlTokens(std::string_view sql) { return Splitter(sql).Split(); }

}  // namespace strandline::project::internal
