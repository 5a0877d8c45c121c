#include "strandline/project/project.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace strandline::project {

std::string ToString(const Problem& problem) {
  return fmt::format("{}:{}:{}: {}{}", problem.at.file, problem.at.line, problem.at.column,
                     problem.severity == ProblemSeverity::kWarning ? "warning: " : "",
                     problem.message);
}

std::string_view ToString(Severity severity) {
  switch (severity) {
    case Severity::kBlock:
      return "block";
    case Severity::kWarn:
      return "warn";
    case Severity::kInfo:
      return "info";
  }
  return "unknown";
}

std::string_view ToString(CheckKind kind) {
  switch (kind) {
    case CheckKind::kNotNull:
      return "not_null";
    case CheckKind::kUnique:
      return "unique";
    case CheckKind::kAcceptedValues:
      return "accepted_values";
    case CheckKind::kRowCount:
      return "row_count";
    case CheckKind::kExpression:
      return "expression";
    case CheckKind::kReconcile:
      return "reconcile";
  }
  return "unknown";
}

std::chrono::microseconds LengthOf(Unit unit) {
  return unit == Unit::kHour ? std::chrono::hours(1) : std::chrono::hours(24);
}

std::string_view ToString(Unit unit) { return unit == Unit::kHour ? "hour" : "day"; }

Timestamp WindowStart(Unit unit, Timestamp time) {
  if (unit == Unit::kHour) {
    return std::chrono::floor<std::chrono::hours>(time);
  }
  return std::chrono::floor<std::chrono::days>(time);
}

const Source* FindSource(const Project& project, const catalog::TableName& table) {
  const auto found = std::ranges::find(project.sources, table, &Source::table);
  return found == project.sources.end() ? nullptr : &*found;
}

const Model* FindModel(const Project& project, const catalog::TableName& table) {
  const auto found = std::ranges::find(project.models, table, &Model::table);
  return found == project.models.end() ? nullptr : &*found;
}

bool HasErrors(const LoadedProject& loaded) {
  return std::ranges::any_of(loaded.problems, [](const Problem& problem) {
    return problem.severity == ProblemSeverity::kError;
  });
}

Result<std::int64_t> ParseByteSize(std::string_view text) {
  struct Suffix {
    std::string_view name;
    std::int64_t bytes;
  };
  static constexpr Suffix kSuffixes[] = {
      {"", 1},
      {"B", 1},
      {"kB", 1'000},
      {"KB", 1'000},
      {"MB", 1'000'000},
      {"GB", 1'000'000'000},
      {"TB", 1'000'000'000'000},
      {"KiB", std::int64_t{1} << 10},
      {"MiB", std::int64_t{1} << 20},
      {"GiB", std::int64_t{1} << 30},
      {"TiB", std::int64_t{1} << 40},
  };
  // Products stay far inside 64 bits.
  constexpr std::int64_t kCountMax = 1'000'000;
  constexpr std::int64_t kBytesMax = std::int64_t{1} << 50;

  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const Suffix& suffix : kSuffixes) {
    const std::int64_t limit = suffix.bytes == 1 ? kBytesMax : kCountMax;
    if (error == std::errc() && rest == suffix.name && count > 0 && count <= limit) {
      return count * suffix.bytes;
    }
  }
  return MakeError(
      ErrorKind::kInvalidArgument,
      "not a size: expected a whole number and a unit (kB, MB, GB, KiB, MiB, GiB) such "
      "as 512MiB or 2GiB, found '{}'",
      text);
}

}  // namespace strandline::project
