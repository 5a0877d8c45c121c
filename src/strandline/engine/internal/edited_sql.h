#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strandline::engine {

// `text` in place of `length` bytes at `offset`.
struct SqlEdit {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string text;
};

// A statement with some of its bytes replaced, which knows where each byte came from.
class EditedSql {
 public:
  // `edits` in any order; where two overlap, the first in the text counts.
  EditedSql(std::string_view sql, std::vector<SqlEdit> edits);

  const std::string& text() const { return text_; }

  // Where a byte of text() stands in the statement; inside of a replacement, where that starts.
  std::size_t OriginalOffset(std::size_t offset) const;

 private:
  std::vector<SqlEdit> edits_;  // Sorted, none overlapping.
  std::string text_;
};

}  // namespace strandline::engine
