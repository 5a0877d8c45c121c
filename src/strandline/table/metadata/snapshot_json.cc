#include <algorithm>
#include <array>

#include "strandline/table/metadata/internal/json_values.h"

namespace strandline::table::internal {
namespace {

constexpr std::string_view kBranch = "branch";
constexpr std::string_view kTag = "tag";

constexpr std::array<std::string_view, 5> kRefMembers = {
    "snapshot-id", "type", "min-snapshots-to-keep", "max-snapshot-age-ms", "max-ref-age-ms"};

void AddIfPresent(Json& json, const char* name, const std::optional<std::int64_t>& value) {
  if (value) {
    json[name] = *value;
  }
}

}  // namespace

std::map<std::string, std::string> UnknownMembers(const Json& object,
                                                  std::span<const std::string_view> known) {
  std::map<std::string, std::string> unknown;
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      unknown.emplace(name, JsonText(value));
    }
  }
  return unknown;
}

void AddUnknownMembers(const std::map<std::string, std::string>& members, Json& object) {
  for (const auto& [name, text] : members) {
    object.emplace(name, JsonOfOurs(text));
  }
}

Json SnapshotToJson(const Snapshot& snapshot) {
  Json json = {{"snapshot-id", snapshot.id.value()},
               {"sequence-number", snapshot.sequence_number.value()},
               {"timestamp-ms", snapshot.timestamp_ms}};
  if (snapshot.parent_id) {
    json["parent-snapshot-id"] = snapshot.parent_id->value();
  }
  if (!snapshot.summary.empty()) {
    json["summary"] = snapshot.summary;
  }
  if (!snapshot.manifest_list.empty()) {
    json["manifest-list"] = snapshot.manifest_list;
  }
  if (snapshot.schema_id) {
    json["schema-id"] = snapshot.schema_id->value();
  }
  AddUnknownMembers(snapshot.unknown_fields, json);
  return json;
}

Json SnapshotRefToJson(const SnapshotRef& ref) {
  Json json = {{"snapshot-id", ref.snapshot_id.value()},
               {"type", ref.kind == RefKind::kBranch ? kBranch : kTag}};
  AddIfPresent(json, "min-snapshots-to-keep", ref.min_snapshots_to_keep);
  AddIfPresent(json, "max-snapshot-age-ms", ref.max_snapshot_age_ms);
  AddIfPresent(json, "max-ref-age-ms", ref.max_ref_age_ms);
  AddUnknownMembers(ref.unknown_fields, json);
  return json;
}

Result<SnapshotRef> SnapshotRefFromJson(const Json& json) {
  SL_TRY(CheckObject(json, "ref"));
  SnapshotRef ref;
  ref.snapshot_id = SL_TRY(IdMember<SnapshotId>(json, "snapshot-id"));
  const std::string kind = SL_TRY(StringMember(json, "type"));
  if (kind != kBranch && kind != kTag) {
    return MakeError(ErrorKind::kCorrupt, "type: expected branch or tag, found '{}'", kind);
  }
  ref.kind = kind == kBranch ? RefKind::kBranch : RefKind::kTag;
  ref.min_snapshots_to_keep = SL_TRY(OptionalInt64Member(json, "min-snapshots-to-keep"));
  ref.max_snapshot_age_ms = SL_TRY(OptionalInt64Member(json, "max-snapshot-age-ms"));
  ref.max_ref_age_ms = SL_TRY(OptionalInt64Member(json, "max-ref-age-ms"));
  ref.unknown_fields = UnknownMembers(json, kRefMembers);
  return ref;
}

}  // namespace strandline::table::internal
