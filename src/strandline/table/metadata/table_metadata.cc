#include "strandline/table/metadata/table_metadata.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_map>

namespace strandline::table {
namespace {

template <typename T, typename ItemId>
const T* FindById(const std::vector<T>& items, ItemId id) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const T& item) { return item.id == id; });
  return found == items.end() ? nullptr : &*found;
}

template <typename T>
Status CheckUnique(const std::vector<T>& items, std::string_view what) {
  std::set<decltype(T::id)> ids;
  for (const T& item : items) {
    if (!ids.insert(item.id).second) {
      return MakeError(ErrorKind::kCorrupt, "two {}s have the id {}", what, item.id);
    }
  }
  return {};
}

Status CheckRange(std::string_view field, std::int64_t value, std::int64_t max) {
  if (value < 0 || value > max) {
    return MakeError(ErrorKind::kCorrupt, "{} is outside 0..{}: {}", field, max, value);
  }
  return {};
}

template <typename T>
Status CheckSmallIds(std::string_view field, const std::vector<T>& items) {
  for (const T& item : items) {
    SL_TRY(CheckRange(field, item.id.value(), kSmallIdMax));
  }
  return {};
}

Status CheckRanges(const TableMetadata& metadata) {
  SL_TRY(CheckRange("last-sequence-number", metadata.last_sequence_number.value(),
                    kSequenceNumberMax));
  SL_TRY(CheckRange("last-updated-ms", metadata.last_updated_ms, kTimestampMsMax));
  SL_TRY(CheckRange("last-column-id", metadata.last_column_id.value(), kFieldIdMax));
  SL_TRY(CheckRange("last-partition-id", metadata.last_partition_id.value(), kFieldIdMax));
  SL_TRY(CheckSmallIds("schema-id", metadata.schemas));
  SL_TRY(CheckSmallIds("spec-id", metadata.partition_specs));
  SL_TRY(CheckSmallIds("order-id", metadata.sort_orders));
  for (const Snapshot& snapshot : metadata.snapshots) {
    SL_TRY(CheckRange("sequence-number", snapshot.sequence_number.value(), kSequenceNumberMax),
           "snapshot {}", snapshot.id);
    SL_TRY(CheckRange("timestamp-ms", snapshot.timestamp_ms, kTimestampMsMax), "snapshot {}",
           snapshot.id);
  }
  return {};
}

Status CheckSortOrders(const TableMetadata& metadata) {
  constexpr SortOrderId kUnsorted(0);
  SL_TRY(CheckUnique(metadata.sort_orders, "sort order"));
  const SortOrder* const unsorted = FindById(metadata.sort_orders, kUnsorted);
  if (unsorted != nullptr && !unsorted->fields.empty()) {
    return MakeError(ErrorKind::kCorrupt,
                     "sort order 0 means unsorted and can have no fields, found {}",
                     unsorted->fields.size());
  }
  const SortOrderId current = metadata.default_sort_order_id;
  if (current != kUnsorted && FindById(metadata.sort_orders, current) == nullptr) {
    return MakeError(ErrorKind::kCorrupt, "default-sort-order-id: no sort order {}", current);
  }
  return {};
}

Status CheckSnapshots(const TableMetadata& metadata) {
  SL_TRY(CheckUnique(metadata.snapshots, "snapshot"));
  const std::optional<SnapshotId> current = metadata.current_snapshot_id;
  if (current && FindSnapshot(metadata, *current) == nullptr) {
    return MakeError(ErrorKind::kCorrupt, "current-snapshot-id: no snapshot {}", *current);
  }
  for (const auto& [name, ref] : metadata.refs) {
    if (FindSnapshot(metadata, ref.snapshot_id) == nullptr) {
      return MakeError(ErrorKind::kCorrupt, "ref {}: no snapshot {}", name, ref.snapshot_id);
    }
  }
  const auto main = metadata.refs.find(std::string(kMainBranch));
  const std::optional<SnapshotId> head =
      main == metadata.refs.end() ? std::nullopt : std::optional(main->second.snapshot_id);
  if (head != current) {
    return MakeError(
        ErrorKind::kCorrupt, "the branch main and current-snapshot-id disagree: {} and {}",
        head ? fmt::format("{}", *head) : "none", current ? fmt::format("{}", *current) : "none");
  }
  return {};
}

}  // namespace

std::string_view ToString(Operation operation) {
  switch (operation) {
    case Operation::kAppend:
      return "append";
    case Operation::kReplace:
      return "replace";
    case Operation::kOverwrite:
      return "overwrite";
    case Operation::kDelete:
      return "delete";
  }
  SL_CHECK(false);
  return {};
}

Operation OperationOf(const Snapshot& snapshot) {
  const auto found = snapshot.summary.find("operation");
  for (const Operation operation : {Operation::kAppend, Operation::kReplace, Operation::kDelete}) {
    if (found != snapshot.summary.end() && found->second == ToString(operation)) {
      return operation;
    }
  }
  return Operation::kOverwrite;
}

const Snapshot* FindSnapshot(const TableMetadata& metadata, SnapshotId id) {
  return FindById(metadata.snapshots, id);
}

const Schema* FindSchema(const TableMetadata& metadata, SchemaId id) {
  return FindById(metadata.schemas, id);
}

const PartitionSpec* FindSpec(const TableMetadata& metadata, SpecId id) {
  return FindById(metadata.partition_specs, id);
}

const Schema& CurrentSchema(const TableMetadata& metadata) {
  const Schema* const schema = FindSchema(metadata, metadata.current_schema_id);
  SL_CHECK(schema != nullptr);
  return *schema;
}

const PartitionSpec& DefaultSpec(const TableMetadata& metadata) {
  const PartitionSpec* const spec = FindSpec(metadata, metadata.default_spec_id);
  SL_CHECK(spec != nullptr);
  return *spec;
}

const Snapshot* CurrentSnapshot(const TableMetadata& metadata) {
  return metadata.current_snapshot_id ? FindSnapshot(metadata, *metadata.current_snapshot_id)
                                      : nullptr;
}

std::vector<const Snapshot*> Ancestors(const TableMetadata& metadata, SnapshotId from) {
  std::unordered_map<SnapshotId, const Snapshot*> by_id;
  for (const Snapshot& snapshot : metadata.snapshots) {
    by_id.emplace(snapshot.id, &snapshot);
  }
  std::vector<const Snapshot*> ancestors;
  std::optional<SnapshotId> next = from;
  while (next) {
    // Taken out, so that parents that form a circle end the walk too.
    const auto found = by_id.extract(*next);
    if (found.empty()) {
      break;
    }
    ancestors.push_back(found.mapped());
    next = found.mapped()->parent_id;
  }
  return ancestors;
}

std::string PropertyOr(const TableMetadata& metadata, std::string_view key,
                       std::string_view fallback) {
  const auto found = metadata.properties.find(std::string(key));
  return found == metadata.properties.end() ? std::string(fallback) : found->second;
}

std::int64_t IntPropertyOr(const TableMetadata& metadata, std::string_view key,
                           std::int64_t fallback) {
  const std::string text = PropertyOr(metadata, key, "");
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? value : fallback;
}

Result<std::optional<std::int64_t>> NumberProperty(const TableMetadata& metadata,
                                                   std::string_view key, std::int64_t min,
                                                   std::int64_t max) {
  const auto property = metadata.properties.find(std::string(key));
  if (property == metadata.properties.end()) {
    return std::optional<std::int64_t>();
  }
  const std::string& text = property->second;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < min || value > max) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "table property {} must be a number from {} to {}: {}", key, min, max, text);
  }
  return std::optional<std::int64_t>(value);
}

Status CheckTableMetadata(const TableMetadata& metadata) {
  SL_TRY(CheckRanges(metadata));
  SL_TRY(CheckUnique(metadata.schemas, "schema"));
  SL_TRY(CheckUnique(metadata.partition_specs, "partition spec"));
  if (FindSchema(metadata, metadata.current_schema_id) == nullptr) {
    return MakeError(ErrorKind::kCorrupt, "current-schema-id: no schema {}",
                     metadata.current_schema_id);
  }
  if (FindSpec(metadata, metadata.default_spec_id) == nullptr) {
    return MakeError(ErrorKind::kCorrupt, "default-spec-id: no partition spec {}",
                     metadata.default_spec_id);
  }
  SL_TRY(CheckSortOrders(metadata));
  return CheckSnapshots(metadata);
}

}  // namespace strandline::table
