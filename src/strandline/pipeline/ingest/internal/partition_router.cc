#include "strandline/pipeline/ingest/internal/partition_router.h"

#include <algorithm>

#include <arrow/api.h>

#include "strandline/base/check.h"
#include "strandline/pipeline/ingest/internal/row_bytes.h"
#include "strandline/table/arrow/arrow_value.h"

namespace strandline::pipeline::ingest {
namespace {

using table::TransformKind;

// Beyond it what is remembered of a field's values is forgotten: a key of a bucket transform hardly
// ever comes again.
constexpr std::size_t kValuesRemembered = 1 << 16;

constexpr std::uint32_t kNoCode = std::numeric_limits<std::uint32_t>::max();

bool IsTimestamp(const table::Type& type) {
  return type.id == table::TypeId::kTimestamp || type.id == table::TypeId::kTimestamptz;
}

}  // namespace

PartitionNumber PartitionNumbers::Of(const table::PartitionTuple& tuple) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] =
      numbers_.try_emplace(tuple, static_cast<PartitionNumber>(tuples_.size()));
  if (is_new) {
    tuples_.push_back(&entry->first);
  }
  return entry->second;
}

const table::PartitionTuple& PartitionNumbers::TupleOf(PartitionNumber number) const {
  const std::lock_guard lock(mutex_);
  return *tuples_.at(number);
}

std::size_t PartitionNumbers::count() const {
  const std::lock_guard lock(mutex_);
  return tuples_.size();
}

PartitionRouter::PartitionRouter(const table::PartitionSpec& spec, const table::Schema& schema,
                                 std::vector<int> columns, PartitionNumbers& numbers)
    : numbers_(numbers) {
  SL_CHECK(columns.size() == spec.fields.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const table::PartitionField& field = spec.fields[i];
    const table::NestedField* source = FindField(schema, field.source_id);
    SL_CHECK(source != nullptr);
    Field& added = fields_.emplace_back();
    added.transform = field.transform;
    added.source = source->type;
    added.column = columns[i];
  }
}

std::int64_t PartitionRouter::SpanMicros(TransformKind kind) {
  constexpr std::int64_t kHour = 3'600'000'000;
  switch (kind) {
    case TransformKind::kHour:
      return kHour;
    case TransformKind::kDay:
    case TransformKind::kMonth:
    case TransformKind::kYear:
      return 24 * kHour;  // No month or year begins inside a day.
    default:
      return 0;
  }
}

PartitionRouter::Code PartitionRouter::AddValue(Field& field, const arrow::Array& array,
                                                std::int64_t row) {
  const Result<table::Value> value = ValueAt(array, row, field.source);
  if (!value) {
    return kNoCode;
  }
  Result<table::Value> transformed = ApplyTransform(field.transform, field.source, *value);
  if (!transformed) {
    return kNoCode;  // The value leaves the transform's type: a problem of its row.
  }
  // Few values are in use at a time; equal ones must get one code, since files follow from it.
  const auto found = std::ranges::find_if(field.values, [&](const table::Value& known) {
    return known.index() == transformed->index() &&
           (IsNull(known) || CompareValues(known, *transformed) == 0);
  });
  if (found != field.values.end()) {
    return static_cast<Code>(found - field.values.begin());
  }
  field.values.push_back(*std::move(transformed));
  return static_cast<Code>(field.values.size() - 1);
}

void PartitionRouter::CodeTimes(Field& field, const arrow::Array& array, std::vector<Code>& codes) {
  const std::int64_t span = SpanMicros(field.transform.kind);
  const auto* times = array.data()->GetValues<std::int64_t>(1);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    const std::int64_t time = times[i];
    if (time >= field.span_begin && time < field.span_end && !array.IsNull(row)) {
      codes[i] = field.span_code;
      continue;
    }
    const Code code = AddValue(field, array, row);
    codes[i] = code;
    if (array.IsNull(row) || code == kNoCode) {
      continue;
    }
    const std::int64_t rest = time % span;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    if (!__builtin_sub_overflow(time, rest < 0 ? rest + span : rest, &begin) &&
        !__builtin_add_overflow(begin, span, &end)) {
      field.span_begin = begin;
      field.span_end = end;
      field.span_code = code;
    }
  }
}

Result<std::vector<PartitionNumber>> PartitionRouter::Route(const arrow::RecordBatch& batch) {
  const auto rows = static_cast<std::size_t>(batch.num_rows());
  if (fields_.empty()) {
    return std::vector<PartitionNumber>(rows, numbers_.Of({}));
  }
  std::vector<std::vector<Code>> codes;
  for (Field& field : fields_) {
    const arrow::Array& array = *batch.column(field.column);
    std::vector<Code>& of_rows = codes.emplace_back(rows);
    if (IsTimestamp(field.source) && SpanMicros(field.transform.kind) > 0) {
      CodeTimes(field, array, of_rows);
      continue;
    }
    RowBytes bytes = SL_TRY(RowBytes::OfColumns(batch, {field.column}));
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string value(bytes.Of(static_cast<std::int64_t>(i)));
      const auto known = field.code_of_value.find(value);
      if (known != field.code_of_value.end()) {
        of_rows[i] = known->second;
        continue;
      }
      of_rows[i] = AddValue(field, array, static_cast<std::int64_t>(i));
      if (field.code_of_value.size() >= kValuesRemembered) {
        field.code_of_value.clear();
      }
      field.code_of_value.emplace(value, of_rows[i]);
    }
  }

  std::vector<PartitionNumber> numbers(rows);
  std::vector<Code> row_codes(fields_.size());
  std::vector<Code> last_codes;
  PartitionNumber last_number = kNoPartition;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t field = 0; field < fields_.size(); ++field) {
      row_codes[field] = codes[field][i];
    }
    if (row_codes != last_codes) {
      last_number = NumberOf(row_codes);
      last_codes = row_codes;
    }
    numbers[i] = last_number;
  }
  return numbers;
}

PartitionNumber PartitionRouter::NumberOf(const std::vector<Code>& codes) {
  const auto known = number_of_codes_.find(codes);
  if (known != number_of_codes_.end()) {
    return known->second;
  }
  table::PartitionTuple tuple;
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    if (codes[field] == kNoCode) {
      return kNoPartition;
    }
    tuple.push_back(fields_[field].values[codes[field]]);
  }
  const PartitionNumber number = numbers_.Of(tuple);
  number_of_codes_.emplace(codes, number);
  return number;
}

}  // namespace strandline::pipeline::ingest
