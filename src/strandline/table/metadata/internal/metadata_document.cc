#include "strandline/table/metadata/internal/metadata_document.h"

#include <simdjson.h>

#include "strandline/table/metadata/internal/json_values.h"

namespace strandline::table::internal {
namespace {

using simdjson::dom::element;

constexpr std::size_t kTextShownMax = 60;

Error WrongType(std::string_view name, std::string_view expected, const element& found) {
  std::string text = simdjson::minify(found);
  if (text.size() > kTextShownMax) {
    text.resize(kTextShownMax);
    text += "...";
  }
  return MakeError(ErrorKind::kCorrupt, "{}: expected {}, found {}", name, expected, text);
}

Result<std::int64_t> Int64Of(const element& json, std::string_view name) {
  std::int64_t value = 0;
  if (json.get_int64().get(value) != simdjson::SUCCESS) {
    return WrongType(name, "a whole number of 64 bits", json);
  }
  return value;
}

Result<std::string> StringOf(const element& json, std::string_view name) {
  std::string_view text;
  if (json.get_string().get(text) != simdjson::SUCCESS) {
    return WrongType(name, "a string", json);
  }
  return std::string(text);
}

// Numbers and booleans, which some writers leave unquoted, become their text; null is left out.
Status ReadSummary(const element& json, std::map<std::string, std::string>& summary) {
  simdjson::dom::object entries;
  if (json.get_object().get(entries) != simdjson::SUCCESS) {
    return WrongType("summary", "an object", json);
  }
  for (const auto& [key, value] : entries) {
    std::string_view text;
    if (value.get_string().get(text) == simdjson::SUCCESS) {
      summary.emplace(key, text);
    } else if (value.is_number() || value.is_bool()) {
      summary.emplace(key, simdjson::minify(value));
    } else if (!value.is_null()) {
      return WrongType(fmt::format("summary.{}", key), "a string", value);
    }
  }
  return {};
}

// Which members a snapshot has had.
struct Seen {
  bool id = false;
  bool timestamp = false;
  bool manifest_list = false;
  bool manifests = false;  // Version 1 allowed them in the place of a manifest list.
};

Status ReadMember(std::string_view name, const element& value, Snapshot& snapshot, Seen& seen) {
  if (name == "summary") {
    return ReadSummary(value, snapshot.summary);
  }
  if (name == "manifest-list") {
    snapshot.manifest_list = SL_TRY(StringOf(value, name));
    seen.manifest_list = true;
    return {};
  }
  if (name == "snapshot-id" || name == "parent-snapshot-id" || name == "sequence-number" ||
      name == "timestamp-ms" || name == "schema-id") {
    const std::int64_t number = SL_TRY(Int64Of(value, name));
    if (name == "snapshot-id") {
      snapshot.id = SnapshotId(number);
      seen.id = true;
    } else if (name == "parent-snapshot-id") {
      snapshot.parent_id = number == kNoSnapshot ? std::nullopt : std::optional(SnapshotId(number));
    } else if (name == "sequence-number") {
      snapshot.sequence_number = SequenceNumber(number);
    } else if (name == "timestamp-ms") {
      snapshot.timestamp_ms = number;
      seen.timestamp = true;
    } else if (const auto narrow = static_cast<std::int32_t>(number); narrow == number) {
      snapshot.schema_id = SchemaId(narrow);
    } else {
      return WrongType(name, "a whole number of 32 bits", value);
    }
    return {};
  }
  seen.manifests = seen.manifests || name == "manifests";
  snapshot.unknown_fields.emplace(name, simdjson::minify(value));
  return {};
}

// Null is the same as missing. A sequence number that is missing (the table was version 1 then) is
// 0.
Result<Snapshot> ReadSnapshot(const element& json) {
  simdjson::dom::object members;
  if (json.get_object().get(members) != simdjson::SUCCESS) {
    return WrongType("snapshot", "an object", json);
  }
  Snapshot snapshot;
  Seen seen;
  for (const auto& [name, value] : members) {
    if (!value.is_null()) {
      SL_TRY(ReadMember(name, value, snapshot, seen), "snapshot {}", snapshot.id);
    }
  }
  if (!seen.id) {
    return MakeError(ErrorKind::kCorrupt, "snapshot-id is missing");
  }
  if (!seen.timestamp) {
    return MakeError(ErrorKind::kCorrupt, "snapshot {}: timestamp-ms is missing", snapshot.id);
  }
  if (!seen.manifest_list && !seen.manifests) {
    return MakeError(ErrorKind::kCorrupt, "snapshot {}: manifest-list is missing", snapshot.id);
  }
  return snapshot;
}

Result<std::vector<Snapshot>> ReadSnapshots(const element& json) {
  std::vector<Snapshot> snapshots;
  if (json.is_null()) {
    return snapshots;
  }
  simdjson::dom::array items;
  if (json.get_array().get(items) != simdjson::SUCCESS) {
    return WrongType("snapshots", "an array", json);
  }
  snapshots.reserve(items.size());
  for (const element item : items) {
    Snapshot snapshot = SL_TRY(ReadSnapshot(item));
    snapshots.push_back(std::move(snapshot));
  }
  return snapshots;
}

}  // namespace

Result<MetadataDocument> ReadMetadataDocument(std::string_view text) {
  simdjson::dom::parser parser;
  if (parser.allocate(text.size(), kJsonDepthMax) != simdjson::SUCCESS) {
    return MakeError(ErrorKind::kUnavailable, "no memory to read {} bytes of JSON", text.size());
  }
  element root;
  if (const simdjson::error_code error = parser.parse(text.data(), text.size()).get(root)) {
    return MakeError(ErrorKind::kCorrupt, "not JSON ({}): '{}'", simdjson::error_message(error),
                     text.substr(0, kTextShownMax));
  }
  simdjson::dom::object members;
  if (root.get_object().get(members) != simdjson::SUCCESS) {
    return WrongType("table metadata", "an object", root);
  }
  MetadataDocument document{.snapshots = {}, .others = Json::object()};
  for (const auto& [name, value] : members) {
    if (name == "snapshots") {
      document.snapshots = SL_TRY(ReadSnapshots(value));
    } else {
      document.others[std::string(name)] = JsonOfOurs(simdjson::minify(value));
    }
  }
  return document;
}

}  // namespace strandline::table::internal
