#include "strandline/engine/internal/edited_sql.h"

#include <algorithm>
#include <utility>

namespace strandline::engine {

EditedSql::EditedSql(std::string_view sql, std::vector<SqlEdit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const SqlEdit& a, const SqlEdit& b) { return a.offset < b.offset; });
  std::size_t at = 0;
  for (SqlEdit& edit : edits) {
    if (edit.offset < at) {
      continue;
    }
    text_ += sql.substr(at, edit.offset - at);
    text_ += edit.text;
    at = edit.offset + edit.length;
    edits_.push_back(std::move(edit));
  }
  text_ += sql.substr(std::min(at, sql.size()));
}

std::size_t EditedSql::OriginalOffset(std::size_t offset) const {
  std::size_t edited = 0;
  std::size_t original = 0;
  for (const SqlEdit& edit : edits_) {
    const std::size_t start = edited + (edit.offset - original);
    if (offset < start) {
      break;
    }
    if (offset < start + edit.text.size()) {
      return edit.offset;
    }
    edited = start + edit.text.size();
    original = edit.offset + edit.length;
  }
  return original + (offset - edited);
}

}  // namespace strandline::engine
