#include "strandline/table/scan/internal/pruner.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "strandline/table/scan/internal/partition_range.h"

namespace strandline::table::internal {
namespace {

bool HasNan(const Type& type) { return type.id == TypeId::kFloat || type.id == TypeId::kDouble; }

std::optional<Value> DecodeBound(const Type& type, const std::string* bytes) {
  if (bytes == nullptr) {
    return std::nullopt;
  }
  Result<Value> value = DeserializeValue(type, *bytes);
  return value ? std::optional<Value>(std::move(value).value()) : std::nullopt;
}

// One field of a manifest's summary as a range of partition values.
ValueRange SummaryRange(const PartitionFieldSummary& summary, const Type& type) {
  ValueRange range;
  // `contains_nan` is not asked: many writers leave it out, and some write false without looking.
  range.may_hold_nan = HasNan(type);
  if (!summary.lower_bound || !summary.upper_bound) {
    // "All null" by the specification, but some writers leave out what they did not gather: not
    // even contains_null says anything then.
    return range;
  }
  range.may_hold_null = summary.contains_null;
  SetBounds(range, DecodeBound(type, &*summary.lower_bound),
            DecodeBound(type, &*summary.upper_bound));
  return range;
}

std::vector<ValueRange> TupleRanges(const PartitionTuple& tuple) {
  std::vector<ValueRange> ranges;
  ranges.reserve(tuple.size());
  for (const Value& value : tuple) {
    ranges.push_back(ExactRange(value));
  }
  return ranges;
}

// What a file's counts say. A count that is missing says nothing, and so do the counts of a file
// that does not know its own rows. For a struct's field only counts that cover every row count:
// some writers leave out the rows whose struct is null.
void ApplyCounts(const BoundPredicate& predicate, const DataFile& file, ValueRange& range) {
  const std::int64_t rows = file.record_count;
  const std::int64_t* values = FindCount(file.value_counts, predicate.column);
  const std::int64_t* nulls = FindCount(file.null_value_counts, predicate.column);
  const std::int64_t* nans = FindCount(file.nan_value_counts, predicate.column);
  if (rows < 0) {
    return;
  }
  const bool covers_all_rows = !predicate.is_nested || (values != nullptr && *values == rows);
  if (nulls != nullptr && *nulls == 0 && covers_all_rows) {
    range.may_hold_null = false;
  }
  if (nulls != nullptr && *nulls >= rows) {
    range.may_hold_nan = false;
    range.may_hold_value = false;
  }
  if (nans != nullptr && *nans == 0) {
    range.may_hold_nan = false;
  }
  if (nans != nullptr && nulls != nullptr && *nans > 0 && *nans + *nulls >= rows) {
    range.may_hold_value = false;
  }
}

ValueRange MetricsRange(const BoundPredicate& predicate, const DataFile& file) {
  ValueRange range;
  if (!predicate.type.is_primitive()) {
    return range;
  }
  range.may_hold_nan = HasNan(predicate.type);
  ApplyCounts(predicate, file, range);
  SetBounds(range, DecodeBound(predicate.type, FindBound(file.lower_bounds, predicate.column)),
            DecodeBound(predicate.type, FindBound(file.upper_bounds, predicate.column)));
  return range;
}

bool AsksForEquality(ExpressionKind kind) {
  return kind == ExpressionKind::kEqual || kind == ExpressionKind::kIn;
}

// Whether one of the literals' buckets lies in the range of buckets.
bool BucketMayMatch(const std::vector<std::int32_t>& buckets, const ValueRange& partition) {
  return std::any_of(buckets.begin(), buckets.end(), [&](std::int32_t bucket) {
    const bool below = partition.lower && CompareAsSql(*partition.lower, Value(bucket)) > 0;
    const bool above = partition.upper && CompareAsSql(*partition.upper, Value(bucket)) < 0;
    return !below && !above;
  });
}

}  // namespace

Pruner::Pruner(BoundExpression expression, const Schema& schema, const PartitionSpec& spec)
    : expression_(std::move(expression)), field_count_(spec.fields.size()) {
  ForEachPredicate(expression_, [&](const BoundPredicate& predicate) {
    std::vector<FieldUse>& uses = uses_.emplace_back();
    for (std::size_t i = 0; i < spec.fields.size(); ++i) {
      const PartitionField& field = spec.fields[i];
      const NestedField* source = FindField(schema, field.source_id);
      if (field.source_id != predicate.column || source == nullptr) {
        continue;
      }
      Result<Type> partition_type = TransformResultType(field.transform, source->type);
      if (!partition_type) {
        continue;
      }
      FieldUse use{.index = i,
                   .transform = field.transform,
                   .partition_type = std::move(partition_type).value(),
                   .literal_buckets = {}};
      if (field.transform.kind == TransformKind::kBucket && AsksForEquality(predicate.kind)) {
        for (const Value& literal : predicate.literals) {
          Result<Value> bucket = ApplyTransform(field.transform, source->type, literal);
          const auto* number = bucket ? std::get_if<std::int32_t>(&bucket.value()) : nullptr;
          if (number != nullptr) {
            use.literal_buckets.push_back(*number);
          }
        }
      }
      uses.push_back(std::move(use));
    }
  });
}

ValueRange Pruner::ColumnRange(const BoundPredicate& predicate, const std::vector<FieldUse>& uses,
                               const std::vector<ValueRange>& partition) {
  ValueRange range;
  for (const FieldUse& use : uses) {
    range = Intersect(range, SourceRange(use.transform, predicate.type, partition[use.index]));
  }
  return range;
}

bool Pruner::PartitionMayMatch(const std::vector<ValueRange>& partition) const {
  return Combine(expression_, [&](const BoundPredicate& predicate) {
    const std::vector<FieldUse>& uses = uses_[predicate.ordinal];
    for (const FieldUse& use : uses) {
      // All literals have a bucket, or the transform did not take one of them: then nothing is
      // known.
      if (!use.literal_buckets.empty() && use.literal_buckets.size() == predicate.literals.size() &&
          !BucketMayMatch(use.literal_buckets, partition[use.index])) {
        return false;
      }
    }
    return RangeMayMatch(predicate, ColumnRange(predicate, uses, partition));
  });
}

bool Pruner::PartitionMayMatch(const PartitionTuple& partition) const {
  return partition.size() != field_count_ || PartitionMayMatch(TupleRanges(partition));
}

bool Pruner::ManifestMayMatch(const ManifestFile& manifest) const {
  if (manifest.partitions.size() != field_count_) {
    return true;
  }
  // Only the fields that predicates use are decoded; the others stay unknown.
  std::vector<ValueRange> partition(field_count_);
  for (const std::vector<FieldUse>& uses : uses_) {
    for (const FieldUse& use : uses) {
      partition[use.index] = SummaryRange(manifest.partitions[use.index], use.partition_type);
    }
  }
  return PartitionMayMatch(partition);
}

bool Pruner::FileMayMatch(const DataFile& file) const {
  if (file.record_count == 0) {
    return false;
  }
  if (!PartitionMayMatch(file.partition)) {
    return false;
  }
  const bool has_tuple = file.partition.size() == field_count_;
  const std::vector<ValueRange> partition =
      has_tuple ? TupleRanges(file.partition) : std::vector<ValueRange>(field_count_);
  return Combine(expression_, [&](const BoundPredicate& predicate) {
    const std::vector<FieldUse>& uses = uses_[predicate.ordinal];
    return RangeMayMatch(predicate, Intersect(MetricsRange(predicate, file),
                                              ColumnRange(predicate, uses, partition)));
  });
}

bool Pruner::FileMustMatch(const DataFile& file) const {
  const bool has_tuple = file.partition.size() == field_count_;
  const std::vector<ValueRange> partition =
      has_tuple ? TupleRanges(file.partition) : std::vector<ValueRange>(field_count_);
  return Combine(expression_, [&](const BoundPredicate& predicate) {
    const std::vector<FieldUse>& uses = uses_[predicate.ordinal];
    return RangeMustMatch(predicate, Intersect(MetricsRange(predicate, file),
                                               ColumnRange(predicate, uses, partition)));
  });
}

}  // namespace strandline::table::internal
