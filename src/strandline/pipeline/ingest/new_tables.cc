#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "strandline/format/batch/arrow_status.h"
#include "strandline/format/parquet/bloom_hash.h"
#include "strandline/format/parquet/parquet_file.h"
#include "strandline/pipeline/ingest/ingest.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/table/arrow/arrow_schema.h"

namespace strandline::pipeline {
namespace {

// How much of a landed file says whether a column's values repeat.
constexpr std::int64_t kSampleRows = 1 << 14;

// The columns that rows of the source have: declared ones, then what else the sample holds.
Result<std::vector<table::NestedField>> SourceColumns(const project::Source& source,
                                                      const arrow::Schema* landed) {
  std::vector<table::NestedField> columns;
  std::set<std::string, std::less<>> declared;
  for (const project::SourceColumn& column : source.columns) {
    table::NestedField field;
    field.name = column.name;
    field.required = column.required;
    declared.insert(column.name);
    if (column.type) {
      field.type = *column.type;
    } else {
      const std::shared_ptr<arrow::Field> sample =
          landed == nullptr ? nullptr : landed->GetFieldByName(column.name);
      if (sample == nullptr) {
        return MakeError(ErrorKind::kInvalidArgument,
                         "column {} of source {} has no type, and no landed file shows one: "
                         "declare it",
                         column.name, source.name);
      }
      field.type = SL_TRY(table::IcebergType(*sample->type()), "column {}", column.name);
    }
    columns.push_back(std::move(field));
  }
  if (landed != nullptr) {
    for (const auto& sample : landed->fields()) {
      if (!declared.insert(sample->name()).second) {
        continue;
      }
      table::NestedField field;
      field.name = sample->name();
      field.type = SL_TRY(table::IcebergType(*sample->type()), "column {}", sample->name());
      columns.push_back(std::move(field));
    }
  }
  return columns;
}

Status CheckColumns(const project::Source& source, const std::vector<table::NestedField>& columns) {
  for (const table::NestedField& column : columns) {
    if (!column.type.is_primitive()) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "column {} of source {} is nested, which tables of sources cannot hold yet",
                       column.name, source.name);
    }
    if (IsBookkeepingColumn(column.name)) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "column {} of source {} has a name that is kept for bookkeeping",
                       column.name, source.name);
    }
  }
  const auto has = [&](const std::string& name) {
    return std::ranges::find(columns, name, &table::NestedField::name) != columns.end();
  };
  std::vector<std::string> named = source.key;
  named.push_back(source.time);
  if (source.keep_max_of) {
    named.push_back(*source.keep_max_of);
  }
  for (const std::string& name : named) {
    if (!has(name)) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "source {} names column {}, which it neither declares nor lands",
                       source.name, name);
    }
  }
  return {};
}

Result<table::PartitionSpec> SpecOf(const project::Source& source, const table::Schema& schema) {
  table::PartitionSpec spec;
  std::int32_t next_id = 1000;
  for (const project::PartitionBy& by : source.partition) {
    const table::NestedField* column = FindColumn(schema, by.column);
    if (column == nullptr) {
      return MakeError(ErrorKind::kInvalidArgument,
                       "source {} is partitioned by a column that it does not have: {}",
                       source.name, by.column);
    }
    SL_TRY(TransformResultType(by.transform, column->type), "partitioning source {} by {}",
           source.name, by.column);
    spec.fields.push_back({.source_id = column->id,
                           .field_id = table::FieldId(next_id++),
                           .name = PartitionFieldName(by.transform, by.column),
                           .transform = by.transform});
  }
  return spec;
}

// Columns of which more than half of the values in the file's first rows are different: a
// dictionary of them would only cost time.
Result<std::vector<std::string>> ColumnsThatHardlyRepeat(const format::ParquetFile& sample,
                                                         const table::Schema& schema) {
  std::vector<std::string> names;
  if (sample.row_count() == 0) {
    return names;
  }
  format::ParquetReadRequest request{.row_groups = {0}, .columns = {}, .batch_rows = kSampleRows};
  for (int i = 0; i < sample.schema()->num_fields(); ++i) {
    if (FindColumn(schema, sample.schema()->field(i)->name()) != nullptr) {
      request.columns.push_back(i);
    }
  }
  const std::unique_ptr<format::BatchStream> stream = SL_TRY(sample.Read(request));
  const std::shared_ptr<arrow::RecordBatch> rows = SL_TRY(stream->Next());
  if (rows == nullptr) {
    return names;
  }
  for (int i = 0; i < rows->num_columns(); ++i) {
    std::unordered_set<std::size_t> seen;  // Hashes; one that is taken for another does no harm.
    for (std::int64_t row = 0; row < rows->num_rows(); ++row) {
      const std::shared_ptr<arrow::Scalar> value =
          SL_TRY(format::FromArrow(rows->column(i)->GetScalar(row)));
      if (value->is_valid) {
        seen.insert(value->hash());
      }
    }
    if (static_cast<std::int64_t>(seen.size()) * 2 > rows->num_rows()) {
      names.push_back(rows->column_name(i));
    }
  }
  return names;
}

}  // namespace

Result<table::NewTable> NewSourceTable(const project::Source& source, io::FileIo& io,
                                       const std::string& sample_location, std::string location,
                                       std::string uuid) {
  std::shared_ptr<const format::ParquetFile> sample;
  if (source.format == project::LandingFormat::kParquet && !sample_location.empty()) {
    sample = SL_TRY(format::OpenParquetFile(io, sample_location, std::nullopt));
  }
  std::vector<table::NestedField> columns =
      SL_TRY(SourceColumns(source, sample == nullptr ? nullptr : sample->schema().get()));
  SL_TRY(CheckColumns(source, columns));
  for (table::NestedField& field : BookkeepingFields(TableKind::kLanded, table::FieldId(0))) {
    columns.push_back(std::move(field));
  }

  table::NewTable created;
  created.uuid = std::move(uuid);
  created.location = std::move(location);
  created.schema.fields = std::move(columns);
  created.schema = AssignFreshIds(created.schema, table::FieldId(1));
  created.spec = SL_TRY(SpecOf(source, created.schema));
  created.properties = BookkeepingProperties(TableKind::kLanded);

  std::set<std::string> plain(source.key.begin(), source.key.end());
  if (sample != nullptr) {
    const std::vector<std::string> hardly_repeat =
        SL_TRY(ColumnsThatHardlyRepeat(*sample, created.schema), "reading {}", sample_location);
    plain.insert(hardly_repeat.begin(), hardly_repeat.end());
  }
  for (const std::string& column : plain) {
    created.properties["write.parquet.dictionary-enabled.column." + column] = "false";
  }
  for (const std::string& column : source.key) {
    const table::NestedField* field = FindColumn(created.schema, column);
    if (format::BloomPhysicalType(*table::ArrowType(field->type))) {
      created.properties["write.parquet.bloom-filter-enabled.column." + column] = "true";
    }
  }
  return created;
}

Result<table::NewTable> NewQuarantineTable(const project::Source& source, std::string location,
                                           std::string uuid) {
  struct Column {
    std::string_view name;
    table::TypeId type;
    std::string_view doc;
  };
  const Column columns[] = {
      {"source", table::TypeId::kString, "The source that the row landed for"},
      {"file", table::TypeId::kString, "The landed file, relative to its unit's folder"},
      {"position", table::TypeId::kLong, "Row number, or byte offset of the line, in the file"},
      {"reason", table::TypeId::kString, "Why the row was not taken"},
      {"column", table::TypeId::kString, "The column at fault; null: the row as a whole"},
      {"raw", table::TypeId::kString, "What was there, as text, at most 4 KiB"},
  };
  table::NewTable created;
  created.uuid = std::move(uuid);
  created.location = std::move(location);
  for (const Column& column : columns) {
    table::NestedField field;
    field.name = column.name;
    field.type = table::PrimitiveType(column.type);
    field.doc = column.doc;
    created.schema.fields.push_back(std::move(field));
  }
  for (table::NestedField& field : BookkeepingFields(TableKind::kLanded, table::FieldId(0))) {
    created.schema.fields.push_back(std::move(field));
  }
  created.schema = AssignFreshIds(created.schema, table::FieldId(1));
  created.properties = BookkeepingProperties(TableKind::kLanded);
  created.properties["comment"] =
      fmt::format("Landed rows of source {} that were not taken", source.name);
  return created;
}

}  // namespace strandline::pipeline
