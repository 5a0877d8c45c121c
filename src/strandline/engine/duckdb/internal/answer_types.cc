#include "strandline/engine/duckdb/internal/answer_types.h"

#include <utility>

#include <arrow/api.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>

#include "strandline/engine/internal/tokens.h"
#include "strandline/format/parquet/parquet_writer.h"

namespace strandline::engine {

namespace {

constexpr int kUuidBytes = 16;

struct AnswerType {
  std::shared_ptr<arrow::DataType> arrow;
  std::string sql;
  bool cast = false;  // Whether the engine's own type is another one.
  bool uuid = false;
};

std::shared_ptr<arrow::Field> FieldOf(std::string name, const AnswerType& type,
                                      bool nullable = true) {
  std::shared_ptr<arrow::Field> field = arrow::field(std::move(name), type.arrow, nullable);
  if (type.uuid) {
    field = field->WithMetadata(
        arrow::key_value_metadata({format::kUuidFieldKey}, {format::kUuidFieldValue}));
  }
  return field;
}

// Types that are one of Iceberg's as they stand, or become one by a cast.
std::optional<AnswerType> PlainTypeOf(duckdb_type id) {
  switch (id) {
    case DUCKDB_TYPE_BOOLEAN:
      return AnswerType{arrow::boolean(), "BOOLEAN"};
    case DUCKDB_TYPE_INTEGER:
      return AnswerType{arrow::int32(), "INTEGER"};
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_SQLNULL:
      return AnswerType{arrow::int32(), "INTEGER", true};
    case DUCKDB_TYPE_BIGINT:
      return AnswerType{arrow::int64(), "BIGINT"};
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UHUGEINT:
      return AnswerType{arrow::int64(), "BIGINT", true};
    case DUCKDB_TYPE_FLOAT:
      return AnswerType{arrow::float32(), "FLOAT"};
    case DUCKDB_TYPE_DOUBLE:
      return AnswerType{arrow::float64(), "DOUBLE"};
    case DUCKDB_TYPE_VARCHAR:
      return AnswerType{arrow::utf8(), "VARCHAR"};
    case DUCKDB_TYPE_ENUM:
      return AnswerType{arrow::utf8(), "VARCHAR", true};
    case DUCKDB_TYPE_BLOB:
      return AnswerType{arrow::binary(), "BLOB"};
    case DUCKDB_TYPE_DATE:
      return AnswerType{arrow::date32(), "DATE"};
    case DUCKDB_TYPE_TIME:
      return AnswerType{arrow::time64(arrow::TimeUnit::MICRO), "TIME"};
    case DUCKDB_TYPE_TIMESTAMP:
      return AnswerType{arrow::timestamp(arrow::TimeUnit::MICRO), "TIMESTAMP"};
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
      return AnswerType{arrow::timestamp(arrow::TimeUnit::MICRO), "TIMESTAMP", true};
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return AnswerType{arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "TIMESTAMPTZ"};
    case DUCKDB_TYPE_UUID:
      return AnswerType{arrow::fixed_size_binary(kUuidBytes), "UUID", false, true};
    default:
      return std::nullopt;
  }
}

std::string_view RefusedName(duckdb_type id) {
  switch (id) {
    case DUCKDB_TYPE_INTERVAL:
      return "an interval";
    case DUCKDB_TYPE_BIT:
      return "a bit string";
    case DUCKDB_TYPE_UNION:
      return "a union";
    case DUCKDB_TYPE_TIME_TZ:
      return "a time with a zone";
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return "a timestamp in nanoseconds";
    case DUCKDB_TYPE_TIME_NS:
      return "a time in nanoseconds";
    case DUCKDB_TYPE_BIGNUM:
      return "a number without a bound";
    case DUCKDB_TYPE_GEOMETRY:
      return "a geometry";
    case DUCKDB_TYPE_VARIANT:
      return "a variant";
    default:
      return "of a type that is not known";
  }
}

Result<AnswerType> AnswerTypeOf(duckdb_logical_type type, std::string_view column);

Result<AnswerType> ListOf(TypeHandle child, bool fixed_length, std::string_view column) {
  const AnswerType element = SL_TRY(AnswerTypeOf(child.get(), column));
  return AnswerType{arrow::list(FieldOf("element", element)), element.sql + "[]",
                    element.cast || fixed_length};
}

Result<AnswerType> MapOf(duckdb_logical_type type, std::string_view column) {
  const TypeHandle key_type(duckdb_map_type_key_type(type));
  const TypeHandle value_type(duckdb_map_type_value_type(type));
  const AnswerType key = SL_TRY(AnswerTypeOf(key_type.get(), column));
  const AnswerType value = SL_TRY(AnswerTypeOf(value_type.get(), column));
  return AnswerType{
      std::make_shared<arrow::MapType>(FieldOf("key", key, false), FieldOf("value", value)),
      fmt::format("MAP({}, {})", key.sql, value.sql), key.cast || value.cast};
}

Result<AnswerType> StructOf(duckdb_logical_type type, std::string_view column) {
  arrow::FieldVector fields;
  std::string sql;
  bool cast = false;
  for (idx_t i = 0; i < duckdb_struct_type_child_count(type); ++i) {
    const TextHandle name(duckdb_struct_type_child_name(type, i));
    const TypeHandle child_type(duckdb_struct_type_child_type(type, i));
    const AnswerType child = SL_TRY(AnswerTypeOf(child_type.get(), column));
    fields.push_back(FieldOf(name.get(), child));
    sql += fmt::format("{}{} {}", sql.empty() ? "" : ", ", QuoteName(name.get()), child.sql);
    cast = cast || child.cast;
  }
  return AnswerType{arrow::struct_(fields), fmt::format("STRUCT({})", sql), cast};
}

Result<AnswerType> AnswerTypeOf(duckdb_logical_type type, std::string_view column) {
  const duckdb_type id = duckdb_get_type_id(type);
  switch (id) {
    case DUCKDB_TYPE_DECIMAL: {
      const int width = duckdb_decimal_width(type);
      const int scale = duckdb_decimal_scale(type);
      return AnswerType{arrow::decimal128(width, scale),
                        fmt::format("DECIMAL({}, {})", width, scale)};
    }
    case DUCKDB_TYPE_LIST:
      return ListOf(TypeHandle(duckdb_list_type_child_type(type)), false, column);
    case DUCKDB_TYPE_ARRAY:
      return ListOf(TypeHandle(duckdb_array_type_child_type(type)), true, column);
    case DUCKDB_TYPE_MAP:
      return MapOf(type, column);
    case DUCKDB_TYPE_STRUCT:
      return StructOf(type, column);
    default:
      break;
  }
  if (std::optional<AnswerType> plain = PlainTypeOf(id)) {
    return *std::move(plain);
  }
  return MakeError(ErrorKind::kUnsupported,
                   "column `{}` is {}, which no table can hold: cast it to another type", column,
                   RefusedName(id));
}

}  // namespace

Result<std::vector<AnswerColumn>> AnswerColumnsOf(duckdb_prepared_statement statement) {
  std::vector<AnswerColumn> columns;
  for (idx_t i = 0; i < duckdb_prepared_statement_column_count(statement); ++i) {
    // The API gives away a text that it declares const.
    const TextHandle name(const_cast<char*>(duckdb_prepared_statement_column_name(statement, i)));
    const TypeHandle type(duckdb_prepared_statement_column_logical_type(statement, i));
    AnswerColumn column;
    column.name = name ? name.get() : "";
    const AnswerType answer = SL_TRY(AnswerTypeOf(type.get(), column.name));
    column.field = FieldOf(column.name, answer);
    column.cast_to = answer.cast ? answer.sql : "";
    columns.push_back(std::move(column));
  }
  return columns;
}

std::shared_ptr<arrow::Schema> SchemaOf(const std::vector<AnswerColumn>& columns) {
  arrow::FieldVector fields;
  for (const AnswerColumn& column : columns) {
    fields.push_back(column.field);
  }
  return arrow::schema(std::move(fields));
}

}  // namespace strandline::engine
