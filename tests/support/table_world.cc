#include "tests/support/table_world.h"

#include <algorithm>
#include <chrono>

#include <arrow/api.h>
#include <arrow/json/from_string.h>

#include "strandline/base/uuid.h"
#include "strandline/catalog/sql/sql_catalog.h"
#include "strandline/format/batch/arrow_status.h"
#include "strandline/io/memory_file_io.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/arrow/arrow_value.h"
#include "strandline/table/deletes/position_deletes.h"
#include "strandline/table/read/scan_reader.h"
#include "strandline/table/write/data_file_writer.h"

namespace strandline::testing {
namespace {

// 2026-11-30T05:00Z
constexpr Timestamp kStart{std::chrono::seconds(1796014800)};

// The parts of a list, split at commas outside of brackets and trimmed.
std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  const auto finish = [&] {
    const std::size_t first = part.find_first_not_of(' ');
    if (first != std::string::npos) {
      parts.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
    }
    part.clear();
  };
  for (const char c : text) {
    depth += (c == '(' ? 1 : 0) - (c == ')' ? 1 : 0);
    if (c == ',' && depth == 0) {
      finish();
    } else {
      part += c;
    }
  }
  finish();
  return parts;
}

// The row numbers of each partition.
Result<std::map<table::PartitionTuple, std::vector<std::int64_t>, table::PartitionTupleLess>>
GroupByPartition(const table::PartitionSpec& spec, const table::Schema& schema,
                 const arrow::RecordBatch& rows) {
  std::map<table::PartitionTuple, std::vector<std::int64_t>, table::PartitionTupleLess> groups;
  for (std::int64_t row = 0; row < rows.num_rows(); ++row) {
    table::PartitionTuple tuple = SL_TRY(table::PartitionOfRow(spec, schema, rows, row));
    groups[std::move(tuple)].push_back(row);
  }
  return groups;
}

// The rows with these numbers.
Result<std::shared_ptr<arrow::RecordBatch>> Pick(const arrow::RecordBatch& rows,
                                                 const std::vector<std::int64_t>& numbers) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> slices;
  for (const std::int64_t number : numbers) {
    slices.push_back(rows.Slice(number, 1));
  }
  const std::shared_ptr<arrow::Table> table =
      SL_TRY(format::FromArrow(arrow::Table::FromRecordBatches(rows.schema(), slices)));
  return format::FromArrow(table->CombineChunksToBatch());
}

}  // namespace

table::Schema SchemaOf(std::string_view columns) {
  table::Schema schema;
  for (const std::string& column : SplitList(columns)) {
    const std::size_t space = column.find(' ');
    std::string type = column.substr(space + 1);
    const std::size_t required = type.find(" required");
    schema.fields.push_back(
        {.id = table::FieldId(static_cast<std::int32_t>(schema.fields.size()) + 1),
         .name = column.substr(0, space),
         .type = table::ParsePrimitiveType(type.substr(0, required)).value(),
         .required = required != std::string::npos});
  }
  return schema;
}

table::PartitionSpec SpecOf(std::string_view partitioned_by, const table::Schema& schema) {
  table::PartitionSpec spec;
  for (const std::string& part : SplitList(partitioned_by)) {
    const std::size_t open = part.find('(');
    const bool is_identity = open == std::string::npos;
    const std::string source = is_identity ? part : part.substr(open + 1, part.size() - open - 2);
    const std::string transform = is_identity ? "identity" : part.substr(0, open);
    const table::NestedField* column = FindColumn(schema, source);
    SL_CHECK(column != nullptr);
    const std::string kind = transform.substr(0, transform.find('['));
    spec.fields.push_back(
        {.source_id = column->id,
         .field_id = table::FieldId(static_cast<std::int32_t>(spec.fields.size()) + 1000),
         .name = is_identity ? source : source + "_" + kind,
         .transform = table::ParseTransform(transform).value()});
  }
  return spec;
}

table::CommitRequest CreationOf(const TableOptions& options, std::string location, Rng& rng) {
  const table::Schema schema = SchemaOf(options.columns);
  return table::CreateTable({.uuid = NewUuidV4(rng),
                             .location = std::move(location),
                             .schema = schema,
                             .spec = SpecOf(options.partitioned_by, schema),
                             .properties = options.properties});
}

table::TableMetadata MetadataOf(const TableOptions& options) {
  SeededRng rng(7);
  const table::CommitRequest request = CreationOf(options, "mem://lake/ads/orders", rng);
  const std::int64_t now_ms =
      std::chrono::floor<std::chrono::milliseconds>(kStart).time_since_epoch().count();
  return table::ApplyUpdates(nullptr, request.updates, now_ms).value();
}

std::shared_ptr<arrow::RecordBatch> RowsOf(const table::Schema& schema, const std::string& json) {
  const std::shared_ptr<arrow::Schema> arrow_schema = table::ArrowSchema(schema);
  const std::shared_ptr<arrow::Array> rows =
      arrow::json::ArrayFromJSONString(arrow::struct_(arrow_schema->fields()), json).ValueOrDie();
  const std::shared_ptr<arrow::RecordBatch> batch =
      arrow::RecordBatch::FromStructArray(rows).ValueOrDie();
  return arrow::RecordBatch::Make(arrow_schema, batch->num_rows(), batch->columns());
}

Result<std::vector<table::NewFile>> WriteRows(io::FileIo& io, const table::TableMetadata& metadata,
                                              const arrow::RecordBatch& rows, Rng& rng) {
  const table::Schema& schema = CurrentSchema(metadata);
  const table::PartitionSpec& spec = DefaultSpec(metadata);
  const auto groups = SL_TRY(GroupByPartition(spec, schema, rows));
  std::vector<table::NewFile> files;
  for (const auto& [partition, numbers] : groups) {
    const std::string location = table::NewDataFileLocation(
        metadata, spec, partition, fmt::format("{}-00000.parquet", NewUuidV4(rng)));
    const std::unique_ptr<table::DataFileWriter> writer =
        SL_TRY(table::MakeDataFileWriter(io, metadata, schema, spec, partition, location));
    const std::shared_ptr<arrow::RecordBatch> part = SL_TRY(Pick(rows, numbers));
    SL_TRY(writer->Write(*part));
    table::DataFile file = SL_TRY(writer->Close());
    files.push_back({spec.id, std::move(file)});
  }
  return files;
}

table::NewFile FakeFile(const FakeFileOptions& options, table::SpecId spec_id) {
  table::DataFile file;
  file.content = options.content;
  file.file_path = options.path;
  file.partition = options.partition;
  file.record_count = options.rows;
  file.file_size_bytes = options.size_bytes;
  if (!options.points_at.empty()) {
    file.referenced_data_file = options.points_at;
  }
  if (!options.points_at_first.empty()) {
    file.lower_bounds = {{table::kDeleteFilePathId, options.points_at_first}};
    file.upper_bounds = {{table::kDeleteFilePathId, options.points_at_last}};
  }
  return {spec_id, std::move(file)};
}

World::World(std::uint64_t seed)
    : clock(kStart),
      rng(seed),
      memory_(io::MakeMemoryFileIo(clock)),
      faulty_(std::make_unique<io::FaultyFileIo>(*memory_)),
      catalog_(catalog::OpenSqlCatalog(
                   {.database_path = ":memory:", .catalog_name = "test", .warehouse = "mem://lake"},
                   *faulty_, clock, rng)
                   .value()) {}

World::~World() = default;

Result<catalog::LoadedTable> World::Create(const TableOptions& options) {
  const catalog::TableName name = SL_TRY(catalog::ParseTableName(options.name));
  const catalog::TableCommit commit{name,
                                    CreationOf(options, catalog_->DefaultLocation(name), rng)};
  std::vector<catalog::LoadedTable> tables = SL_TRY(catalog_->CommitTables({&commit, 1}));
  return std::move(tables.front());
}

Result<catalog::LoadedTable> World::Load(const std::string& name) {
  const catalog::TableName table_name = SL_TRY(catalog::ParseTableName(name));
  return catalog_->LoadTable(table_name);
}

Result<catalog::LoadedTable> World::Change(const std::string& name,
                                           const table::SnapshotChange& change) {
  const catalog::LoadedTable base = SL_TRY(Load(name));
  table::PreparedSnapshot prepared =
      SL_TRY(table::PrepareSnapshot(*base.metadata, change, *faulty_, clock, rng));
  const catalog::TableCommit commit{base.name, std::move(prepared.request)};
  std::vector<catalog::LoadedTable> tables = SL_TRY(catalog_->CommitTables({&commit, 1}));
  return std::move(tables.front());
}

Result<catalog::LoadedTable> World::Append(const std::string& name, const std::string& json) {
  const catalog::LoadedTable base = SL_TRY(Load(name));
  table::SnapshotChange change;
  const std::shared_ptr<arrow::RecordBatch> rows = RowsOf(CurrentSchema(*base.metadata), json);
  change.added = SL_TRY(WriteRows(*faulty_, *base.metadata, *rows, rng));
  return Change(name, change);
}

Result<catalog::LoadedTable> World::Update(const std::string& name,
                                           std::vector<table::Update> updates) {
  const catalog::TableName table_name = SL_TRY(catalog::ParseTableName(name));
  const catalog::TableCommit commit{table_name,
                                    {.requirements = {}, .updates = std::move(updates)}};
  std::vector<catalog::LoadedTable> tables = SL_TRY(catalog_->CommitTables({&commit, 1}));
  return std::move(tables.front());
}

Result<std::vector<std::string>> ReadRows(io::FileIo& io, const table::TableMetadata& metadata) {
  const table::Schema& schema = CurrentSchema(metadata);
  table::ScanPlan plan = SL_TRY(table::PlanScan(metadata, {}, io));
  table::ScanReadOptions options;
  for (const table::NestedField& field : schema.fields) {
    options.columns.push_back(field.name);
  }
  std::unique_ptr<format::BatchSource> source =
      SL_TRY(table::OpenScan(io, metadata, schema, std::move(plan.tasks), options));
  const std::unique_ptr<format::BatchStream> stream = table::ReadAll(std::move(source));
  std::vector<std::string> lines;
  while (true) {
    const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
    if (batch == nullptr) {
      break;
    }
    for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
      std::vector<std::string> values;
      for (std::size_t i = 0; i < schema.fields.size(); ++i) {
        const table::Type& type = schema.fields[i].type;
        const table::Value value =
            SL_TRY(table::ValueAt(*batch->column(static_cast<int>(i)), row, type));
        values.push_back(ValueText(type, value));
      }
      lines.push_back(fmt::format("{}", fmt::join(values, " ")));
    }
  }
  std::ranges::sort(lines);
  return lines;
}

Result<std::vector<std::string>> World::Rows(const std::string& name) {
  const catalog::LoadedTable table = SL_TRY(Load(name));
  return ReadRows(*faulty_, *table.metadata);
}

Result<std::int64_t> World::CountRows(const std::string& name) {
  const std::vector<std::string> rows = SL_TRY(Rows(name));
  return static_cast<std::int64_t>(rows.size());
}

Result<maintenance::FsckReport> World::Fsck(const std::string& name) {
  const catalog::LoadedTable table = SL_TRY(Load(name));
  return maintenance::Fsck(*faulty_, table, {});
}

}  // namespace strandline::testing
