#include <algorithm>
#include <array>

#include "strandline/table/metadata/internal/gzip.h"
#include "strandline/table/metadata/internal/json_values.h"
#include "strandline/table/metadata/internal/metadata_document.h"
#include "strandline/table/metadata/table_metadata.h"

namespace strandline::table {
namespace {

using internal::PartitionFieldsFromJson;
using internal::PartitionFieldsToJson;

constexpr std::int32_t kFormatVersion = 2;

// `schema` and `partition-spec` are version 1's: whoever still writes them repeats the current
// ones. They are dropped, because they would be wrong after the next change.
constexpr std::array<std::string_view, 23> kMetadataMembers = {"format-version",
                                                               "table-uuid",
                                                               "location",
                                                               "last-sequence-number",
                                                               "last-updated-ms",
                                                               "last-column-id",
                                                               "schemas",
                                                               "current-schema-id",
                                                               "partition-specs",
                                                               "default-spec-id",
                                                               "last-partition-id",
                                                               "properties",
                                                               "current-snapshot-id",
                                                               "snapshots",
                                                               "snapshot-log",
                                                               "metadata-log",
                                                               "sort-orders",
                                                               "default-sort-order-id",
                                                               "refs",
                                                               "statistics",
                                                               "partition-statistics",
                                                               "schema",
                                                               "partition-spec"};

constexpr std::array<std::string_view, 2> kSpecMembers = {"spec-id", "fields"};
constexpr std::array<std::string_view, 2> kSnapshotLogMembers = {"timestamp-ms", "snapshot-id"};
constexpr std::array<std::string_view, 2> kMetadataLogMembers = {"timestamp-ms", "metadata-file"};

// Reads an array member with one function per item.
template <typename T, typename Read>
Result<std::vector<T>> ReadItems(const Json& array, const Read& read) {
  std::vector<T> items;
  items.reserve(array.size());
  for (const Json& item : array) {
    T value = SL_TRY(read(item));
    items.push_back(std::move(value));
  }
  return items;
}

template <typename T, typename Write>
Json WriteItems(const std::vector<T>& items, const Write& write) {
  Json array = Json::array();
  for (const T& item : items) {
    array.push_back(write(item));
  }
  return array;
}

Result<PartitionSpec> SpecFromJson(const Json& json) {
  SL_TRY(CheckObject(json, "partition spec"));
  PartitionSpec spec;
  spec.id = SL_TRY(internal::IdMember<SpecId>(json, "spec-id"));
  const Json* const fields = SL_TRY(ArrayMember(json, "fields"), "partition spec {}", spec.id);
  spec.fields = SL_TRY(PartitionFieldsFromJson(*fields), "partition spec {}", spec.id);
  spec.unknown_fields = internal::UnknownMembers(json, kSpecMembers);
  return spec;
}

Json SpecToJson(const PartitionSpec& spec) {
  Json json = {{"spec-id", spec.id.value()}, {"fields", PartitionFieldsToJson(spec.fields)}};
  internal::AddUnknownMembers(spec.unknown_fields, json);
  return json;
}

Result<SnapshotLogEntry> SnapshotLogEntryFromJson(const Json& json) {
  SL_TRY(CheckObject(json, "snapshot-log"));
  SnapshotLogEntry entry;
  entry.timestamp_ms = SL_TRY(Int64Member(json, "timestamp-ms"), "snapshot-log");
  entry.snapshot_id = SL_TRY(internal::IdMember<SnapshotId>(json, "snapshot-id"), "snapshot-log");
  entry.unknown_fields = internal::UnknownMembers(json, kSnapshotLogMembers);
  return entry;
}

Json SnapshotLogEntryToJson(const SnapshotLogEntry& entry) {
  Json json = {{"timestamp-ms", entry.timestamp_ms}, {"snapshot-id", entry.snapshot_id.value()}};
  internal::AddUnknownMembers(entry.unknown_fields, json);
  return json;
}

Result<MetadataLogEntry> MetadataLogEntryFromJson(const Json& json) {
  SL_TRY(CheckObject(json, "metadata-log"));
  MetadataLogEntry entry;
  entry.timestamp_ms = SL_TRY(Int64Member(json, "timestamp-ms"), "metadata-log");
  entry.metadata_file = SL_TRY(StringMember(json, "metadata-file"), "metadata-log");
  entry.unknown_fields = internal::UnknownMembers(json, kMetadataLogMembers);
  return entry;
}

Json MetadataLogEntryToJson(const MetadataLogEntry& entry) {
  Json json = {{"timestamp-ms", entry.timestamp_ms}, {"metadata-file", entry.metadata_file}};
  internal::AddUnknownMembers(entry.unknown_fields, json);
  return json;
}

Status ReadIdentity(const Json& json, TableMetadata& metadata) {
  metadata.table_uuid = SL_TRY(StringMember(json, "table-uuid"));
  metadata.location = SL_TRY(StringMember(json, "location"));
  while (metadata.location.size() > 1 && metadata.location.ends_with('/')) {
    metadata.location.pop_back();
  }
  if (json.contains("last-sequence-number")) {
    metadata.last_sequence_number =
        SL_TRY(internal::IdMember<SequenceNumber>(json, "last-sequence-number"));
  }
  metadata.last_updated_ms = SL_TRY(Int64Member(json, "last-updated-ms"));
  metadata.properties = SL_TRY(StringMapMember(json, "properties"));
  return {};
}

Status ReadSchemas(const Json& json, TableMetadata& metadata) {
  const Json* const schemas = SL_TRY(ArrayMember(json, "schemas"));
  metadata.schemas = SL_TRY(ReadItems<Schema>(*schemas, internal::SchemaFromJson));
  metadata.current_schema_id = SL_TRY(internal::IdMember<SchemaId>(json, "current-schema-id"));
  // A new column with an id in use would read another column's data, so a number too low is raised.
  FieldId highest = SL_TRY(internal::IdMember<FieldId>(json, "last-column-id"));
  for (const Schema& schema : metadata.schemas) {
    highest = std::max(highest, HighestFieldId(schema));
  }
  metadata.last_column_id = highest;
  return {};
}

Status ReadSpecs(const Json& json, TableMetadata& metadata) {
  const Json* const specs = SL_TRY(ArrayMember(json, "partition-specs"));
  metadata.partition_specs = SL_TRY(ReadItems<PartitionSpec>(*specs, SpecFromJson));
  metadata.default_spec_id = SL_TRY(internal::IdMember<SpecId>(json, "default-spec-id"));
  const std::optional<std::int32_t> last = SL_TRY(OptionalInt32Member(json, "last-partition-id"));
  FieldId highest(last.value_or(metadata.last_partition_id.value()));
  for (const PartitionSpec& spec : metadata.partition_specs) {
    for (const PartitionField& field : spec.fields) {
      highest = std::max(highest, field.field_id);
    }
  }
  metadata.last_partition_id = highest;
  return {};
}

Status ReadSortOrders(const Json& json, TableMetadata& metadata) {
  const Json* const orders = SL_TRY(OptionalArrayMember(json, "sort-orders"));
  metadata.sort_orders = SL_TRY(ReadItems<SortOrder>(*orders, internal::SortOrderFromJson));
  if (metadata.sort_orders.empty()) {
    metadata.sort_orders.push_back(SortOrder{});
  }
  const std::optional<std::int32_t> id = SL_TRY(OptionalInt32Member(json, "default-sort-order-id"));
  metadata.default_sort_order_id = SortOrderId(id.value_or(0));
  return {};
}

Status ReadRefs(const Json& json, TableMetadata& metadata) {
  if (const Json* const refs = FindMember(json, "refs")) {
    SL_TRY(CheckObject(*refs, "refs"));
    for (const auto& [name, item] : refs->items()) {
      const SnapshotRef ref = SL_TRY(internal::SnapshotRefFromJson(item), "ref {}", name);
      metadata.refs.emplace(name, ref);
    }
  }
  // Writers older than refs, and careless ones, leave main to be understood.
  if (metadata.current_snapshot_id) {
    metadata.refs.try_emplace(std::string(kMainBranch),
                              SnapshotRef{.snapshot_id = *metadata.current_snapshot_id});
  }
  return {};
}

Status ReadHistory(const Json& json, TableMetadata& metadata) {
  const std::optional<std::int64_t> current =
      SL_TRY(OptionalInt64Member(json, "current-snapshot-id"));
  if (current && *current != internal::kNoSnapshot) {
    metadata.current_snapshot_id = SnapshotId(*current);
  }
  SL_TRY(ReadRefs(json, metadata));
  const Json* const snapshot_log = SL_TRY(OptionalArrayMember(json, "snapshot-log"));
  metadata.snapshot_log =
      SL_TRY(ReadItems<SnapshotLogEntry>(*snapshot_log, SnapshotLogEntryFromJson));
  const Json* const metadata_log = SL_TRY(OptionalArrayMember(json, "metadata-log"));
  metadata.metadata_log =
      SL_TRY(ReadItems<MetadataLogEntry>(*metadata_log, MetadataLogEntryFromJson));
  return {};
}

Result<std::vector<std::string>> ReadTexts(const Json& json, const char* name) {
  const Json* const items = SL_TRY(OptionalArrayMember(json, name));
  return ReadItems<std::string>(
      *items, [](const Json& item) -> Result<std::string> { return JsonText(item); });
}

Result<TableMetadata> MetadataOf(internal::MetadataDocument document) {
  const Json& json = document.others;
  const std::int32_t version = SL_TRY(Int32Member(json, "format-version"));
  if (version != kFormatVersion) {
    return MakeError(
        version == 1 || version > kFormatVersion ? ErrorKind::kUnsupported : ErrorKind::kCorrupt,
        "format version {} is not supported, only {}", version, kFormatVersion);
  }
  TableMetadata metadata;
  metadata.snapshots = std::move(document.snapshots);
  SL_TRY(ReadIdentity(json, metadata));
  SL_TRY(ReadSchemas(json, metadata));
  SL_TRY(ReadSpecs(json, metadata));
  SL_TRY(ReadSortOrders(json, metadata));
  SL_TRY(ReadHistory(json, metadata));
  metadata.statistics = SL_TRY(ReadTexts(json, "statistics"));
  metadata.partition_statistics = SL_TRY(ReadTexts(json, "partition-statistics"));
  metadata.unknown_fields = internal::UnknownMembers(json, kMetadataMembers);
  if (!json.contains("last-sequence-number")) {
    // DuckDB 1.5 leaves it out although version 2 requires it: then what its snapshots say.
    for (const Snapshot& snapshot : metadata.snapshots) {
      metadata.last_sequence_number =
          std::max(metadata.last_sequence_number, snapshot.sequence_number);
    }
  }
  SL_TRY(CheckTableMetadata(metadata));
  return metadata;
}

Json RefsToJson(const std::map<std::string, SnapshotRef>& refs) {
  Json json = Json::object();
  for (const auto& [name, ref] : refs) {
    json[name] = internal::SnapshotRefToJson(ref);
  }
  return json;
}

}  // namespace

Result<TableMetadata> ParseTableMetadata(std::string_view bytes, std::string_view location) {
  std::string inflated;
  if (internal::IsGzip(bytes)) {
    inflated = SL_TRY(internal::Gunzip(bytes), "reading {}", location);
    bytes = inflated;
  }
  internal::MetadataDocument document =
      SL_TRY(internal::ReadMetadataDocument(bytes), "reading {}", location);
  TableMetadata metadata = SL_TRY(MetadataOf(std::move(document)), "reading {}", location);
  return metadata;
}

std::string TableMetadataJson(const TableMetadata& metadata) {
  Json json = {
      {"format-version", metadata.format_version},
      {"table-uuid", metadata.table_uuid},
      {"location", metadata.location},
      {"last-sequence-number", metadata.last_sequence_number.value()},
      {"last-updated-ms", metadata.last_updated_ms},
      {"last-column-id", metadata.last_column_id.value()},
      {"schemas", WriteItems(metadata.schemas, internal::SchemaToJson)},
      {"current-schema-id", metadata.current_schema_id.value()},
      {"partition-specs", WriteItems(metadata.partition_specs, SpecToJson)},
      {"default-spec-id", metadata.default_spec_id.value()},
      {"last-partition-id", metadata.last_partition_id.value()},
      {"properties", metadata.properties},
      {"snapshots", WriteItems(metadata.snapshots, internal::SnapshotToJson)},
      {"snapshot-log", WriteItems(metadata.snapshot_log, SnapshotLogEntryToJson)},
      {"metadata-log", WriteItems(metadata.metadata_log, MetadataLogEntryToJson)},
      {"sort-orders", WriteItems(metadata.sort_orders, internal::SortOrderToJson)},
      {"default-sort-order-id", metadata.default_sort_order_id.value()},
      {"refs", RefsToJson(metadata.refs)},
      {"statistics", WriteItems(metadata.statistics, JsonOfOurs)},
      {"partition-statistics", WriteItems(metadata.partition_statistics, JsonOfOurs)},
  };
  if (metadata.current_snapshot_id) {
    json["current-snapshot-id"] = metadata.current_snapshot_id->value();
  }
  internal::AddUnknownMembers(metadata.unknown_fields, json);
  return JsonText(json);
}

}  // namespace strandline::table
