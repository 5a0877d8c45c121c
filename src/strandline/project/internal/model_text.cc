#include "strandline/project/internal/model_text.h"

#include <algorithm>

namespace strandline::project::internal {
namespace {

constexpr std::string_view kOpen = "/*";
constexpr std::string_view kWord = "strandline";
constexpr std::string_view kClose = "*/";
constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kSpaceInLine = " \t\r";

int LinesIn(std::string_view text) { return static_cast<int>(std::ranges::count(text, '\n')); }

// As many spaces as there are characters after the last line break of `text`.
std::string Indentation(std::string_view text) {
  const std::string_view line = text.substr(text.rfind('\n') + 1);  // npos + 1 is 0.
  const auto continuations = std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; });
  return std::string(line.size() - static_cast<std::size_t>(continuations), ' ');
}

}  // namespace

std::optional<ModelText> SplitModelText(std::string_view text) {
  const std::size_t open = text.find_first_not_of(kSpace);
  if (open == std::string_view::npos || !text.substr(open).starts_with(kOpen)) {
    return std::nullopt;
  }
  const std::size_t word = text.find_first_not_of(kSpaceInLine, open + kOpen.size());
  if (word == std::string_view::npos || !text.substr(word).starts_with(kWord)) {
    return std::nullopt;
  }
  const std::size_t settings = word + kWord.size();
  const std::size_t close = text.find(kClose, settings);
  if (close == std::string_view::npos || kSpace.find(text[settings]) == std::string_view::npos) {
    return std::nullopt;
  }

  ModelText parts;
  parts.settings_line = 1 + LinesIn(text.substr(0, settings));
  parts.settings =
      Indentation(text.substr(0, settings)).append(text.substr(settings, close - settings));

  std::size_t sql = close + kClose.size();
  const std::size_t first = std::min(text.find_first_not_of(kSpace, sql), text.size());
  // Whole lines before the first one that holds something are left out.
  const std::size_t line_break = text.substr(0, first).rfind('\n');
  if (line_break != std::string_view::npos && line_break >= sql) {
    sql = line_break + 1;
  }
  parts.sql_line = 1 + LinesIn(text.substr(0, sql));
  parts.sql = Indentation(text.substr(0, sql)).append(text.substr(sql));
  return parts;
}

}  // namespace strandline::project::internal
