#include "strandline/pipeline/ingest/internal/row_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <arrow/api.h>

#include "strandline/base/check.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/table/arrow/arrow_schema.h"

namespace strandline::pipeline::ingest {
namespace {

using table::TypeId;

Error MissingColumn(const project::Source& source, const std::string& column) {
  return MakeError(ErrorKind::kInvalidArgument,
                   "source {} has column {}, which its table {} lacks: add it to the table first",
                   source.name, column, ToString(source.table));
}

bool HasOrder(const table::Type& type) {
  constexpr std::int32_t kDigitsIn64Bits = 18;
  switch (type.id) {
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDate:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
      return true;
    case TypeId::kDecimal:
      return type.precision <= kDigitsIn64Bits;
    default:
      return false;
  }
}

bool IsTime(const table::Type& type) {
  return type.id == TypeId::kTimestamp || type.id == TypeId::kTimestamptz ||
         type.id == TypeId::kDate;
}

Status CheckSource(const project::Source& source, const table::Schema& schema) {
  for (const project::SourceColumn& column : source.columns) {
    const table::NestedField* field = FindColumn(schema, column.name);
    if (field == nullptr) {
      return MissingColumn(source, column.name);
    }
    if (column.type && *column.type != field->type) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "source {} declares {} as {}, and its table {} has it as {}: change the "
                       "table's column first, or declare what it is",
                       source.name, column.name, ToString(*column.type), ToString(source.table),
                       ToString(field->type));
    }
  }
  for (const std::string& column : source.key) {
    if (FindColumn(schema, column) == nullptr) {
      return MissingColumn(source, column);
    }
  }
  if (source.key.empty()) {
    return MakeError(ErrorKind::kInvalidArgument, "source {} has no key", source.name);
  }
  const table::NestedField* time = FindColumn(schema, source.time);
  if (time == nullptr) {
    return MissingColumn(source, source.time);
  }
  if (!IsTime(time->type)) {
    return MakeError(ErrorKind::kInvalidArgument, "the time of source {} is no time: {} is {}",
                     source.name, source.time, ToString(time->type));
  }
  if (source.keep_max_of) {
    const table::NestedField* order = FindColumn(schema, *source.keep_max_of);
    if (order == nullptr) {
      return MissingColumn(source, *source.keep_max_of);
    }
    if (!HasOrder(order->type)) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "source {} keeps the row with the highest {}, which must be a number or a "
                       "time: it is {}",
                       source.name, *source.keep_max_of, ToString(order->type));
    }
  }
  return {};
}

// The layout of those columns of the table whose names are in `wanted`.
RowLayout LayoutOf(const project::Source& source, const table::TableMetadata& metadata,
                   const std::set<std::string>& wanted) {
  const table::Schema& schema = CurrentSchema(metadata);
  std::set<std::string> required(source.key.begin(), source.key.end());
  required.insert(source.time);
  for (const project::SourceColumn& column : source.columns) {
    if (column.required) {
      required.insert(column.name);
    }
  }

  RowLayout layout;
  arrow::FieldVector fields;
  std::vector<std::string> names;
  for (const table::NestedField& column : schema.fields) {
    if (!wanted.contains(column.name)) {
      continue;
    }
    const std::shared_ptr<arrow::Field> field = table::ArrowField(column);
    fields.push_back(required.contains(column.name) ? field->WithNullable(false) : field);
    names.push_back(column.name);
  }
  layout.schema = arrow::schema(std::move(fields));
  const auto index_of = [&](const std::string& name) {
    const auto found = std::ranges::find(names, name);
    SL_CHECK(found != names.end());
    return static_cast<int>(found - names.begin());
  };
  for (const std::string& column : source.key) {
    layout.key.push_back(index_of(column));
  }
  layout.time = index_of(source.time);
  if (source.keep_max_of) {
    layout.order = index_of(*source.keep_max_of);
  }
  for (const table::PartitionField& field : DefaultSpec(metadata).fields) {
    layout.partition.push_back(index_of(FindField(schema, field.source_id)->name));
  }
  for (int i = 0; i < static_cast<int>(names.size()); ++i) {
    if (std::ranges::find(layout.key, i) == layout.key.end()) {
      layout.payload.push_back(i);
    }
  }
  return layout;
}

}  // namespace

Result<UnitLayouts> LayoutsOf(const project::Source& source, const table::TableMetadata& metadata) {
  const table::Schema& schema = CurrentSchema(metadata);
  SL_TRY(CheckSource(source, schema));
  std::set<std::string> all;
  for (const table::NestedField& column : schema.fields) {
    if (!IsBookkeepingColumn(column.name)) {
      all.insert(column.name);
    }
  }
  std::set<std::string> keys(source.key.begin(), source.key.end());
  keys.insert(source.time);
  if (source.keep_max_of) {
    keys.insert(*source.keep_max_of);
  }
  for (const table::PartitionField& field : DefaultSpec(metadata).fields) {
    const table::NestedField* column = FindColumn(schema, FieldPath(schema, field.source_id));
    if (column == nullptr || !all.contains(column->name)) {
      return MakeError(
          ErrorKind::kUnsupported,
          "table {} is partitioned by something that lands in no column of its own: {}",
          ToString(source.table), field.name);
    }
    keys.insert(column->name);
  }
  return UnitLayouts{.keys = LayoutOf(source, metadata, keys),
                     .all = LayoutOf(source, metadata, all)};
}

std::int64_t OrderOf(const arrow::Array& array, std::int64_t row) {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  if (array.IsNull(row)) {
    return kLowest;
  }
  switch (array.type_id()) {
    case arrow::Type::INT32:
      return static_cast<const arrow::Int32Array&>(array).Value(row);
    case arrow::Type::DATE32:
      return static_cast<const arrow::Date32Array&>(array).Value(row);
    case arrow::Type::INT64:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
      return array.data()->GetValues<std::int64_t>(1)[row];
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE: {
      const double value = array.type_id() == arrow::Type::FLOAT
                               ? static_cast<const arrow::FloatArray&>(array).Value(row)
                               : static_cast<const arrow::DoubleArray&>(array).Value(row);
      if (std::isnan(value)) {
        return kLowest;
      }
      // The bits of doubles grow with their values, but shrink for negative ones.
      const auto bits = std::bit_cast<std::int64_t>(value == 0 ? 0.0 : value);
      return bits >= 0 ? bits : kLowest - bits;
    }
    case arrow::Type::DECIMAL128: {
      const arrow::Decimal128 value(
          static_cast<const arrow::Decimal128Array&>(array).GetValue(row));
      return static_cast<std::int64_t>(value.low_bits());
    }
    default:
      SL_CHECK(false && "LayoutsOf() refused it");
      return kLowest;
  }
}

std::int64_t MicrosOf(const arrow::Array& array, std::int64_t row) {
  if (array.type_id() == arrow::Type::DATE32) {
    constexpr std::int64_t kDay = 86'400'000'000;
    return static_cast<const arrow::Date32Array&>(array).Value(row) * kDay;
  }
  return array.data()->GetValues<std::int64_t>(1)[row];
}

}  // namespace strandline::pipeline::ingest
