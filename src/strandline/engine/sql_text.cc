#include "strandline/engine/sql_text.h"

namespace strandline::engine {
namespace {

std::string Quoted(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (const char c : text) {
    quoted += c;
    if (c == quote) {
      quoted += c;
    }
  }
  return quoted + quote;
}

}  // namespace

std::string QuotedName(std::string_view name) { return Quoted(name, '"'); }
std::string QuotedText(std::string_view text) { return Quoted(text, '\''); }

}  // namespace strandline::engine
