#include "strandline/project/internal/yaml_value.h"

#include <algorithm>
#include <exception>
#include <map>
#include <sstream>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "strandline/base/check.h"

namespace strandline::project::internal {
namespace {

// Far above any honest file; they stop aliases of aliases from growing without bound and keep the
// tree shallow enough to be walked and freed by recursion.
constexpr std::size_t kValuesMax = 100'000;
constexpr std::size_t kDepthMax = 32;
constexpr std::size_t kBytesMax = std::size_t{1} << 20;
constexpr std::string_view kTooLarge = "this file is deeper or larger than a project file can be";

struct TreeSize {
  std::size_t values = 1;
  std::size_t depth = 1;
};

void Include(TreeSize& size, const TreeSize& child) {
  size.values += child.values;
  size.depth = std::max(size.depth, child.depth + 1);
}

TreeSize Measure(const YamlValue& value) {
  TreeSize size;
  for (const YamlValue& item : value.items) {
    Include(size, Measure(item));
  }
  for (const YamlEntry& entry : value.entries) {
    Include(size, Measure(entry.value));
  }
  return size;
}

// Builds the tree from yaml-cpp's events, which carry the place of everything.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string file, std::string_view text, int first_line, ProblemList& problems)
      : file_(std::move(file)), first_line_(first_line), problems_(problems) {
    SplitLines(text);
  }

  // The document, unless it broke a bound (which has been reported).
  std::optional<YamlValue> Finish() && {
    if (is_refused_) {
      return std::nullopt;
    }
    return std::move(root_);
  }

  bool has_document() const { return document_count_ > 0; }
  bool is_refused() const { return is_refused_; }

  FilePosition Position(const YAML::Mark& mark) {
    const int line = std::max(mark.line, 0);
    const int bytes = std::max(mark.column, 0);
    return {.file = file_, .line = first_line_ + line, .column = 1 + CharactersBefore(line, bytes)};
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    ++document_count_;
    if (document_count_ == 2) {
      Refuse(Position(mark),
             "a second YAML document begins here: one file holds one, check the "
             "indentation of this line against the first");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Place(ValueAt(mark, YamlValue::Kind::kEmpty), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlValue scalar = ValueAt(mark, YamlValue::Kind::kText);
    scalar.text = value;
    Place(std::move(scalar), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (is_refused_) {
      return;  // The rest of the text may hold a great many of them, each a copy.
    }
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) {
      Refuse(Position(mark), "this alias stands inside the value that it names");
      return;
    }
    Place(found->second, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(YamlValue::Kind::kList, mark, anchor);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(YamlValue::Kind::kMapping, mark, anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  // A list or mapping that is not closed yet.
  struct Frame {
    YamlValue value;
    YAML::anchor_t anchor = 0;
    std::optional<YamlValue> key;  // Of a mapping: the key whose value comes next.
  };

  // Bytes of one line that have been looked at, and how many of them continue a character.
  struct Counted {
    int line = -1;
    int bytes = 0;
    int continuations = 0;
  };

  YamlValue ValueAt(const YAML::Mark& mark, YamlValue::Kind kind) {
    YamlValue value;
    value.kind = kind;
    value.at = Position(mark);
    return value;
  }

  void SplitLines(std::string_view text) {
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      lines_.emplace_back(text.substr(start, end - start));
      start = end + 1;
    }
  }

  // yaml-cpp counts bytes, people count characters. Marks come in order nearly always: counting
  // goes on from the last one, so that a long line is not counted again for each value on it.
  int CharactersBefore(int line, int bytes) {
    if (static_cast<std::size_t>(line) >= lines_.size()) {
      return bytes;
    }
    if (line != counted_.line || bytes < counted_.bytes) {
      counted_ = {.line = line};
    }
    const std::string_view text = lines_[static_cast<std::size_t>(line)];
    const std::size_t from = std::min(static_cast<std::size_t>(counted_.bytes), text.size());
    const auto continuations = std::ranges::count_if(
        text.substr(from, static_cast<std::size_t>(bytes - counted_.bytes)),
        [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; });
    counted_.continuations += static_cast<int>(continuations);
    counted_.bytes = bytes;
    return bytes - counted_.continuations;
  }

  void Refuse(const FilePosition& at, std::string_view why) {
    if (!is_refused_) {
      problems_.Error(at, "{}", why);
    }
    is_refused_ = true;
  }

  void Open(YamlValue::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    open_.push_back({.value = ValueAt(mark, kind), .anchor = anchor, .key = std::nullopt});
  }

  void Close() {
    SL_CHECK(!open_.empty());
    Frame frame = std::move(open_.back());
    open_.pop_back();
    Place(std::move(frame.value), frame.anchor);
  }

  // Puts a finished value where it belongs.
  void Place(YamlValue value, YAML::anchor_t anchor) {
    const TreeSize size = Measure(value);
    // Each level counts its values again; the depth is bounded, so this stays a bound.
    values_placed_ += size.values;
    if (values_placed_ > kValuesMax || size.depth + open_.size() > kDepthMax) {
      Refuse(value.at, kTooLarge);
    }
    if (is_refused_) {
      return;
    }
    if (anchor != 0) {
      anchored_.insert_or_assign(anchor, value);
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& parent = open_.back();
    if (parent.value.kind == YamlValue::Kind::kList) {
      parent.value.items.push_back(std::move(value));
    } else if (!parent.key) {
      parent.key = std::move(value);
    } else {
      YamlValue key = *std::exchange(parent.key, std::nullopt);
      PlaceEntry(parent.value, std::move(key), std::move(value));
    }
  }

  void PlaceEntry(YamlValue& mapping, YamlValue key, YamlValue value) {
    if (key.kind != YamlValue::Kind::kText) {
      problems_.Error(key.at, "a key is a name: found {}",
                      key.kind == YamlValue::Kind::kEmpty ? "nothing" : "a list or mapping");
      return;
    }
    const auto first = std::ranges::find(mapping.entries, key.text, &YamlEntry::key);
    if (first != mapping.entries.end()) {
      problems_.Error(key.at, "`{}` is given twice, first on line {}: keep one of them", key.text,
                      first->key_at.line);
      return;
    }
    if (value.kind == YamlValue::Kind::kEmpty) {
      value.at = key.at;  // yaml-cpp marks the next token, which may be lines further down.
    }
    mapping.entries.push_back(
        {.key = std::move(key.text), .key_at = std::move(key.at), .value = std::move(value)});
  }

  std::string file_;
  int first_line_;
  ProblemList& problems_;
  std::vector<std::string> lines_;
  std::vector<Frame> open_;
  std::map<YAML::anchor_t, YamlValue> anchored_;
  YamlValue root_;
  std::size_t values_placed_ = 0;
  Counted counted_;
  int document_count_ = 0;
  bool is_refused_ = false;
};

// The line of `text` with a directive, which can only stand before the document; absent without
// one.
std::optional<int> DirectiveLine(std::string_view text) {
  int line = 0;
  for (std::size_t start = 0; start < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view content = text.substr(start, end - start);
    if (content.starts_with('%')) {
      return line;
    }
    if (!content.starts_with('#') && content.find_first_not_of(" \t\r") != std::string_view::npos) {
      return std::nullopt;
    }
    start = end + 1;
  }
  return std::nullopt;
}

}  // namespace

const std::string& Shown(const YamlValue& text) {
  return text.written.empty() ? text.text : text.written;
}

std::optional<YamlValue> ParseYaml(const std::string& file, std::string_view text, int first_line,
                                   ProblemList& problems) {
  if (text.size() > kBytesMax) {
    problems.Error({.file = file, .line = first_line, .column = 1}, "{}", kTooLarge);
    return std::nullopt;
  }
  if (const std::optional<int> line = DirectiveLine(text)) {
    problems.Error({.file = file, .line = first_line + *line, .column = 1},
                   "YAML directives are not read: leave out the line that begins with %");
    return std::nullopt;
  }
  TreeBuilder builder(file, text, first_line, problems);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    // A refused text is not read on: of some broken ones the parser finds documents without end.
    while (!builder.is_refused() && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& exception) {
    problems.Error(builder.Position(exception.mark), "not valid YAML: {}", exception.msg);
    return std::nullopt;
  } catch (const std::exception& exception) {
    problems.Error({.file = file, .line = first_line, .column = 1}, "not valid YAML: {}",
                   exception.what());
    return std::nullopt;
  }
  if (!builder.has_document()) {
    YamlValue nothing;
    nothing.at = {.file = file, .line = first_line, .column = 1};
    return nothing;
  }
  return std::move(builder).Finish();
}

}  // namespace strandline::project::internal
