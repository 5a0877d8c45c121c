#include <string>
#include <variant>

#include "strandline/table/update/update.h"

namespace strandline::table {
namespace {

std::string IdText(const std::optional<SnapshotId>& id) {
  return id ? fmt::format("{}", *id) : "none";
}

// Checks one requirement against a table that is there.
struct Check {
  const TableMetadata& base;

  Status operator()(const AssertCreate&) const {
    return MakeError(ErrorKind::kConflict, "table was expected not to be there: found uuid {}",
                     base.table_uuid);
  }
  Status operator()(const AssertUuid& wanted) const {
    if (base.table_uuid != wanted.uuid) {
      return MakeError(ErrorKind::kConflict,
                       "table is another one than expected: expected uuid {}, found {}",
                       wanted.uuid, base.table_uuid);
    }
    return {};
  }
  Status operator()(const AssertRefSnapshotId& wanted) const {
    const std::optional<SnapshotId> found = RefSnapshotId(base, wanted.name);
    if (found != wanted.id) {
      return MakeError(ErrorKind::kConflict, "{} has moved: expected snapshot {}, found {}",
                       wanted.name, IdText(wanted.id), IdText(found));
    }
    return {};
  }
  Status operator()(const AssertCurrentSchemaId& wanted) const {
    return Same("current schema", wanted.id, base.current_schema_id);
  }
  Status operator()(const AssertDefaultSpecId& wanted) const {
    return Same("default partition spec", wanted.id, base.default_spec_id);
  }
  Status operator()(const AssertDefaultSortOrderId& wanted) const {
    return Same("default sort order", wanted.id, base.default_sort_order_id);
  }
  Status operator()(const AssertLastAssignedFieldId& wanted) const {
    return Same("last assigned field id", wanted.id, base.last_column_id);
  }
  Status operator()(const AssertLastAssignedPartitionId& wanted) const {
    return Same("last assigned partition field id", wanted.id, base.last_partition_id);
  }

 private:
  template <typename AnyId>
  static Status Same(std::string_view what, AnyId wanted, AnyId found) {
    if (wanted != found) {
      return MakeError(ErrorKind::kConflict, "{} has changed: expected {}, found {}", what, wanted,
                       found);
    }
    return {};
  }
};

}  // namespace

std::optional<SnapshotId> RefSnapshotId(const TableMetadata& metadata, std::string_view ref) {
  const auto found = metadata.refs.find(std::string(ref));
  if (found != metadata.refs.end()) {
    return found->second.snapshot_id;
  }
  return ref == kMainBranch ? metadata.current_snapshot_id : std::nullopt;
}

Status CheckRequirements(const TableMetadata* base, const std::vector<Requirement>& requirements) {
  for (const Requirement& requirement : requirements) {
    if (base != nullptr) {
      SL_TRY(std::visit(Check{*base}, requirement));
    } else if (!std::holds_alternative<AssertCreate>(requirement)) {
      return MakeError(ErrorKind::kConflict, "table was expected to be there, and is not");
    }
  }
  return {};
}

}  // namespace strandline::table
