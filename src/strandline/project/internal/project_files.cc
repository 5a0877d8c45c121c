#include "strandline/project/internal/project_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace strandline::project::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileBytesMax = std::size_t{4} << 20;

// Parts of a project that later versions read.
struct LaterPart {
  std::string_view folder;
  std::string_view what;
};
constexpr LaterPart kLaterFolders[] = {
    {"contracts", "data contracts"},
    {"slos", "service level objectives"},
    {"tests", "unit tests of models"},
};
constexpr std::array<std::string_view, 2> kYamlEndings = {".yml", ".yaml"};
constexpr std::array<std::string_view, 1> kSqlEndings = {".sql"};
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kMaintenanceFile = "maintenance.yml";

FilePosition StartOf(const std::string& name) { return {.file = name, .line = 1, .column = 1}; }

// The length of the UTF-8 sequence at the front of `text`; 0 when there is none.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  std::size_t length = 0;
  if (first < 0x80) {
    return first == 0 ? 0 : 1;  // A zero byte is in no text file.
  }
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
  }
  if (length == 0 || text.size() < length) {
    return 0;
  }
  // Too long a spelling, a half of a surrogate pair, or beyond the last character.
  const unsigned char second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return 0;
    }
  }
  return length;
}

// The place of the first byte that is no UTF-8 text.
std::optional<FilePosition> FirstBadByte(const std::string& name, std::string_view text) {
  FilePosition at = StartOf(name);
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    if (length == 0) {
      return at;
    }
    const bool is_line_end = text.front() == '\n';
    at.line += is_line_end ? 1 : 0;
    at.column = is_line_end ? 1 : at.column + 1;
    text.remove_prefix(length);
  }
  return std::nullopt;
}

std::optional<ProjectFile> ReadOne(const fs::path& directory, std::string name,
                                   ProblemList& problems) {
  std::ifstream stream(directory / name, std::ios::binary);
  ProjectFile file;
  file.name = std::move(name);
  if (stream) {
    file.text.resize(kFileBytesMax + 1);
    stream.read(file.text.data(), static_cast<std::streamsize>(file.text.size()));
    file.text.resize(static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad() || !stream.eof()) {
    problems.Error(StartOf(file.name), "{}",
                   file.text.size() > kFileBytesMax
                       ? "this file is larger than 4 MiB, which no project file is"
                       : "this file cannot be read: check its permissions");
    return std::nullopt;
  }
  if (const std::optional<FilePosition> bad = FirstBadByte(file.name, file.text)) {
    problems.Error(*bad, "not UTF-8 text from here on: save the file as UTF-8");
    return std::nullopt;
  }
  if (file.text.starts_with(kByteOrderMark)) {
    file.text.erase(0, kByteOrderMark.size());
  }
  return file;
}

// Names directly in a folder of the project, sorted; hidden ones left out. None when the folder is
// not there.
std::vector<std::string> NamesIn(const fs::path& directory, std::string_view folder,
                                 ProblemList& problems) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(directory / folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!name.starts_with('.')) {
      names.push_back(std::move(name));
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    problems.Error(StartOf(std::string(folder)), "this folder cannot be read: {}", error.message());
  }
  std::ranges::sort(names);
  return names;
}

bool EndsWithOneOf(std::string_view name, std::span<const std::string_view> endings) {
  return std::ranges::any_of(endings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

std::vector<ProjectFile> ReadFolder(const fs::path& directory, std::string_view folder,
                                    std::span<const std::string_view> endings, bool& is_complete,
                                    ProblemList& problems) {
  std::vector<ProjectFile> files;
  for (const std::string& name : NamesIn(directory, folder, problems)) {
    std::string path = fmt::format("{}/{}", folder, name);
    if (EndsWithOneOf(name, endings)) {
      if (std::optional<ProjectFile> file = ReadOne(directory, std::move(path), problems)) {
        files.push_back(*std::move(file));
      } else {
        is_complete = false;
      }
    } else if (!name.ends_with(".md")) {
      problems.Warning(StartOf(path), "not read: {}/ holds files whose names end in {}", folder,
                       endings.front());
    }
  }
  return files;
}

void ReportLaterParts(const fs::path& directory, ProblemList& problems) {
  for (const LaterPart& part : kLaterFolders) {
    for (const std::string& name : NamesIn(directory, part.folder, problems)) {
      if (EndsWithOneOf(name, kYamlEndings)) {
        problems.Error(StartOf(fmt::format("{}/{}", part.folder, name)),
                       "{} are not supported yet: nothing would check this file, take it out",
                       part.what);
      }
    }
  }
  std::error_code error;
  if (fs::exists(directory / kMaintenanceFile, error)) {
    problems.Error(StartOf(std::string(kMaintenanceFile)),
                   "maintenance policies are not supported yet: nothing would follow this file, "
                   "take it out");
  }
}

}  // namespace

Result<ProjectFiles> ReadProjectFiles(const std::string& directory, ProblemList& problems) {
  const fs::path root(directory);
  std::error_code error;
  if (!fs::exists(root / kConfigFile, error)) {
    return MakeError(ErrorKind::kNotFound,
                     "no project here: {} has no {}; `strandline init DIR` makes a project",
                     directory, kConfigFile);
  }
  ProjectFiles files;
  files.config = ReadOne(root, std::string(kConfigFile), problems);
  files.sources = ReadFolder(root, "sources", kYamlEndings, files.is_complete, problems);
  files.models = ReadFolder(root, "models", kSqlEndings, files.is_complete, problems);
  ReportLaterParts(root, problems);
  return files;
}

}  // namespace strandline::project::internal
