#include "strandline/project/internal/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strandline/base/time_text.h"
#include "strandline/project/internal/near_miss.h"

namespace strandline::project::internal {
namespace {

constexpr std::string_view kBookkeepingPrefix = "_strand_";

// Tiers are small numbers for people to sort by; 1 matters most.
constexpr int kTierMin = 1;
constexpr int kTierMax = 5;

// The text of a setting that must be one.
const YamlValue* TextOf(const YamlEntry* entry, std::string_view expected, ProblemList& problems) {
  if (entry == nullptr) {
    return nullptr;
  }
  if (entry->value.kind != YamlValue::Kind::kText) {
    problems.Error(entry->value.at, "`{}` is {}, not a {}", entry->key, expected,
                   entry->value.kind == YamlValue::Kind::kList ? "list" : "mapping");
    return nullptr;
  }
  return &entry->value;
}

template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

// The value of a Result whose message is fit for users, after the setting's name.
template <typename T>
std::optional<T> Accept(const YamlEntry& entry, Result<T> result, ProblemList& problems) {
  if (!result && !entry.value.written.empty()) {
    problems.Error(entry.value.at, "`{}`: the value put in for `{}` does not fit here", entry.key,
                   entry.value.written);
    return std::nullopt;
  }
  if (!result) {
    problems.Error(entry.value.at, "`{}`: {}", entry.key, result.error().message);
    return std::nullopt;
  }
  return std::move(result).value();
}

}  // namespace

std::optional<std::string> ReadText(const YamlEntry* entry, ProblemList& problems) {
  const YamlValue* value = TextOf(entry, "a text", problems);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (value->text.empty()) {
    problems.Error(value->at, "`{}` is empty: give a value or leave the setting out", entry->key);
    return std::nullopt;
  }
  return value->text;
}

std::optional<std::int64_t> ReadInteger(const YamlEntry* entry, std::int64_t minimum,
                                        std::int64_t maximum, ProblemList& problems) {
  const YamlValue* value = TextOf(entry, "a whole number", problems);
  if (value == nullptr) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> number = ParseNumber<std::int64_t>(value->text);
  if (!number || *number < minimum || *number > maximum) {
    problems.Error(value->at, "`{}` is a whole number from {} to {}: found `{}`", entry->key,
                   minimum, maximum, Shown(*value));
    return std::nullopt;
  }
  return number;
}

std::optional<double> ReadNumber(const YamlEntry* entry, ProblemList& problems) {
  const YamlValue* value = TextOf(entry, "a number", problems);
  if (value == nullptr) {
    return std::nullopt;
  }
  const std::optional<double> number = ParseNumber<double>(value->text);
  if (!number || !std::isfinite(*number) || *number < 0) {
    problems.Error(value->at, "`{}` is a number, zero or more: found `{}`", entry->key,
                   Shown(*value));
    return std::nullopt;
  }
  return number;
}

std::optional<bool> ReadBool(const YamlEntry* entry, ProblemList& problems) {
  static constexpr std::array<Choice<bool>, 2> kChoices = {{{"true", true}, {"false", false}}};
  return ReadChoice<bool>(entry, kChoices, problems);
}

std::optional<std::chrono::microseconds> ReadDuration(const YamlEntry* entry,
                                                      ProblemList& problems) {
  const YamlValue* value = TextOf(entry, "a duration such as 20m or 6h", problems);
  if (value == nullptr) {
    return std::nullopt;
  }
  return Accept(*entry, ParseDuration(value->text), problems);
}

std::optional<Timestamp> ReadTimestamp(const YamlEntry* entry, ProblemList& problems) {
  const YamlValue* value = TextOf(entry, "a time such as 2026-11-30T05Z", problems);
  if (value == nullptr) {
    return std::nullopt;
  }
  return Accept(*entry, ParseTimestamp(value->text), problems);
}

std::optional<double> ReadShare(const YamlEntry* entry, ProblemList& problems) {
  const YamlValue* value = TextOf(entry, "a share such as 1%", problems);
  if (value == nullptr) {
    return std::nullopt;
  }
  std::string_view text = value->text;
  const bool is_percent = text.ends_with('%');
  if (is_percent) {
    text.remove_suffix(1);
  }
  const std::optional<double> number = ParseNumber<double>(text);
  const double share = number.value_or(-1) / (is_percent ? 100 : 1);
  if (!(share >= 0 && share <= 1)) {
    problems.Error(value->at, "`{}` is a share from 0% to 100%, such as 1% or 0.01: found `{}`",
                   entry->key, Shown(*value));
    return std::nullopt;
  }
  return share;
}

std::optional<std::int64_t> ReadByteSize(const YamlEntry* entry, ProblemList& problems) {
  const YamlValue* value = TextOf(entry, "a size such as 2GiB", problems);
  if (value == nullptr) {
    return std::nullopt;
  }
  return Accept(*entry, ParseByteSize(value->text), problems);
}

std::optional<catalog::TableName> ReadTableName(const YamlEntry* entry, ProblemList& problems) {
  const YamlValue* value = TextOf(entry, "a table's name", problems);
  if (value == nullptr) {
    return std::nullopt;
  }
  return Accept(*entry, catalog::ParseTableName(value->text), problems);
}

bool CheckColumnName(std::string_view name, const FilePosition& at, ProblemList& problems) {
  if (name.empty()) {
    problems.Error(at, "a column needs a name");
    return false;
  }
  if (name.starts_with(kBookkeepingPrefix)) {
    problems.Error(at, "`{}`: names beginning with `{}` are Strandline's own bookkeeping", name,
                   kBookkeepingPrefix);
    return false;
  }
  return true;
}

std::optional<std::string> ReadColumnName(const YamlEntry* entry, ProblemList& problems) {
  std::optional<std::string> name = ReadText(entry, problems);
  if (name && !CheckColumnName(*name, entry->value.at, problems)) {
    return std::nullopt;
  }
  return name;
}

std::optional<std::vector<PlacedText>> ReadTextList(const YamlEntry* entry, ProblemList& problems) {
  if (entry == nullptr) {
    return std::nullopt;
  }
  if (entry->value.kind != YamlValue::Kind::kList || entry->value.items.empty()) {
    problems.Error(entry->value.at, "`{}` is a list such as [a, b], with one item or more",
                   entry->key);
    return std::nullopt;
  }
  std::vector<PlacedText> list;
  for (const YamlValue& item : entry->value.items) {
    if (item.kind != YamlValue::Kind::kText) {
      problems.Error(item.at, "the items of `{}` are texts: found {}", entry->key,
                     item.kind == YamlValue::Kind::kEmpty ? "an empty one" : "a list or mapping");
      return std::nullopt;
    }
    list.push_back({.text = item.text, .at = item.at});
  }
  return list;
}

std::optional<std::vector<PlacedText>> ReadColumnList(const YamlEntry* entry,
                                                      ProblemList& problems) {
  std::optional<std::vector<PlacedText>> list = ReadTextList(entry, problems);
  if (!list) {
    return std::nullopt;
  }
  std::vector<PlacedText> distinct;
  for (const PlacedText& column : *list) {
    if (std::ranges::find(distinct, column.text, &PlacedText::text) != distinct.end()) {
      problems.Error(column.at, "`{}` names the column `{}` twice", entry->key, column.text);
    } else if (CheckColumnName(column.text, column.at, problems)) {
      distinct.push_back(column);
    }
  }
  if (distinct.empty()) {
    return std::nullopt;
  }
  return distinct;
}

std::vector<std::string> TextsOf(const std::vector<PlacedText>& list) {
  std::vector<std::string> texts;
  for (const PlacedText& item : list) {
    texts.push_back(item.text);
  }
  return texts;
}

std::optional<table::Type> ReadType(const YamlEntry* entry, ProblemList& problems) {
  const YamlValue* value = TextOf(entry, "a type such as long or decimal(18,4)", problems);
  if (value == nullptr) {
    return std::nullopt;
  }
  for (const std::string_view nested : {"struct", "list", "map"}) {
    if (value->text.starts_with(nested)) {
      problems.Error(value->at,
                     "`{}`: nested columns are not supported yet in tables that "
                     "Strandline writes",
                     value->text);
      return std::nullopt;
    }
  }
  Result<table::Type> type = table::ParsePrimitiveType(value->text);
  if (!type && type.error().kind == ErrorKind::kInvalidArgument) {
    static const std::vector<std::string> kNames = {
        "boolean", "int",       "long",        "float",  "double", "decimal(18,4)", "date",
        "time",    "timestamp", "timestamptz", "string", "uuid",   "fixed[16]",     "binary"};
    problems.Error(value->at, "`{}` is no type of Iceberg's{}", value->text,
                   Suggestion(value->text, kNames));
    return std::nullopt;
  }
  if (type && (type->id == table::TypeId::kTimestampNs ||
               type->id == table::TypeId::kTimestamptzNs || type->id == table::TypeId::kUnknown)) {
    problems.Error(value->at, "`{}` needs format version 3, which is not supported yet",
                   value->text);
    return std::nullopt;
  }
  return Accept(*entry, std::move(type), problems);
}

std::optional<std::size_t> ReadWord(const YamlEntry* entry, std::span<const std::string> words,
                                    const std::vector<bool>& is_supported, ProblemList& problems) {
  std::vector<std::string> supported;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_supported[i]) {
      supported.push_back(words[i]);
    }
  }
  const YamlValue* value =
      TextOf(entry, fmt::format("one of {}", fmt::join(supported, ", ")), problems);
  if (value == nullptr) {
    return std::nullopt;
  }
  const auto found = std::ranges::find(words, value->text);
  const std::size_t index = static_cast<std::size_t>(found - words.begin());
  if (found == words.end()) {
    problems.Error(value->at, "`{}` can not be `{}`{}", entry->key, Shown(*value),
                   Suggestion(value->text, supported));
    return std::nullopt;
  }
  if (!is_supported[index]) {
    problems.Error(value->at, "`{}: {}` is not supported yet: use {}", entry->key, value->text,
                   fmt::join(supported, " or "));
    return std::nullopt;
  }
  return index;
}

std::optional<Unit> ReadUnit(const YamlEntry* entry, ProblemList& problems) {
  static constexpr std::array<Choice<Unit>, 2> kChoices = {
      {{"hour", Unit::kHour}, {"day", Unit::kDay}}};
  return ReadChoice<Unit>(entry, kChoices, problems);
}

std::optional<Severity> ReadSeverity(const YamlEntry* entry, ProblemList& problems) {
  static constexpr std::array<Choice<Severity>, 3> kChoices = {
      {{"block", Severity::kBlock}, {"warn", Severity::kWarn}, {"info", Severity::kInfo}}};
  return ReadChoice<Severity>(entry, kChoices, problems);
}

std::optional<int> ReadTier(const YamlEntry* entry, ProblemList& problems) {
  const std::optional<std::int64_t> tier = ReadInteger(entry, kTierMin, kTierMax, problems);
  return tier ? std::optional<int>(static_cast<int>(*tier)) : std::nullopt;
}

}  // namespace strandline::project::internal
