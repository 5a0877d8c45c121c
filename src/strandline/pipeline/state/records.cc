#include "strandline/pipeline/state/records.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "strandline/base/hash.h"
#include "strandline/base/time_text.h"

namespace strandline::pipeline {
namespace {

using nlohmann::json;

constexpr std::string_view kEmptyPrefix = "strandline.empty.";
constexpr std::string_view kReopenPrefix = "strandline.reopen.";

std::string_view ToString(EmptyKind kind) {
  switch (kind) {
    case EmptyKind::kNoRows:
      return "no-rows";
    case EmptyKind::kDuplicates:
      return "duplicates";
    case EmptyKind::kElsewhere:
      return "elsewhere";
  }
  return "no-rows";
}

std::optional<EmptyKind> ParseKind(std::string_view text) {
  for (const EmptyKind kind : {EmptyKind::kNoRows, EmptyKind::kDuplicates, EmptyKind::kElsewhere}) {
    if (text == ToString(kind)) {
      return kind;
    }
  }
  return std::nullopt;
}

// A fingerprint's sixteen hexadecimal digits; absent when it is not one.
std::optional<std::int64_t> ParseFingerprint(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) {
    return std::nullopt;
  }
  return ParseFingerprintText(found->get_ref<const std::string&>());
}

}  // namespace

std::string EmptyRecordKey(Timestamp unit) {
  return std::string(kEmptyPrefix) + FormatTimestamp(unit);
}

std::string EmptyRecordJson(const EmptyRecord& record) {
  json object = {{"stamp", FingerprintText(record.stamp)}, {"kind", ToString(record.kind)}};
  if (record.logic) {
    object["logic"] = FingerprintText(*record.logic);
  }
  if (record.compared_with) {
    object["snapshot"] = record.compared_with->value();
  }
  if (record.seq != 0) {
    object["seq"] = record.seq;
  }
  if (!record.counts.empty()) {
    object["counts"] = record.counts;
  }
  return object.dump();
}

Result<EmptyRecord> ParseEmptyRecord(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) {
    return MakeError(ErrorKind::kCorrupt, "empty record is not a JSON object: '{}'", text);
  }
  EmptyRecord record;
  const std::optional<std::int64_t> stamp = ParseFingerprint(object, "stamp");
  const auto kind = object.find("kind");
  if (!stamp || kind == object.end() || !kind->is_string() ||
      !ParseKind(kind->get_ref<const std::string&>())) {
    return MakeError(ErrorKind::kCorrupt, "empty record without a stamp and a known kind: '{}'",
                     text);
  }
  record.stamp = *stamp;
  record.kind = *ParseKind(kind->get_ref<const std::string&>());
  record.logic = ParseFingerprint(object, "logic");
  if (const auto snapshot = object.find("snapshot");
      snapshot != object.end() && snapshot->is_number_integer()) {
    record.compared_with = table::SnapshotId(snapshot->get<std::int64_t>());
  }
  if (const auto seq = object.find("seq"); seq != object.end() && seq->is_number_integer()) {
    record.seq = seq->get<std::int64_t>();
  }
  if (const auto counts = object.find("counts"); counts != object.end() && counts->is_object()) {
    for (const auto& [name, count] : counts->items()) {
      if (count.is_number_integer()) {
        record.counts[name] = count.get<std::int64_t>();
      }
    }
  }
  return record;
}

std::map<Timestamp, EmptyRecord> EmptyRecordsOf(const table::TableMetadata& metadata) {
  std::map<Timestamp, EmptyRecord> records;
  for (auto it = metadata.properties.lower_bound(std::string(kEmptyPrefix));
       it != metadata.properties.end() && it->first.starts_with(kEmptyPrefix); ++it) {
    const Result<Timestamp> unit = ParseTimestamp(it->first.substr(kEmptyPrefix.size()));
    Result<EmptyRecord> record = ParseEmptyRecord(it->second);
    // A record that cannot be read proves nothing; its unit is simply done again.
    if (unit && record) {
      records.emplace(*unit, *std::move(record));
    }
  }
  return records;
}

std::vector<std::string> EmptyRecordsBefore(const table::TableMetadata& metadata,
                                            Timestamp horizon) {
  std::vector<std::string> keys;
  for (const auto& [unit, record] : EmptyRecordsOf(metadata)) {
    if (unit < horizon) {
      keys.push_back(EmptyRecordKey(unit));
    }
  }
  return keys;
}

bool IsValid(const EmptyRecord& record, const table::TableMetadata& metadata) {
  if (record.kind != EmptyKind::kDuplicates) {
    return true;
  }
  const table::Snapshot* current = CurrentSnapshot(metadata);
  if (!record.compared_with || current == nullptr) {
    return false;
  }
  return std::ranges::any_of(
      Ancestors(metadata, current->id),
      [&record](const table::Snapshot* snapshot) { return snapshot->id == *record.compared_with; });
}

std::string DeployedJson(const std::vector<DeployedLogic>& entries) {
  json list = json::array();
  for (const DeployedLogic& entry : entries) {
    json object = {{"logic", FingerprintText(entry.logic)}};
    if (entry.from) {
      object["from"] = FormatTimestamp(*entry.from);
    }
    list.push_back(std::move(object));
  }
  return list.dump();
}

Result<std::vector<DeployedLogic>> ParseDeployed(std::string_view text) {
  const json list = json::parse(text, nullptr, false);
  if (!list.is_array()) {
    return MakeError(ErrorKind::kCorrupt, "{} is not a JSON list: '{}'", kDeployedKey, text);
  }
  std::vector<DeployedLogic> entries;
  for (const json& object : list) {
    const std::optional<std::int64_t> logic =
        object.is_object() ? ParseFingerprint(object, "logic") : std::nullopt;
    if (!logic) {
      return MakeError(ErrorKind::kCorrupt, "{} has an entry without a logic: '{}'", kDeployedKey,
                       text);
    }
    DeployedLogic entry{.logic = *logic, .from = std::nullopt};
    if (const auto from = object.find("from"); from != object.end() && from->is_string()) {
      entry.from =
          SL_TRY(ParseTimestamp(from->get_ref<const std::string&>()), "reading {}", kDeployedKey);
    }
    entries.push_back(entry);
  }
  return entries;
}

std::optional<std::int64_t> LogicInForce(const std::vector<DeployedLogic>& entries,
                                         Timestamp window) {
  std::optional<std::int64_t> logic;
  std::optional<Timestamp> since;
  for (const DeployedLogic& entry : entries) {
    const bool covers = !entry.from || *entry.from <= window;
    const bool later = !since || (entry.from && *entry.from >= *since);
    if (covers && (!logic || later)) {
      logic = entry.logic;
      since = entry.from;
    }
  }
  return logic;
}

std::map<Timestamp, std::int64_t> ReopenedUnitsOf(const table::TableMetadata& metadata) {
  std::map<Timestamp, std::int64_t> units;
  for (auto it = metadata.properties.lower_bound(std::string(kReopenPrefix));
       it != metadata.properties.end() && it->first.starts_with(kReopenPrefix); ++it) {
    const Result<Timestamp> unit = ParseTimestamp(it->first.substr(kReopenPrefix.size()));
    std::int64_t number = 0;
    const auto [end, error] =
        std::from_chars(it->second.data(), it->second.data() + it->second.size(), number);
    if (unit && error == std::errc() && end == it->second.data() + it->second.size()) {
      units[*unit] = number;
    }
  }
  return units;
}

}  // namespace strandline::pipeline
