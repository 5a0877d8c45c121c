#include "strandline/project/internal/unit_template.h"

#include <array>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "strandline/base/check.h"

namespace strandline::project {
namespace internal {
namespace {

constexpr std::string_view kOpen = "{unit:";

// Numbers of one unit, as the format's codes name them.
struct UnitFields {
  int year = 1970;
  int month = 1;
  int day = 1;
  int hour = 0;
};

struct Code {
  char letter;
  std::size_t digits;
  int UnitFields::* field;
};
constexpr std::array<Code, 4> kCodes = {{{'Y', 4, &UnitFields::year},
                                         {'m', 2, &UnitFields::month},
                                         {'d', 2, &UnitFields::day},
                                         {'H', 2, &UnitFields::hour}}};

const Code* FindCode(char letter) {
  for (const Code& code : kCodes) {
    if (code.letter == letter) {
      return &code;
    }
  }
  return nullptr;
}

// Reads `text` by `format`; absent when it does not have that shape or names no hour of the
// calendar.
std::optional<Timestamp> ReadUnit(std::string_view format, std::string_view text) {
  UnitFields fields;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const bool is_code = format[i] == '%' && i + 1 < format.size();
    if (!is_code) {
      if (text.empty() || text.front() != format[i]) {
        return std::nullopt;
      }
      text.remove_prefix(1);
      continue;
    }
    const Code* code = FindCode(format[++i]);
    if (code == nullptr || text.size() < code->digits) {
      return std::nullopt;
    }
    int number = 0;
    for (const char digit : text.substr(0, code->digits)) {
      if (digit < '0' || digit > '9') {
        return std::nullopt;
      }
      number = number * 10 + (digit - '0');
    }
    fields.*(code->field) = number;
    text.remove_prefix(code->digits);
  }
  const std::chrono::year_month_day date{std::chrono::year(fields.year),
                                         std::chrono::month(static_cast<unsigned>(fields.month)),
                                         std::chrono::day(static_cast<unsigned>(fields.day))};
  if (!text.empty() || !date.ok() || fields.hour > 23) {
    return std::nullopt;
  }
  return Timestamp(std::chrono::sys_days(date)) + std::chrono::hours(fields.hour);
}

}  // namespace

Result<UnitTemplate> ParseUnitTemplate(std::string_view path) {
  const std::size_t open = path.find(kOpen);
  const std::size_t close = path.find('}', open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || close == std::string_view::npos) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "the path needs one {{unit:...}} in the name of the folder of a unit, such as "
                     "landing/x/{{unit:%Y-%m-%d-%H}}/*.parquet: found `{}`",
                     path);
  }
  UnitTemplate parts;
  parts.format = path.substr(open + kOpen.size(), close - open - kOpen.size());
  const std::string_view front = path.substr(0, open);
  const std::string_view back = path.substr(close + 1);
  if (front.find_first_of("{}") != std::string_view::npos ||
      back.find_first_of("{}") != std::string_view::npos) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "the path has more than one pair of braces: one {{unit:...}} and nothing else "
                     "goes into braces: found `{}`",
                     path);
  }
  if (parts.format.find('/') != std::string::npos) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "a unit is one folder: write its time without slashes, found `{}`",
                     parts.format);
  }
  if (front.find_first_of("*?[") != std::string_view::npos) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "only the files' names can be a pattern, folders are named: found `{}`", path);
  }
  const std::size_t folder = front.rfind('/') + 1;  // No slash: npos + 1, the whole front.
  parts.parent = front.substr(0, folder);
  parts.before = front.substr(folder);
  const std::size_t slash = back.find('/');
  if (slash == std::string_view::npos || slash + 1 == back.size() ||
      back.find('/', slash + 1) != std::string_view::npos) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "after the unit's folder comes one pattern for its files, such as /*.parquet: "
                     "found `{}`",
                     back);
  }
  parts.after = back.substr(0, slash);
  parts.files = back.substr(slash + 1);
  if (parts.after.find_first_of("*?[") != std::string::npos) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "only the files' names can be a pattern, folders are named: found `{}`", path);
  }
  return parts;
}

Status CheckUnitFormat(std::string_view format, Unit unit) {
  const std::string_view wanted = unit == Unit::kHour ? "YmdH" : "Ymd";
  std::string seen;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      continue;
    }
    const char letter = i + 1 < format.size() ? format[++i] : '%';
    if (wanted.find(letter) == std::string_view::npos || seen.find(letter) != std::string::npos) {
      seen.clear();
      break;
    }
    seen.push_back(letter);
  }
  if (seen.size() != wanted.size()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "the folder of one {} is named by {}, each once and no other code: found `{}`",
                     ToString(unit), unit == Unit::kHour ? "%Y, %m, %d and %H" : "%Y, %m and %d",
                     format);
  }
  return {};
}

std::string FormatUnit(std::string_view format, Timestamp unit) {
  const auto day = std::chrono::floor<std::chrono::days>(unit);
  const std::chrono::year_month_day date(day);
  const UnitFields fields{
      .year = static_cast<int>(date.year()),
      .month = static_cast<int>(static_cast<unsigned>(date.month())),
      .day = static_cast<int>(static_cast<unsigned>(date.day())),
      .hour = static_cast<int>(std::chrono::floor<std::chrono::hours>(unit - day).count())};
  std::string text;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const Code* code =
        format[i] == '%' && i + 1 < format.size() ? FindCode(format[i + 1]) : nullptr;
    if (code == nullptr) {
      text.push_back(format[i]);
      continue;
    }
    text += fmt::format("{:0{}}", fields.*(code->field), code->digits);
    ++i;
  }
  return text;
}

}  // namespace internal

std::string UnitPath(std::string_view path_template, Timestamp unit) {
  const Result<internal::UnitTemplate> parts = internal::ParseUnitTemplate(path_template);
  SL_CHECK(parts.has_value());
  return parts->parent + parts->before + internal::FormatUnit(parts->format, unit) + parts->after +
         "/" + parts->files;
}

std::optional<Timestamp> UnitOfFolder(std::string_view path_template,
                                      std::string_view folder_name) {
  const Result<internal::UnitTemplate> parts = internal::ParseUnitTemplate(path_template);
  SL_CHECK(parts.has_value());
  if (!folder_name.starts_with(parts->before)) {
    return std::nullopt;
  }
  folder_name.remove_prefix(parts->before.size());
  if (!folder_name.ends_with(parts->after)) {
    return std::nullopt;
  }
  folder_name.remove_suffix(parts->after.size());
  return internal::ReadUnit(parts->format, folder_name);
}

}  // namespace strandline::project
