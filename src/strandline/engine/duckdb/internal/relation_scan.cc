#include "strandline/engine/duckdb/internal/relation_scan.h"

#include <algorithm>
#include <atomic>
#include <exception>

#include <arrow/api.h>

#include "strandline/engine/duckdb/internal/arrow_bridge.h"

namespace strandline::engine {

namespace {

// A type without the encodings that the engine reads into the same vectors.
std::shared_ptr<arrow::DataType> PlainType(const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::DICTIONARY:
      return PlainType(static_cast<const arrow::DictionaryType&>(*type).value_type());
    case arrow::Type::RUN_END_ENCODED:
      return PlainType(static_cast<const arrow::RunEndEncodedType&>(*type).value_type());
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return arrow::utf8();
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
      return arrow::binary();
    default:
      return type;
  }
}

// A column of no content stands before the relation's own: the engine asks for the first one when
// it needs none, and must not make us read anything then.
constexpr idx_t kColumnsBefore = 1;
constexpr char kNoContent[] = "strandline_nothing";

// A scan that has begun: its parts, handed out to the engine's threads one by one.
class OpenScan {
 public:
  // `columns` are indexes of the table function's columns, as the engine asks for them.
  static Result<std::unique_ptr<OpenScan>> Make(std::shared_ptr<const RelationScan> scan,
                                                const std::vector<idx_t>& columns) {
    auto open = std::unique_ptr<OpenScan>(new OpenScan(std::move(scan)));
    const arrow::Schema& schema = *open->scan_->relation->schema();
    std::vector<std::string> names;
    for (idx_t i = 0; i < columns.size(); ++i) {
      const idx_t column = columns[i] - kColumnsBefore;
      if (columns[i] >= kColumnsBefore && column < static_cast<idx_t>(schema.num_fields())) {
        names.push_back(schema.field(static_cast<int>(column))->name());
        open->outputs_.push_back(i);
      }
    }
    open->source_ = SL_TRY(open->scan_->relation->Open(names, open->scan_->filter));
    SL_TRY(open->SetSchema(names));
    return open;
  }

  const RelationScan& scan() const { return *scan_; }
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }

  // The vector of the engine's chunk that each column of a batch goes to.
  const std::vector<idx_t>& outputs() const { return outputs_; }

  idx_t threads_max() const {
    const auto threads = static_cast<std::size_t>(std::max(scan_->context->threads(), 1));
    return std::clamp<std::size_t>(source_->part_count(), 1, threads);
  }

  // The next part that nobody has read; null after the last one. Thread-safe.
  Result<std::unique_ptr<format::BatchStream>> NextPart() {
    const std::size_t part = next_part_.fetch_add(1);
    if (part >= source_->part_count()) {
      return nullptr;
    }
    return source_->OpenPart(part);
  }

 private:
  explicit OpenScan(std::shared_ptr<const RelationScan> scan) : scan_(std::move(scan)) {}

  // Takes over how the source encodes its columns. The engine believes in the types it was told, so
  // a source that changed its mind must not get through.
  Status SetSchema(const std::vector<std::string>& names) {
    const arrow::Schema& promised = *scan_->relation->schema();
    const arrow::Schema& given = *source_->schema();
    arrow::FieldVector fields;
    bool fits = static_cast<std::size_t>(given.num_fields()) == names.size();
    for (int i = 0; fits && i < given.num_fields(); ++i) {
      const std::shared_ptr<arrow::Field> field =
          promised.GetFieldByName(names[static_cast<std::size_t>(i)]);
      const std::shared_ptr<arrow::DataType>& type = given.field(i)->type();
      fits = field != nullptr && PlainType(type)->Equals(*PlainType(field->type()));
      if (fits) {
        fields.push_back(field->WithType(type));
      }
    }
    if (!fits) {
      return MakeError(ErrorKind::kCorrupt,
                       "a relation gives other columns than it has: {} from {}", given.ToString(),
                       promised.ToString());
    }
    schema_ = arrow::schema(std::move(fields));
    return {};
  }

  std::shared_ptr<const RelationScan> scan_;
  std::unique_ptr<format::BatchSource> source_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<idx_t> outputs_;
  std::atomic<std::size_t> next_part_ = 0;
};

// One thread's place in a scan.
class ScanWorker {
 public:
  // Fills `out` with the next rows; with none after the last one.
  Status Fill(OpenScan& scan, duckdb_data_chunk out) {
    if (!SL_TRY(HasRows(scan))) {
      duckdb_data_chunk_set_size(out, 0);
      return {};
    }
    const std::int64_t rows = std::min(batch_->num_rows() - offset_, vector_rows_);
    if (batch_->num_columns() > 0) {
      SL_TRY(FillColumns(scan, rows, out));
    }
    duckdb_data_chunk_set_size(out, static_cast<idx_t>(rows));
    offset_ += rows;
    return {};
  }

 private:
  Result<bool> HasRows(OpenScan& scan) {
    while (batch_ == nullptr || offset_ >= batch_->num_rows()) {
      if (scan.scan().context->stop().stop_requested()) {
        return MakeError(ErrorKind::kCancelled, "the statement was stopped");
      }
      batch_ = nullptr;
      offset_ = 0;
      if (part_ != nullptr) {
        batch_ = SL_TRY(part_->Next());
      }
      if (batch_ == nullptr) {
        part_ = SL_TRY(scan.NextPart());
        if (part_ == nullptr) {
          return false;
        }
      }
    }
    return true;
  }

  Status FillColumns(const OpenScan& scan, std::int64_t rows, duckdb_data_chunk out) {
    duckdb_connection connection = scan.scan().context->connection();
    if (types_ == nullptr) {
      types_ = SL_TRY(ArrowTypesOf(connection, *scan.schema()));
    }
    const ChunkHandle chunk = SL_TRY(ChunkOf(connection, *batch_, offset_, rows, types_.get()));
    for (std::size_t i = 0; i < scan.outputs().size(); ++i) {
      duckdb_vector_reference_vector(duckdb_data_chunk_get_vector(out, scan.outputs()[i]),
                                     duckdb_data_chunk_get_vector(chunk.get(), i));
    }
    return {};
  }

  const std::int64_t vector_rows_ = static_cast<std::int64_t>(duckdb_vector_size());
  ArrowTypesHandle types_;
  std::unique_ptr<format::BatchStream> part_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::int64_t offset_ = 0;
};

using SharedScan = std::shared_ptr<RelationScan>;

template <typename T>
void Delete(void* object) {
  delete static_cast<T*>(object);
}

// Runs what may fail or throw (out of memory) and keeps its error in the statement.
template <typename Work>
bool Succeeds(ScanContext& context, const Work& work) {
  Status status;
  try {
    status = work();
  } catch (const std::exception& exception) {
    status = MakeError(ErrorKind::kUnavailable, "reading rows failed: {}", exception.what());
  }
  if (!status) {
    context.Fail(std::move(status).error());
    return false;
  }
  return true;
}

constexpr char kFailed[] = "reading a relation failed";  // The statement has the real error.

void Bind(duckdb_bind_info info) {
  const auto* registry = static_cast<const ScanRegistry*>(duckdb_bind_get_extra_info(info));
  const ValueHandle id(duckdb_bind_get_parameter(info, 0));
  const SharedScan scan = registry->Find(duckdb_get_int64(id.get()));
  if (scan == nullptr) {
    duckdb_bind_set_error(info, "no such relation");
    return;
  }
  const TypeHandle boolean(duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN));
  duckdb_bind_add_result_column(info, kNoContent, boolean.get());
  const arrow::Schema& schema = *scan->relation->schema();
  for (int i = 0; i < schema.num_fields(); ++i) {
    duckdb_bind_add_result_column(info, schema.field(i)->name().c_str(),
                                  scan->types[static_cast<std::size_t>(i)].get());
  }
  if (scan->rows_estimated) {
    duckdb_bind_set_cardinality(info, static_cast<idx_t>(*scan->rows_estimated), false);
  }
  duckdb_bind_set_bind_data(info, new SharedScan(scan), Delete<SharedScan>);
}

void Init(duckdb_init_info info) {
  const SharedScan& scan = *static_cast<SharedScan*>(duckdb_init_get_bind_data(info));
  std::vector<idx_t> columns;
  for (idx_t i = 0; i < duckdb_init_get_column_count(info); ++i) {
    columns.push_back(duckdb_init_get_column_index(info, i));
  }
  std::unique_ptr<OpenScan> open;
  const bool opened = Succeeds(*scan->context, [&]() -> Status {
    open = SL_TRY(OpenScan::Make(scan, columns));
    return {};
  });
  if (!opened) {
    duckdb_init_set_error(info, kFailed);
    return;
  }
  duckdb_init_set_max_threads(info, open->threads_max());
  duckdb_init_set_init_data(info, open.release(), Delete<OpenScan>);
}

void InitWorker(duckdb_init_info info) {
  duckdb_init_set_init_data(info, new ScanWorker, Delete<ScanWorker>);
}

void Fill(duckdb_function_info info, duckdb_data_chunk out) {
  auto* scan = static_cast<OpenScan*>(duckdb_function_get_init_data(info));
  auto* worker = static_cast<ScanWorker*>(duckdb_function_get_local_init_data(info));
  if (!Succeeds(*scan->scan().context, [&] { return worker->Fill(*scan, out); })) {
    duckdb_function_set_error(info, kFailed);
  }
}

}  // namespace

void ScanContext::Fail(Error error) {
  const std::lock_guard lock(mutex_);
  if (!error_) {
    error_ = std::move(error);
  }
}

std::optional<Error> ScanContext::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

Result<std::shared_ptr<RelationScan>> RelationScan::Make(std::shared_ptr<Relation> relation,
                                                         table::Expression filter,
                                                         QueryPurpose purpose,
                                                         std::shared_ptr<ScanContext> context) {
  auto scan = std::make_shared<RelationScan>();
  if (purpose == QueryPurpose::kRun) {
    scan->rows_estimated = SL_TRY(relation->EstimateRows(filter));
  }
  scan->types = SL_TRY(EngineTypesOf(context->connection(), *relation->schema()));
  scan->relation = std::move(relation);
  scan->filter = std::move(filter);
  scan->context = std::move(context);
  return scan;
}

std::int64_t ScanRegistry::Add(std::shared_ptr<RelationScan> scan) {
  const std::lock_guard lock(mutex_);
  scans_.emplace(++last_id_, std::move(scan));
  return last_id_;
}

void ScanRegistry::Remove(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  scans_.erase(id);
}

std::shared_ptr<RelationScan> ScanRegistry::Find(std::int64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = scans_.find(id);
  return found == scans_.end() ? nullptr : found->second;
}

Status RegisterScanFunction(duckdb_connection connection, ScanRegistry& registry) {
  const TableFunctionHandle function(duckdb_create_table_function());
  const TypeHandle id(duckdb_create_logical_type(DUCKDB_TYPE_BIGINT));
  duckdb_table_function_set_name(function.get(), kScanFunction);
  duckdb_table_function_add_parameter(function.get(), id.get());
  duckdb_table_function_set_extra_info(function.get(), &registry, nullptr);
  duckdb_table_function_set_bind(function.get(), Bind);
  duckdb_table_function_set_init(function.get(), Init);
  duckdb_table_function_set_local_init(function.get(), InitWorker);
  duckdb_table_function_set_function(function.get(), Fill);
  duckdb_table_function_supports_projection_pushdown(function.get(), true);
  if (duckdb_register_table_function(connection, function.get()) != DuckDBSuccess) {
    return MakeError(ErrorKind::kUnavailable, "the SQL engine takes no table function");
  }
  return {};
}

}  // namespace strandline::engine
