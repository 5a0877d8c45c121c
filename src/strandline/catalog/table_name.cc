#include "strandline/catalog/table_name.h"

#include <algorithm>

namespace strandline::catalog {
namespace {

Status CheckPart(std::string_view part, std::string_view whole) {
  if (part.empty()) {
    return MakeError(ErrorKind::kInvalidArgument, "name has an empty part: '{}'", whole);
  }
  if (part.find('.') != std::string_view::npos) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "name has a dot inside one part, where it would mean two: '{}'", part);
  }
  const bool has_bad_byte = std::ranges::any_of(part, [](char c) {
    return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (has_bad_byte) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "name has a slash or a control character, it must be usable as a folder: '{}'",
                     whole);
  }
  // Other clients strip them, and would then see another name.
  if (part.front() == ' ' || part.back() == ' ') {
    return MakeError(ErrorKind::kInvalidArgument, "name begins or ends with a space: '{}'", whole);
  }
  return {};
}

}  // namespace

Result<TableName> ParseTableName(std::string_view text) {
  TableName name;
  std::string_view rest = text;
  while (true) {
    const std::size_t dot = rest.find('.');
    name.levels.emplace_back(rest.substr(0, dot));
    if (dot == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(dot + 1);
  }
  name.table = std::move(name.levels.back());
  name.levels.pop_back();
  for (const std::string& level : name.levels) {
    SL_TRY(CheckPart(level, text));
  }
  SL_TRY(CheckPart(name.table, text));
  if (name.levels.empty()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "table name needs a namespace, as in `ads.impressions`: '{}'", text);
  }
  return name;
}

std::string NamespaceText(const std::vector<std::string>& levels) {
  return fmt::format("{}", fmt::join(levels, "."));
}

std::string ToString(const TableName& name) {
  return fmt::format("{}.{}", NamespaceText(name.levels), name.table);
}

Status CheckNamespace(const std::vector<std::string>& levels) {
  if (levels.empty()) {
    return MakeError(ErrorKind::kInvalidArgument, "namespace has no level");
  }
  for (const std::string& level : levels) {
    SL_TRY(CheckPart(level, NamespaceText(levels)));
  }
  return {};
}

Status CheckTableName(const TableName& name) {
  SL_TRY(CheckNamespace(name.levels));
  return CheckPart(name.table, ToString(name));
}

}  // namespace strandline::catalog
