#pragma once

#include <map>
#include <string>
#include <vector>

#include "strandline/table/partition/transform.h"
#include "strandline/table/schema/schema.h"

namespace strandline::table {

struct PartitionField {
  FieldId source_id;
  FieldId field_id;  // From 1000 on.
  std::string name;
  Transform transform;
  // Members of the JSON object that we do not know, by name, as JSON text: kept when it is
  // rewritten.
  std::map<std::string, std::string> unknown_fields = {};

  friend bool operator==(const PartitionField&, const PartitionField&) = default;
};

// The usual name of the field that `transform` makes of `column`: `country`, `event_time_hour`,
// `id_bucket`, `id_trunc`.
std::string PartitionFieldName(const Transform& transform, std::string_view column);

// How a table's rows are divided. https://iceberg.apache.org/spec/#partition-specs
struct PartitionSpec {
  SpecId id;
  std::vector<PartitionField> fields = {};                 // Empty: unpartitioned.
  std::map<std::string, std::string> unknown_fields = {};  // As in a field.

  friend bool operator==(const PartitionSpec&, const PartitionSpec&) = default;
};

// The values of one partition, in the order of its spec's fields.
using PartitionTuple = std::vector<Value>;

// Field ids of a partition struct and their types; source columns that are gone give kUnknown-typed
// fields read as they stand in the manifest. kCorrupt when a transform does not fit its source.
Result<std::vector<NestedField>> PartitionType(const PartitionSpec& spec, const Schema& schema);

// `event_time_hour=2026-11-30-05/country=DE`, names and values escaped; empty for an unpartitioned
// spec. A level too long for a file system is cut and ends in a fingerprint instead.
std::string PartitionPath(const PartitionSpec& spec, const Schema& schema,
                          const PartitionTuple& tuple);

// For messages: `2026-11-30-05, DE`.
std::string PartitionText(const PartitionSpec& spec, const Schema& schema,
                          const PartitionTuple& tuple);

// Ordering of tuples: field by field, null first; for maps keyed by partition.
bool PartitionLess(const PartitionTuple& a, const PartitionTuple& b);
// Equal in that order: a NaN is the same as a NaN, which `==` of values denies.
bool IsSamePartition(const PartitionTuple& a, const PartitionTuple& b);
struct PartitionTupleLess {
  bool operator()(const PartitionTuple& a, const PartitionTuple& b) const {
    return PartitionLess(a, b);
  }
};

}  // namespace strandline::table
