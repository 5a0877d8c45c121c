#include "strandline/project/internal/settings.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "strandline/project/internal/near_miss.h"

namespace strandline::project::internal {

Settings::Settings(const YamlValue& value, std::string what, ProblemList& problems)
    : value_(value),
      what_(std::move(what)),
      problems_(problems),
      is_mapping_(value.kind == YamlValue::Kind::kMapping) {
  if (!is_mapping_) {
    problems_.Error(value_.at, "{} is a mapping of settings, `name: value` each on its line",
                    what_);
  }
}

const YamlEntry* Settings::Given(std::string_view key) const {
  const auto found = std::ranges::find(value_.entries, key, &YamlEntry::key);
  return found == value_.entries.end() ? nullptr : &*found;
}

const YamlEntry* Settings::Find(std::string_view key) {
  known_.emplace_back(key);
  const YamlEntry* entry = Given(key);
  if (entry != nullptr && entry->value.kind == YamlValue::Kind::kReported) {
    return nullptr;
  }
  if (entry != nullptr && entry->value.kind == YamlValue::Kind::kEmpty) {
    problems_.Error(entry->key_at, "`{}` has no value: give one or leave the setting out", key);
    return nullptr;
  }
  return entry;
}

const YamlEntry* Settings::Require(std::string_view key) {
  const YamlEntry* entry = Find(key);
  if (entry == nullptr && is_mapping_ && Given(key) == nullptr) {
    missing_.emplace_back(key);
  }
  return entry;
}

void Settings::NotYet(std::string_view key, std::string_view instead) {
  later_.emplace_back(key);
  if (const YamlEntry* entry = Given(key)) {
    problems_.Error(entry->key_at, "`{}` is not supported yet: {}", key, instead);
  }
}

void Settings::Finish() {
  for (const YamlEntry& entry : value_.entries) {
    const bool is_known = std::ranges::find(known_, entry.key) != known_.end() ||
                          std::ranges::find(later_, entry.key) != later_.end();
    if (is_known) {
      continue;
    }
    problems_.Error(entry.key_at, "unknown setting `{}`{}", entry.key,
                    Suggestion(entry.key, known_));
    if (const std::optional<std::string> meant = NearMiss(entry.key, known_)) {
      std::erase(missing_, *meant);
    }
  }
  for (const std::string& key : missing_) {
    problems_.Error(value_.at, "{} needs the setting `{}`", what_, key);
  }
}

}  // namespace strandline::project::internal
