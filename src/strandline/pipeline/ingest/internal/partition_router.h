#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/table/partition/partition_spec.h"

namespace strandline::pipeline::ingest {

// A partition of the unit, as a small number.
using PartitionNumber = std::uint32_t;
// Of a row whose partition cannot be told: a value leaves its transform's type.
inline constexpr PartitionNumber kNoPartition = std::numeric_limits<PartitionNumber>::max();

// The partitions that rows of a unit fall into, numbered as they are met. Thread-safe.
class PartitionNumbers {
 public:
  PartitionNumber Of(const table::PartitionTuple& tuple);
  // The reference stays good.
  const table::PartitionTuple& TupleOf(PartitionNumber number) const;
  std::size_t count() const;

 private:
  mutable std::mutex mutex_;
  std::map<table::PartitionTuple, PartitionNumber, table::PartitionTupleLess> numbers_;
  std::deque<const table::PartitionTuple*> tuples_;
};

// Tells the partition of every row of a batch. What a value becomes is remembered: times by the
// hour or day they lie in, so that a batch of one hour costs one comparison a row. Not thread-safe:
// one for each thread.
class PartitionRouter {
 public:
  // `schema` must hold the spec's source columns; `columns` are their indexes in the batches to
  // come, by field of the spec. `numbers` must outlive it.
  PartitionRouter(const table::PartitionSpec& spec, const table::Schema& schema,
                  std::vector<int> columns, PartitionNumbers& numbers);

  // One number for each row.
  Result<std::vector<PartitionNumber>> Route(const arrow::RecordBatch& batch);

 private:
  using Code = std::uint32_t;  // One partition value of one field.

  // What one field of the spec makes of values, as codes.
  struct Field {
    table::Transform transform;
    table::Type source;
    int column = 0;
    std::vector<table::Value> values;  // By code.
    std::unordered_map<std::string, Code> code_of_value;
    // Times in [span_begin, span_end) have one partition value.
    std::int64_t span_begin = 0;
    std::int64_t span_end = 0;
    Code span_code = 0;
  };

  static std::int64_t SpanMicros(table::TransformKind kind);
  static Code AddValue(Field& field, const arrow::Array& array, std::int64_t row);
  static void CodeTimes(Field& field, const arrow::Array& array, std::vector<Code>& codes);
  // The number of a row's codes, field by field.
  PartitionNumber NumberOf(const std::vector<Code>& codes);

  std::vector<Field> fields_;
  PartitionNumbers& numbers_;
  std::map<std::vector<Code>, PartitionNumber> number_of_codes_;
};

}  // namespace strandline::pipeline::ingest
