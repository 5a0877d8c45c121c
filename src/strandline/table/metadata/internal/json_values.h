#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/table/json/json.h"
#include "strandline/table/metadata/table_metadata.h"

namespace strandline::table::internal {

// Appendix C of the specification, part by part, between our structs and JSON values. Readers fail
// with kCorrupt, and with kUnsupported by name for what only version 3 has.
// https://iceberg.apache.org/spec/#appendix-c-json-serialization

// A member that is an id, of 32 or 64 bits.
template <typename AnyId>
Result<AnyId> IdMember(const Json& object, const char* name) {
  if constexpr (sizeof(typename AnyId::rep) == sizeof(std::int32_t)) {
    const std::int32_t value = SL_TRY(Int32Member(object, name));
    return AnyId(value);
  } else {
    const std::int64_t value = SL_TRY(Int64Member(object, name));
    return AnyId(value);
  }
}

// How Java spells "no snapshot" where the specification leaves the member out.
inline constexpr std::int64_t kNoSnapshot = -1;

Json SchemaToJson(const Schema& schema);
Result<Schema> SchemaFromJson(const Json& json);

Json PartitionFieldsToJson(const std::vector<PartitionField>& fields);
Result<std::vector<PartitionField>> PartitionFieldsFromJson(const Json& json);

Json SortOrderToJson(const SortOrder& order);
Result<SortOrder> SortOrderFromJson(const Json& json);

// Read by internal/metadata_document.h: there are too many of them for a tree of JSON values.
Json SnapshotToJson(const Snapshot& snapshot);

Json SnapshotRefToJson(const SnapshotRef& ref);
Result<SnapshotRef> SnapshotRefFromJson(const Json& json);

// The members of `object` that are not in `known`, as JSON text; and back.
std::map<std::string, std::string> UnknownMembers(const Json& object,
                                                  std::span<const std::string_view> known);
void AddUnknownMembers(const std::map<std::string, std::string>& members, Json& object);

}  // namespace strandline::table::internal
