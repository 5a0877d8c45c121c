#include "strandline/table/read/internal/scan_columns.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <arrow/api.h>

#include "strandline/table/arrow/arrow_schema.h"

namespace strandline::table::internal {
namespace {

constexpr FieldId kFilePathId{2147483646};
constexpr FieldId kPositionId{2147483645};

Result<const NestedField*> RequireColumn(const Schema& schema, const std::string& name) {
  const NestedField* column = FindColumn(schema, name);
  if (column == nullptr) {
    return MakeError(ErrorKind::kInvalidArgument, "a column to read is not in the schema: {}",
                     name);
  }
  return column;
}

// The first moment of the interval's border as a value of the column; days begin at or after it.
Value BorderValue(const Type& type, Timestamp time) {
  if (type.id == TypeId::kDate) {
    return Value(static_cast<std::int32_t>(
        std::chrono::ceil<std::chrono::days>(time).time_since_epoch().count()));
  }
  return Value(std::int64_t{time.time_since_epoch().count()});
}

Status ResolveCut(const Schema& schema, const ScanReadOptions::TimeCut& cut, ScanColumns& columns) {
  const NestedField* const column = SL_TRY(RequireColumn(schema, cut.column));
  const bool holds_times = column->type.id == TypeId::kTimestamp ||
                           column->type.id == TypeId::kTimestamptz ||
                           column->type.id == TypeId::kDate;
  if (!holds_times) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "rows can be cut by a timestamp or a date only: column {} is {}", cut.column,
                     ToString(column->type));
  }
  const Expression inside = And({Predicate(ExpressionKind::kGreaterOrEqual, cut.column,
                                           {BorderValue(column->type, cut.interval.start)}),
                                 Predicate(ExpressionKind::kLess, cut.column,
                                           {BorderValue(column->type, cut.interval.end)})});
  BoundExpression bound = SL_TRY(BindExpression(inside, schema));
  const auto wanted =
      std::find_if(columns.fields.begin(), columns.fields.end(),
                   [&](const NestedField& field) { return field.id == column->id; });
  const auto index = static_cast<std::size_t>(wanted - columns.fields.begin());
  if (wanted == columns.fields.end()) {
    columns.fields.push_back(*column);
  }
  columns.cut = ScanColumns::Cut{index, cut.interval, std::move(bound)};
  return {};
}

NestedField ReservedField(FieldId id, std::string name, TypeId type) {
  NestedField field;
  field.id = id;
  field.name = std::move(name);
  field.type = PrimitiveType(type);
  field.required = true;
  return field;
}

}  // namespace

NestedField FilePathField() { return ReservedField(kFilePathId, "_file", TypeId::kString); }
NestedField PositionField() { return ReservedField(kPositionId, "_pos", TypeId::kLong); }

Result<ScanColumns> ResolveColumns(const Schema& schema, const ScanReadOptions& options) {
  if (options.batch_rows <= 0) {
    return MakeError(ErrorKind::kInvalidArgument, "a batch needs at least one row: {}",
                     options.batch_rows);
  }
  ScanColumns columns;
  columns.prune = options.prune;
  columns.with_positions = options.with_positions;
  columns.dictionaries = options.dictionaries;
  columns.batch_rows = options.batch_rows;
  for (const std::string& name : options.columns) {
    const NestedField* const column = SL_TRY(RequireColumn(schema, name));
    columns.fields.push_back(*column);
  }
  columns.output_count = columns.fields.size();
  if (options.cut) {
    SL_TRY(ResolveCut(schema, *options.cut, columns));
  }
  columns.filter = SL_TRY(BindExpression(options.filter, schema));
  const std::vector<FieldId> asked = ColumnsOf(columns.filter);
  for (const NestedField& field : schema.fields) {
    if (std::binary_search(asked.begin(), asked.end(), field.id)) {
      columns.filter_fields.push_back(field);
    }
  }
  return columns;
}

std::shared_ptr<arrow::Schema> OutputSchema(const ScanColumns& columns) {
  arrow::FieldVector fields;
  for (std::size_t i = 0; i < columns.output_count; ++i) {
    fields.push_back(ArrowField(columns.fields[i]));
  }
  if (columns.with_positions) {
    fields.push_back(ArrowField(FilePathField()));
    fields.push_back(ArrowField(PositionField()));
  }
  return arrow::schema(std::move(fields));
}

}  // namespace strandline::table::internal
