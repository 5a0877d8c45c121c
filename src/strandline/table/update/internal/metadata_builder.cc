#include "strandline/table/update/internal/metadata_builder.h"

#include <algorithm>
#include <set>
#include <string>
#include <variant>

namespace strandline::table::internal {
namespace {

// Field ids of one level and below must differ; so must the names of each level.
Status CheckFields(const std::vector<NestedField>& fields, std::set<FieldId>& ids) {
  std::set<std::string_view> names;
  for (const NestedField& field : fields) {
    if (field.id.value() <= 0) {
      return MakeError(ErrorKind::kInvalidArgument, "field id is not positive: {} of column {}",
                       field.id, field.name);
    }
    if (!ids.insert(field.id).second) {
      return MakeError(ErrorKind::kInvalidArgument, "field id is used twice: {}, last by column {}",
                       field.id, field.name);
    }
    if (!names.insert(field.name).second) {
      return MakeError(ErrorKind::kInvalidArgument, "column name is used twice: {}", field.name);
    }
    SL_TRY(CheckFields(field.type.fields, ids));
  }
  return {};
}

Status CheckSchema(const Schema& schema) {
  std::set<FieldId> ids;
  SL_TRY(CheckFields(schema.fields, ids));
  for (const FieldId id : schema.identifier_field_ids) {
    if (!ids.contains(id)) {
      return MakeError(ErrorKind::kInvalidArgument, "identifier field is not in the schema: {}",
                       id);
    }
  }
  return {};
}

// Whether two specs divide rows the same way under the same names (field ids aside).
bool IsSameSpec(const PartitionSpec& a, const PartitionSpec& b) {
  return std::ranges::equal(a.fields, b.fields,
                            [](const PartitionField& left, const PartitionField& right) {
                              return left.source_id == right.source_id && left.name == right.name &&
                                     left.transform == right.transform;
                            });
}

}  // namespace

MetadataBuilder::MetadataBuilder(const TableMetadata* base, std::int64_t now_ms)
    : metadata_(base != nullptr ? *base : TableMetadata{}),
      now_ms_(base != nullptr ? std::max(now_ms, base->last_updated_ms + 1) : now_ms),
      base_updated_ms_(base != nullptr ? base->last_updated_ms : now_ms),
      base_snapshot_count_(metadata_.snapshots.size()) {}

Status MetadataBuilder::Apply(const Update& update) {
  return std::visit([this](const auto& u) -> Status { return Do(u); }, update);
}

Status MetadataBuilder::Do(const AssignUuid& update) {
  if (update.uuid.empty()) {
    return MakeError(ErrorKind::kInvalidArgument, "table uuid is empty");
  }
  if (!metadata_.table_uuid.empty() && metadata_.table_uuid != update.uuid) {
    return MakeError(ErrorKind::kInvalidArgument, "table has a uuid already: {}, not {}",
                     metadata_.table_uuid, update.uuid);
  }
  metadata_.table_uuid = update.uuid;
  return {};
}

Status MetadataBuilder::Do(const UpgradeFormatVersion& update) {
  if (update.format_version < metadata_.format_version) {
    return MakeError(ErrorKind::kInvalidArgument, "format version cannot go back: from {} to {}",
                     metadata_.format_version, update.format_version);
  }
  if (update.format_version != 2) {
    return MakeError(ErrorKind::kUnsupported, "tables are written in format version 2, not {}",
                     update.format_version);
  }
  return {};
}

Status MetadataBuilder::Do(const AddSchema& update) {
  SL_TRY(CheckSchema(update.schema), "adding a schema");
  Schema schema = update.schema;
  const auto same = std::ranges::find_if(metadata_.schemas, [&](const Schema& existing) {
    return existing.fields == schema.fields &&
           existing.identifier_field_ids == schema.identifier_field_ids;
  });
  metadata_.last_column_id = std::max(metadata_.last_column_id, HighestFieldId(schema));
  if (same != metadata_.schemas.end()) {
    last_added_schema_ = same->id;
    return {};
  }
  schema.id = SchemaId(0);
  for (const Schema& existing : metadata_.schemas) {
    schema.id = std::max(schema.id, SchemaId(existing.id.value() + 1));
  }
  last_added_schema_ = schema.id;
  metadata_.schemas.push_back(std::move(schema));
  return {};
}

Status MetadataBuilder::Do(const SetCurrentSchema& update) {
  const std::optional<SchemaId> id = update.id ? update.id : last_added_schema_;
  if (!id) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "no schema was added that could become the current one");
  }
  if (FindSchema(metadata_, *id) == nullptr) {
    return MakeError(ErrorKind::kInvalidArgument, "current schema is not in the table: {}", *id);
  }
  metadata_.current_schema_id = *id;
  return {};
}

// Whether two fields may have one id: readers take it for one column of all specs. A field that was
// dropped from a version 1 spec stays there as void.
bool MayShareId(const PartitionField& a, const PartitionField& b) {
  return a.source_id == b.source_id &&
         (a.transform == b.transform || a.transform.kind == TransformKind::kVoid ||
          b.transform.kind == TransformKind::kVoid);
}

// Gives `field` an id and checks that its transform fits its source column.
Status MetadataBuilder::BindPartitionField(PartitionField& field) {
  const Schema* schema = FindSchema(metadata_, metadata_.current_schema_id);
  const NestedField* source = schema != nullptr ? FindField(*schema, field.source_id) : nullptr;
  if (source == nullptr) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "partition field {} has a source that is not in the schema: {}", field.name,
                     field.source_id);
  }
  if (field.transform.kind == TransformKind::kUnknown) {
    return MakeError(ErrorKind::kUnsupported, "partition field {} has an unknown transform: {}",
                     field.name, field.transform.text);
  }
  SL_TRY(TransformResultType(field.transform, source->type), "partition field {}", field.name);
  const NestedField* namesake = FindColumn(*schema, field.name);
  const bool may_share_name = field.transform.kind == TransformKind::kIdentity ||
                              field.transform.kind == TransformKind::kVoid;
  if (namesake != nullptr && !(may_share_name && namesake->id == field.source_id)) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "partition field has the name of a column that it is not: {}", field.name);
  }
  if (field.field_id.value() != 0) {
    for (const PartitionSpec& spec : metadata_.partition_specs) {
      for (const PartitionField& existing : spec.fields) {
        if (existing.field_id == field.field_id && !MayShareId(existing, field)) {
          return MakeError(ErrorKind::kInvalidArgument,
                           "partition field {} has the id of another in spec {}: {} is {} of "
                           "column {} there, {} of column {} here",
                           field.name, spec.id, field.field_id, ToString(existing.transform),
                           existing.source_id, ToString(field.transform), field.source_id);
        }
      }
    }
    return {};
  }
  // https://iceberg.apache.org/spec/#partition-evolution: an equal field keeps its id.
  for (const PartitionSpec& spec : metadata_.partition_specs) {
    for (const PartitionField& existing : spec.fields) {
      if (existing.source_id == field.source_id && existing.transform == field.transform) {
        field.field_id = existing.field_id;
        return {};
      }
    }
  }
  field.field_id = FieldId(metadata_.last_partition_id.value() + 1);
  return {};
}

Status MetadataBuilder::Do(const AddPartitionSpec& update) {
  PartitionSpec spec = update.spec;
  std::set<std::string_view> names;
  std::set<FieldId> ids;
  FieldId last_id = metadata_.last_partition_id;
  for (PartitionField& field : spec.fields) {
    SL_TRY(BindPartitionField(field), "adding a partition spec");
    if (!names.insert(field.name).second) {
      return MakeError(ErrorKind::kInvalidArgument, "partition field name is used twice: {}",
                       field.name);
    }
    if (!ids.insert(field.field_id).second) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "partition field id is used twice: {}, last by {}", field.field_id,
                       field.name);
    }
    metadata_.last_partition_id = std::max(metadata_.last_partition_id, field.field_id);
  }
  const auto same = std::ranges::find_if(
      metadata_.partition_specs,
      [&](const PartitionSpec& existing) { return IsSameSpec(existing, spec); });
  if (same != metadata_.partition_specs.end()) {
    metadata_.last_partition_id = last_id;
    last_added_spec_ = same->id;
    return {};
  }
  spec.id = SpecId(0);
  for (const PartitionSpec& existing : metadata_.partition_specs) {
    spec.id = std::max(spec.id, SpecId(existing.id.value() + 1));
  }
  last_added_spec_ = spec.id;
  metadata_.partition_specs.push_back(std::move(spec));
  return {};
}

Status MetadataBuilder::Do(const SetDefaultSpec& update) {
  const std::optional<SpecId> id = update.id ? update.id : last_added_spec_;
  if (!id) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "no partition spec was added that could become the default");
  }
  if (FindSpec(metadata_, *id) == nullptr) {
    return MakeError(ErrorKind::kInvalidArgument, "default partition spec is not in the table: {}",
                     *id);
  }
  metadata_.default_spec_id = *id;
  return {};
}

Status MetadataBuilder::Do(const AddSortOrder& update) {
  SortOrder order = update.order;
  const Schema* schema = FindSchema(metadata_, metadata_.current_schema_id);
  for (const SortField& field : order.fields) {
    if (schema == nullptr || FindField(*schema, field.source_id) == nullptr) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "sort order has a source that is not in the schema: {}", field.source_id);
    }
  }
  const auto same = std::ranges::find(metadata_.sort_orders, order.fields, &SortOrder::fields);
  if (same != metadata_.sort_orders.end()) {
    last_added_sort_order_ = same->id;
    return {};
  }
  order.id = SortOrderId(order.fields.empty() ? 0 : 1);  // 0 is reserved for "unsorted".
  if (!order.fields.empty()) {
    for (const SortOrder& existing : metadata_.sort_orders) {
      order.id = std::max(order.id, SortOrderId(existing.id.value() + 1));
    }
  }
  last_added_sort_order_ = order.id;
  metadata_.sort_orders.push_back(std::move(order));
  return {};
}

Status MetadataBuilder::Do(const SetDefaultSortOrder& update) {
  const std::optional<SortOrderId> id = update.id ? update.id : last_added_sort_order_;
  if (!id) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "no sort order was added that could become the default");
  }
  if (std::ranges::find(metadata_.sort_orders, *id, &SortOrder::id) ==
      metadata_.sort_orders.end()) {
    return MakeError(ErrorKind::kInvalidArgument, "default sort order is not in the table: {}",
                     *id);
  }
  metadata_.default_sort_order_id = *id;
  return {};
}

Status MetadataBuilder::Do(const SetLocation& update) {
  std::string_view location = update.location;
  while (location.size() > 1 && location.ends_with('/')) {
    location.remove_suffix(1);
  }
  if (location.empty()) {
    return MakeError(ErrorKind::kInvalidArgument, "table location is empty");
  }
  metadata_.location = location;
  return {};
}

Status MetadataBuilder::Do(const SetProperties& update) {
  for (const auto& [key, value] : update.properties) {
    metadata_.properties[key] = value;
  }
  return {};
}

Status MetadataBuilder::Do(const RemoveProperties& update) {
  for (const std::string& key : update.keys) {
    metadata_.properties.erase(key);
  }
  return {};
}

Result<TableMetadata> MetadataBuilder::Finish() && {
  if (metadata_.table_uuid.empty() || metadata_.location.empty()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "a table needs a uuid and a location: uuid '{}', location '{}'",
                     metadata_.table_uuid, metadata_.location);
  }
  if (FindSchema(metadata_, metadata_.current_schema_id) == nullptr) {
    return MakeError(ErrorKind::kInvalidArgument, "a table needs a current schema");
  }
  if (metadata_.partition_specs.empty()) {
    metadata_.partition_specs.push_back({SpecId(0), {}});
  }
  if (FindSpec(metadata_, metadata_.default_spec_id) == nullptr) {
    return MakeError(ErrorKind::kInvalidArgument, "a table needs a default partition spec");
  }
  if (metadata_.sort_orders.empty()) {
    metadata_.sort_orders.push_back({SortOrderId(0), {}});
  }
  metadata_.last_updated_ms = std::max(metadata_.last_updated_ms, now_ms_);
  const Status checked = CheckTableMetadata(metadata_);
  if (!checked) {
    return Error{ErrorKind::kInvalidArgument, checked.error().message};
  }
  return std::move(metadata_);
}

}  // namespace strandline::table::internal
