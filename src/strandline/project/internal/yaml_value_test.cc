#include "strandline/project/internal/yaml_value.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/base/rng.h"

namespace strandline::project::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

struct Parsed {
  std::optional<YamlValue> value;
  std::vector<std::string> problems;
};

Parsed Parse(std::string_view text, int first_line = 1) {
  ProblemList problems;
  Parsed parsed;
  parsed.value = ParseYaml("f.yml", text, first_line, problems);
  for (const Problem& problem : std::move(problems).InFileOrder()) {
    parsed.problems.push_back(ToString(problem));
  }
  return parsed;
}

// `3:5 text`, `2:1 {key@2:1=...}`, to compare whole trees with their places.
std::string Describe(const YamlValue& value) {
  std::string text = fmt::format("{}:{} ", value.at.line, value.at.column);
  switch (value.kind) {
    case YamlValue::Kind::kEmpty:
    case YamlValue::Kind::kReported:
      return text + "-";
    case YamlValue::Kind::kText:
      return text + value.text;
    case YamlValue::Kind::kList:
      text += "[";
      for (const YamlValue& item : value.items) {
        text += "(" + Describe(item) + ")";
      }
      return text + "]";
    case YamlValue::Kind::kMapping:
      text += "{";
      for (const YamlEntry& entry : value.entries) {
        text += fmt::format("({}@{}:{}={})", entry.key, entry.key_at.line, entry.key_at.column,
                            Describe(entry.value));
      }
      return text + "}";
  }
  return text;
}

TEST(ParseYaml, GivesEverythingItsPlace) {
  struct Case {
    std::string name;
    std::string text;
    std::string tree;
  };
  const Case cases[] = {
      {"a text", "a: b\n", "1:1 {(a@1:1=1:4 b)}"},
      {"quotes are part of the place, not of the value", "a: \"b\"\n", "1:1 {(a@1:1=1:4 b)}"},
      {"comments and blank lines", "# note\n\na: b # more\n", "3:1 {(a@3:1=3:4 b)}"},
      {"one inside the other", "a:\n  b: [c, d]\n",
       "1:1 {(a@1:1=2:3 {(b@2:3=2:6 [(2:7 c)(2:10 d)])})}"},
      {"an empty value is where its key is", "a:\n\n\nb: c\n", "1:1 {(a@1:1=1:1 -)(b@4:1=4:4 c)}"},
      {"an empty value inside braces", "a: {b: , c: }\n",
       "1:1 {(a@1:1=1:4 {(b@1:5=1:5 -)(c@1:10=1:10 -)})}"},
      {"characters are counted, not bytes", "a: {b: \"é\", c: d}\n",
       "1:1 {(a@1:1=1:4 {(b@1:5=1:8 é)(c@1:13=1:16 d)})}"},
      {"an alias is what it stands for, and where", "a: &x [b]\nc: *x\n",
       "1:1 {(a@1:1=1:4 [(1:8 b)])(c@2:1=1:4 [(1:8 b)])}"},
      {"Windows line ends", "a: b\r\nc: d\r\n", "1:1 {(a@1:1=1:4 b)(c@2:1=2:4 d)}"},
      {"nothing", "", "1:1 -"},
      {"only a comment", "# note\n", "1:1 -"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    const Parsed parsed = Parse(c.text);

    ASSERT_TRUE(parsed.value.has_value());
    EXPECT_EQ(Describe(*parsed.value), c.tree);
    EXPECT_THAT(parsed.problems, IsEmpty());
  }
}

TEST(ParseYaml, CountsLinesFromTheOneItBeginsOn) {
  const Parsed parsed = Parse("\na: b\n", 7);

  ASSERT_TRUE(parsed.value.has_value());
  EXPECT_EQ(Describe(*parsed.value), "8:1 {(a@8:1=8:4 b)}");
}

TEST(ParseYaml, SaysWhereTheSyntaxIsWrong) {
  struct Case {
    std::string name;
    std::string text;
    std::string problem;
  };
  const Case cases[] = {
      {"a list that does not end", "a: [b\nc: d\n", "f.yml:2:2: not valid YAML: "},
      {"a colon inside a value", "a: b: c\n", "f.yml:1:5: not valid YAML: "},
      {"a tab as indentation", "a:\n\tb: c\n", "f.yml:2:3: not valid YAML: "},
      {"a bracket too many", "a: {b: c}}\n", "f.yml:1:10: not valid YAML: "},
      {"an alias of nothing", "a: *x\n", "f.yml:1:4: not valid YAML: "},
      {"a second document", "a: b\n---\nc: d\n", "f.yml:2:1: a second YAML document begins here"},
      {"a first line further in than the others", "  a: b\nc: d\n",
       "f.yml:2:1: a second YAML document begins here"},
      {"a stray comma, behind which yaml-cpp never ends", ", a\n",
       "f.yml:1:1: a second YAML document begins here"},
      {"a directive", "# shop\n\n%YAML 1.2\n---\na: b\n",
       "f.yml:3:1: YAML directives are not read: leave out the line that begins with %"},
      {"an alias inside its own value", "a: &x [*x]\n",
       "f.yml:1:8: this alias stands inside the value that it names"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    const Parsed parsed = Parse(c.text);

    EXPECT_FALSE(parsed.value.has_value());
    EXPECT_THAT(parsed.problems, ElementsAre(StartsWith(c.problem)));
  }
}

TEST(ParseYaml, ReportsAKeyGivenTwiceAndKeepsTheFirst) {
  const Parsed parsed = Parse("a: b\nc: {d: e, d: f}\na: g\n");

  ASSERT_TRUE(parsed.value.has_value());
  EXPECT_EQ(Describe(*parsed.value), "1:1 {(a@1:1=1:4 b)(c@2:1=2:4 {(d@2:5=2:8 e)})}");
  EXPECT_THAT(parsed.problems,
              ElementsAre("f.yml:2:11: `d` is given twice, first on line 2: keep one of them",
                          "f.yml:3:1: `a` is given twice, first on line 1: keep one of them"));
}

TEST(ParseYaml, ReportsKeysThatAreNoNames) {
  const Parsed parsed = Parse("[a]: b\n");

  EXPECT_THAT(parsed.problems, ElementsAre("f.yml:1:1: a key is a name: found a list or mapping"));
}

TEST(ParseYaml, RefusesAliasesThatMultiply) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i,
                        i - 1);
  }

  const Parsed parsed = Parse(bomb);

  EXPECT_FALSE(parsed.value.has_value());
  EXPECT_THAT(parsed.problems, SizeIs(1));
}

TEST(ParseYaml, RefusesNestingDeeperThanAnyProject) {
  const Parsed parsed = Parse("a: " + std::string(100, '[') + std::string(100, ']') + "\n");

  EXPECT_FALSE(parsed.value.has_value());
  EXPECT_THAT(parsed.problems, SizeIs(1));
}

TEST(ParseYaml, RefusesATextLargerThanAnyProjectFile) {
  const Parsed parsed = Parse("a: " + std::string(2 << 20, 'x'));

  EXPECT_FALSE(parsed.value.has_value());
  EXPECT_THAT(parsed.problems, ElementsAre(StartsWith("f.yml:1:1: this file is deeper or larger")));
}

// Whether a child process that parses `text` ends by itself, and soon. Only signals end a parser
// that loops.
bool EndsSoon(const std::string& text) {
  constexpr unsigned kSecondsMax = 10;
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsMax);
    const Parsed parsed = Parse(text);
    _exit(parsed.value.has_value() || !parsed.problems.empty() ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(ParseYaml, TakesNoLongerForLargeTextsThanTheyAreLarge) {
  struct Case {
    std::string name;
    std::string front;
    std::string piece;
  };
  std::string many_values = "a: &a [";
  for (int i = 0; i < 40'000; ++i) {
    many_values += "x,";
  }
  const Case cases[] = {
      {"aliases of a large value, long after there are too many", many_values + "x]\nb: [", "*a,"},
      {"values on one line", "[", "é,"},
      {"brackets", "", "["},
      {"keys without values", "", "? "},
      {"quotes", "", "'"},
      {"anchors", "", "&a "},
      {"commas, behind each of which yaml-cpp sees a document", "", ","},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    std::string text = c.front;
    while (text.size() + c.piece.size() <= (1U << 20)) {
      text += c.piece;
    }

    EXPECT_TRUE(EndsSoon(text));
  }
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The YAML files of the example, in an order that does not depend on the machine.
std::vector<std::string> ProjectFiles() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SL_SOURCE_DIR "/examples")) {
    if (entry.path().extension() == ".yml") {
      paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  texts.reserve(paths.size());
  for (const std::filesystem::path& path : paths) {
    texts.push_back(ReadFile(path));
  }
  return texts;
}

// One small change: a piece of syntax put in, a few bytes taken out, another byte, a repetition, an
// early end.
void Mutate(std::string& text, Rng& rng) {
  constexpr std::string_view kPieces[] = {
      "%",   "\n%TAG ! x\n", "---", "\n---\n", "\n...\n", "\n",          ": ",
      "- ",  "? ",           "[",   "]",       "{",       "}",           ",",
      "&a ", "*a",           "!",   "!<",      "|",       ">",           "|2\n",
      "'",   "\"",           "#",   "\t",      "\r",      "@",           "`",
      "\\",  "<<: ",         "~",   "\xff",    "\x04",    "\xef\xbb\xbf"};
  const std::size_t at = rng.Next() % (text.size() + 1);
  switch (rng.Next() % 5) {
    case 0:
      text.insert(at, kPieces[rng.Next() % std::size(kPieces)]);
      return;
    case 1:
      text.erase(at, 1 + rng.Next() % 8);
      return;
    case 2:
      text.replace(at, at < text.size() ? 1 : 0, 1, static_cast<char>(rng.Next() % 256));
      return;
    case 3:
      text.insert(at, std::string(text, text.size() - at, rng.Next() % 30));
      return;
    default:
      text.resize(at);
      return;
  }
}

// A crash, a hang or a silent refusal would be the fault, in files as people break them. The last
// text begun is in shared memory, so that the one that hung can be named.
TEST(ParseYaml, SurvivesChangesToProjectFiles) {
  constexpr int kRounds = 3000;
  constexpr unsigned kSecondsMax = 60;
  const std::vector<std::string> files = ProjectFiles();
  ASSERT_FALSE(files.empty());
  void* const shared =
      mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* const round = static_cast<volatile int*>(shared);
  const auto text_of = [&files](int number) {
    SeededRng rng(20261130 + static_cast<std::uint64_t>(number));
    std::string text = files[rng.Next() % files.size()];
    for (std::uint64_t changes = 1 + rng.Next() % 4; changes > 0; --changes) {
      Mutate(text, rng);
    }
    return text;
  };

  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsMax);
    for (int i = 0; i < kRounds; ++i) {
      *round = i;
      const Parsed parsed = Parse(text_of(i));
      if (!parsed.value && parsed.problems.empty()) {
        _exit(1);
      }
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);

  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << "status " << status << " in round " << *round << ":\n"
      << text_of(*round);
  munmap(shared, sizeof(int));
}

// A crash, a hang or a silent refusal would be the fault; anything else is a fine answer.
TEST(ParseYaml, SurvivesAnyBytes) {
  constexpr std::string_view kPieces[] = {"a", ": ", "\n",    "  ", "- ", "[",   "]", "{",
                                          "}", ",",  "&x ",   "*x", "|",  "\"",  "'", "#",
                                          "?", "!t", "---\n", "\t", "é",  "\xff"};
  SeededRng rng(20261130);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::uint64_t pieces = rng.Next() % 24; pieces > 0; --pieces) {
      text += kPieces[rng.Next() % std::size(kPieces)];
    }
    SCOPED_TRACE(text);

    const Parsed parsed = Parse(text);

    EXPECT_TRUE(parsed.value.has_value() || !parsed.problems.empty());
  }
}

}  // namespace
}  // namespace strandline::project::internal
