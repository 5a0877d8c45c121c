#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/project/internal/problem_list.h"
#include "strandline/project/project.h"

namespace strandline::project::internal {

struct YamlEntry;

// A YAML value with the place it was written at: a tree of our own, so that yaml-cpp stays in one
// file, aliases are resolved, and no reader meets its exceptions.
struct YamlValue {
  // kReported: what was meant is not known, which has been said; readers say nothing more of it.
  enum class Kind { kEmpty, kText, kList, kMapping, kReported };

  Kind kind = Kind::kEmpty;
  std::string text;     // kText: as it is meant.
  std::string written;  // kText: as it stands in the file where that differs (an environment
                        // variable was put in, which no message may show); else empty.
  std::vector<YamlValue> items;    // kList.
  std::vector<YamlEntry> entries;  // kMapping, in file order; no key twice.
  FilePosition at;                 // An empty value is where its key is.
};

struct YamlEntry {
  std::string key;
  FilePosition key_at;
  YamlValue value;
};

// What may be shown to people of a text.
const std::string& Shown(const YamlValue& text);

// Reads one YAML document. `first_line` is the line of `file` on which `text` begins. Absent, and
// reported, when the syntax is wrong, when there are directives (`%`) or more than one document, or
// when it is deeper or larger than any project file. Time and memory follow the size of the text,
// whatever is in it. A key given twice is reported and its second value dropped. A text
// without a document is an empty value.
std::optional<YamlValue> ParseYaml(const std::string& file, std::string_view text, int first_line,
                                   ProblemList& problems);

}  // namespace strandline::project::internal
