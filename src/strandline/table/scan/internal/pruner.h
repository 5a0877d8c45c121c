#pragma once

#include <cstdint>
#include <vector>

#include "strandline/table/manifest/manifest.h"
#include "strandline/table/scan/bound_expression.h"

namespace strandline::table::internal {

// Where one expression and one partition spec meet, prepared once and asked about many manifests
// and files. Immutable; thread-safe.
class Pruner {
 public:
  Pruner(BoundExpression expression, const Schema& schema, const PartitionSpec& spec);

  // Whether any row can match: false only if surely none does.
  bool ManifestMayMatch(const ManifestFile& manifest) const;
  bool PartitionMayMatch(const PartitionTuple& partition) const;
  bool FileMayMatch(const DataFile& file) const;

  // Whether all rows match: true only if surely all do.
  bool FileMustMatch(const DataFile& file) const;

 private:
  // A partition field made from the column that a predicate is about.
  struct FieldUse {
    std::size_t index;  // Of the field in its spec.
    Transform transform;
    Type partition_type;
    std::vector<std::int32_t> literal_buckets;  // Of an (in)equality's literals, with kBucket.
  };

  // What partition values, one range for each field of the spec, say about the predicate's column.
  static ValueRange ColumnRange(const BoundPredicate& predicate, const std::vector<FieldUse>& uses,
                                const std::vector<ValueRange>& partition);
  bool PartitionMayMatch(const std::vector<ValueRange>& partition) const;

  BoundExpression expression_;
  std::size_t field_count_;
  std::vector<std::vector<FieldUse>> uses_;  // By ordinal of the predicate.
};

}  // namespace strandline::table::internal
