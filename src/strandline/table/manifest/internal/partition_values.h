#pragma once

#include <vector>

#include "strandline/format/avro/avro.h"
#include "strandline/table/manifest/internal/record_plan.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::table::manifest_format {

// Reads the partition structs of one manifest as tuples in the order of the spec's fields.
class PartitionReader {
 public:
  // `record` is the writer's struct and must outlive the reader. Fields are found by id, or else by
  // name (as it is or sanitised): some writers number them in their own way. kCorrupt names one
  // that is missing.
  static Result<PartitionReader> Make(const format::avro::Schema& record,
                                      std::vector<NestedField> fields);

  // kCorrupt with the field's name when a value is none of the field's type.
  Result<PartitionTuple> Read(format::avro::Cursor& cursor) const;

 private:
  PartitionReader() = default;

  std::vector<NestedField> fields_;
  std::vector<Step> steps_;  // Targets are places in the tuple.
};

// Writes a tuple as a partition struct of EntrySchema(fields). kInvalidArgument when it has another
// length or a value is none of its field's type.
Status WritePartition(const std::vector<NestedField>& fields, const PartitionTuple& tuple,
                      format::avro::Encoder& encoder);

// Gathers the line about each partition field for the manifest list.
class PartitionSummaries {
 public:
  explicit PartitionSummaries(const std::vector<NestedField>& fields);
  // The tuple has passed WritePartition.
  void Add(const PartitionTuple& tuple);
  std::vector<PartitionFieldSummary> Finish() const;

 private:
  struct Range {
    Type type;
    bool contains_null = false;
    bool contains_nan = false;
    Value lowest;  // Null: none yet.
    Value highest;
  };

  std::vector<Range> ranges_;
};

}  // namespace strandline::table::manifest_format
