#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strandline::cli {

// Numbers as people read them: `566 MB`, `12.5 M`, `1,234`.
std::string BytesText(std::int64_t bytes);
std::string CountText(std::int64_t count);
// `1 file`, `3 files`.
std::string Counted(std::int64_t count, std::string_view noun);

// Width on a terminal: UTF-8 code points.
std::size_t DisplayWidth(std::string_view text);

// Rows with their columns padded to one width each, two spaces between; the last column is not
// padded.
class TextTable {
 public:
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  std::string ToText() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace strandline::cli
