#include "strandline/base/glob.h"

#include <cstddef>

namespace strandline {

bool GlobMatches(std::string_view glob, std::string_view name) {
  // Of all stars only the last one met may take more: what it leaves is tried again from there.
  std::size_t g = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken_up_to = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      taken_up_to = n;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++g;
      ++n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++taken_up_to;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') {
    ++g;
  }
  return g == glob.size();
}

}  // namespace strandline
