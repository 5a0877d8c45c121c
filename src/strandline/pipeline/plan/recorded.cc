#include "strandline/pipeline/plan/recorded.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/base/hash.h"
#include "strandline/base/time_text.h"

namespace strandline::pipeline {
namespace {

using nlohmann::json;

constexpr std::size_t kRecordedFilesMax = 500;

std::optional<std::int64_t> FingerprintOf(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) {
    return std::nullopt;
  }
  return ParseFingerprintText(found->get_ref<const std::string&>());
}

json SummaryJson(const table::Snapshot& snapshot, const char* key) {
  const auto found = snapshot.summary.find(key);
  return found == snapshot.summary.end() ? json() : json::parse(found->second, nullptr, false);
}

std::string HashOf(const LandedFile& file) {
  return FingerprintText(
      Fingerprint().Add(file.name).Add(file.size_bytes).Add(file.version).Finish());
}

// A digest as JSON: versions as numbers, as people read them.
json DigestJson(const std::string& digest) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digest.data(), digest.data() + digest.size(), number);
  const bool whole = error == std::errc() && end == digest.data() + digest.size();
  return whole ? json(number) : json(digest);
}

std::string DigestText(const json& digest) {
  return digest.is_number_integer() ? fmt::format("{}", digest.get<std::int64_t>())
         : digest.is_string()       ? digest.get<std::string>()
                                    : std::string();
}

}  // namespace

std::string RecordedUnitsJson(const std::vector<RecordedUnit>& units) {
  json list = json::array();
  for (const RecordedUnit& unit : units) {
    json object = {{"unit", FormatTimestamp(unit.unit)},
                   {"stamp", FingerprintText(unit.stamp)},
                   {"complete", unit.complete}};
    if (unit.logic) {
      object["logic"] = FingerprintText(*unit.logic);
    }
    list.push_back(std::move(object));
  }
  return list.dump();
}

std::string RecordedInputsJson(const std::vector<RecordedInput>& inputs) {
  json list = json::array();
  for (const RecordedInput& input : inputs) {
    json partitions = json::array();
    for (const PartitionDigest& partition : input.partitions) {
      partitions.push_back(json::array({partition.partition, DigestJson(partition.digest)}));
    }
    json object = {{"table", input.table}, {"partitions", std::move(partitions)}};
    if (input.snapshot) {
      object["snapshot"] = fmt::format("{}", *input.snapshot);
    }
    list.push_back(std::move(object));
  }
  return list.dump();
}

std::string ShortPartition(std::string_view path) {
  std::string result;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view level = path.substr(0, slash);
    const std::size_t equals = level.find('=');
    if (!result.empty()) {
      result += '/';
    }
    result += equals == std::string_view::npos ? level : level.substr(equals + 1);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return result;
}

std::string RecordedFilesText(const std::vector<LandedFile>& files) {
  std::string text = fmt::format("{}:", files.size());
  if (files.size() <= kRecordedFilesMax) {
    for (const LandedFile& file : files) {
      text += HashOf(file);
    }
  }
  return text;
}

const table::Snapshot* PublishingSnapshot(const table::TableMetadata& metadata, Timestamp unit) {
  const table::Snapshot* current = CurrentSnapshot(metadata);
  if (current == nullptr) {
    return nullptr;
  }
  for (const table::Snapshot* snapshot : Ancestors(metadata, current->id)) {
    if (RecordedUnitOf(*snapshot, unit)) {
      return snapshot;
    }
  }
  return nullptr;
}

std::optional<RecordedUnit> RecordedUnitOf(const table::Snapshot& snapshot, Timestamp unit) {
  const auto found = snapshot.summary.find("strandline.units");
  const std::string text = FormatTimestamp(unit);
  if (found == snapshot.summary.end() || found->second.find(text) == std::string::npos) {
    return std::nullopt;  // The common case, without parsing.
  }
  for (const json& object : SummaryJson(snapshot, "strandline.units")) {
    const std::optional<std::int64_t> stamp =
        object.is_object() ? FingerprintOf(object, "stamp") : std::nullopt;
    if (stamp && object.contains("unit") && object["unit"] == text) {
      const auto complete = object.find("complete");
      return RecordedUnit{.unit = unit,
                          .stamp = *stamp,
                          .logic = FingerprintOf(object, "logic"),
                          .complete = complete == object.end() || *complete != json(false)};
    }
  }
  return std::nullopt;
}

std::vector<RecordedInput> RecordedInputsOf(const table::Snapshot& snapshot) {
  std::vector<RecordedInput> inputs;
  for (const json& object : SummaryJson(snapshot, "strandline.inputs")) {
    if (!object.is_object() || !object.contains("table") || !object["table"].is_string() ||
        !object.contains("partitions") || !object["partitions"].is_array()) {
      continue;
    }
    RecordedInput input{
        .table = object["table"].get<std::string>(), .snapshot = {}, .partitions = {}};
    for (const json& partition : object["partitions"]) {
      if (partition.is_array() && partition.size() == 2 && partition[0].is_string()) {
        input.partitions.push_back({partition[0].get<std::string>(), DigestText(partition[1])});
      }
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

std::vector<LandedFile> AlreadyRead(const table::Snapshot& snapshot,
                                    const std::vector<LandedFile>& files) {
  std::vector<LandedFile> known;
  const auto found = snapshot.summary.find("strandline.files");
  if (found == snapshot.summary.end()) {
    return known;
  }
  const std::string& text = found->second;
  constexpr std::size_t kHashDigits = 16;
  std::set<std::string_view> hashes;
  for (std::size_t at = text.find(':') + 1; at + kHashDigits <= text.size(); at += kHashDigits) {
    hashes.insert(std::string_view(text).substr(at, kHashDigits));
  }
  std::ranges::copy_if(files, std::back_inserter(known),
                       [&hashes](const LandedFile& file) { return hashes.contains(HashOf(file)); });
  return known;
}

std::vector<std::string> DescribeChanges(const std::vector<RecordedInput>& recorded,
                                         const std::vector<InputDigest>& now,
                                         std::size_t lines_max) {
  std::map<std::pair<std::string, std::string>, std::pair<std::string, std::string>> both;
  for (const RecordedInput& input : recorded) {
    for (const PartitionDigest& partition : input.partitions) {
      both[{input.table, partition.partition}].first = partition.digest;
    }
  }
  for (const InputDigest& input : now) {
    for (const PartitionDigest& partition : input.partitions) {
      both[{input.table, ShortPartition(partition.partition)}].second = partition.digest;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [where, digests] : both) {
    const auto& [before, after] = digests;
    if (before == after) {
      continue;
    }
    lines.push_back(fmt::format("{} {}: version {} → {}", where.first, where.second,
                                before.empty() ? "none" : before, after.empty() ? "none" : after));
  }
  if (lines.size() > lines_max) {
    const std::size_t more = lines.size() - lines_max;
    lines.resize(lines_max);
    lines.push_back(fmt::format("and {} more partitions", more));
  }
  return lines;
}

}  // namespace strandline::pipeline
