#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/engine/sql_analysis.h"

namespace strandline::engine {

enum class TokenKind {
  kName,        // Unquoted name or keyword.
  kQuotedName,  // "name"
  kString,      // 'text', e'text', x'00', $tag$text$tag$
  kNumber,
  kParameter,  // $name, $1, ?
  kOperator,   // Everything else.
};

// `text` points into the statement.
struct Token {
  TokenKind kind = TokenKind::kOperator;
  std::string_view text;
  std::size_t offset = 0;  // In bytes.
};

// The tokens of a statement as the engine's own lexer cuts them (PostgreSQL's rules), comments left
// out. Never fails: what is no token of SQL becomes an operator of one byte, an unterminated
// literal reaches to the end. The result must not outlive `sql`.
std::vector<Token> Tokenize(std::string_view sql);

// The name a kName or kQuotedName token stands for: without quotes, doubled quotes undone.
std::string NameOf(const Token& token);

// `name` as a quoted name, `text` as a string literal.
std::string QuoteName(std::string_view name);
std::string QuoteText(std::string_view text);

// ASCII only, as the engine compares names.
std::string LowerCase(std::string_view text);
bool EqualNames(std::string_view a, std::string_view b);

// Where a byte of the text is; columns count characters (UTF-8 code points). Past the end: the end.
SqlPosition PositionOf(std::string_view sql, std::size_t offset);

}  // namespace strandline::engine
