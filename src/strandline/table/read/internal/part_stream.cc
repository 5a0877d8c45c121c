#include "strandline/table/read/internal/part_stream.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <arrow/api.h>

#include "strandline/base/check.h"
#include "strandline/format/batch/arrow_status.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/read/internal/column_cache.h"
#include "strandline/table/read/internal/column_values.h"

namespace strandline::table::internal {
namespace {

// A whole column given out a few rows at a time.
class ColumnCursor {
 public:
  explicit ColumnCursor(std::shared_ptr<arrow::ChunkedArray> column) : column_(std::move(column)) {}

  // The next `rows` rows; there are that many (checked). A view, unless they lie in several chunks.
  Result<std::shared_ptr<arrow::Array>> Take(std::int64_t rows) {
    arrow::ArrayVector pieces;
    while (rows > 0) {
      SL_CHECK(chunk_ < column_->num_chunks());
      const std::shared_ptr<arrow::Array>& chunk = column_->chunk(chunk_);
      const std::int64_t taken = std::min(rows, chunk->length() - offset_);
      if (taken > 0) {
        pieces.push_back(taken == chunk->length() ? chunk : chunk->Slice(offset_, taken));
      }
      rows -= taken;
      offset_ += taken;
      if (offset_ == chunk->length()) {
        ++chunk_;
        offset_ = 0;
      }
    }
    if (pieces.size() == 1) {
      return std::move(pieces.front());
    }
    return format::FromArrow(arrow::Concatenate(pieces), ErrorKind::kUnavailable);
  }

 private:
  std::shared_ptr<arrow::ChunkedArray> column_;
  int chunk_ = 0;
  std::int64_t offset_ = 0;
};

// Where the rows of one column come from: the stream of the file, the cache, or nowhere.
struct ColumnSource {
  const FieldPlan* plan = nullptr;
  std::optional<int> streamed;  // Index among the streamed columns.
  std::optional<ColumnCursor> cached;
  std::shared_ptr<arrow::Array> constant;  // As long as any batch so far.
};

Result<std::shared_ptr<arrow::Array>> NextConstant(ColumnSource& source, std::int64_t rows) {
  if (source.constant == nullptr || source.constant->length() < rows) {
    source.constant = SL_TRY(RepeatConstant(*source.plan, rows));
  }
  return source.constant->length() == rows ? source.constant : source.constant->Slice(0, rows);
}

bool IsDictionary(const FieldPlan& plan) {
  return plan.arrow_type->id() == arrow::Type::DICTIONARY;
}

// A column that does not change in a file, as a plan without a source.
FieldPlan FilePathPlan(const std::string& path) {
  const NestedField field = FilePathField();
  FieldPlan plan;
  plan.constant = Value(path);
  plan.type = field.type;
  plan.arrow_type = ArrowType(field.type);
  return plan;
}

Result<std::shared_ptr<arrow::Array>> PositionsFrom(std::int64_t first, std::int64_t rows) {
  std::shared_ptr<arrow::Buffer> buffer = SL_TRY(format::FromArrow(
      arrow::AllocateBuffer(rows * std::int64_t{sizeof(std::int64_t)}), ErrorKind::kUnavailable));
  auto* numbers = buffer->mutable_data_as<std::int64_t>();
  std::iota(numbers, numbers + rows, first);
  return std::make_shared<arrow::Int64Array>(rows, std::move(buffer));
}

// How many of the scan's fields a row group needs: a column that only the cut asks for is not read
// where the cut has nothing to test.
std::size_t FieldsNeeded(const ScanColumns& columns, const ScanFile::RowGroup& row_group) {
  return row_group.needs_cut ? columns.fields.size() : columns.output_count;
}

// The scan's schema, and after it such a column.
std::shared_ptr<arrow::Schema> SchemaWithCut(const arrow::Schema& schema,
                                             const ScanColumns& columns,
                                             const ScanFile::RowGroup& row_group) {
  arrow::FieldVector fields = schema.fields();
  for (std::size_t i = columns.output_count; i < FieldsNeeded(columns, row_group); ++i) {
    fields.push_back(ArrowField(columns.fields[i]));
  }
  return arrow::schema(std::move(fields));
}

class PartStream final : public format::BatchStream {
 public:
  PartStream(const ScanFile& file, const ScanFile::RowGroup& row_group, RowSelection selection,
             std::shared_ptr<const format::ParquetFile> parquet,
             std::shared_ptr<arrow::Schema> schema)
      : file_(file),
        row_group_(row_group.index),
        parquet_(std::move(parquet)),
        schema_(std::move(schema)),
        full_schema_(SchemaWithCut(*schema_, file.columns(), row_group)),
        sources_(FieldsNeeded(file.columns(), row_group)),
        selection_(std::move(selection)),
        rows_left_(parquet_->row_group_rows(row_group.index)),
        next_position_(parquet_->row_group_first_row(row_group.index)),
        path_plan_(FilePathPlan(file.task().file.file_path)) {
    path_.plan = &path_plan_;
  }

  // Opens the columns. Once, before the first batch.
  Status Start(ColumnCache* cache) {
    std::vector<int> streamed;
    std::vector<int> dictionaries;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      ColumnSource& source = sources_[i];
      const FieldPlan& plan = file_.plans()[i];
      source.plan = &plan;
      if (!plan.source) {
        continue;
      }
      const ColumnCache::Impl::Key key{.file = file_.task().file.file_path,
                                       .row_group = row_group_,
                                       .column = file_.columns().fields[i].id,
                                       .is_dictionary = IsDictionary(plan)};
      if (cache != nullptr && cache->impl().IsShared(key)) {
        std::shared_ptr<arrow::ChunkedArray> column = SL_TRY(cache->impl().Get(
            key, *plan.arrow_type,
            [&]() -> Result<ColumnCache::Impl::Column> { return DecodeWhole(plan); }));
        source.cached.emplace(std::move(column));
      } else {
        source.streamed = static_cast<int>(streamed.size());
        streamed.push_back(*plan.source);
        if (IsDictionary(plan)) {
          dictionaries.push_back(*plan.source);
        }
      }
    }
    if (!streamed.empty()) {
      stream_ = SL_TRY(parquet_->Read({.row_groups = {row_group_},
                                       .columns = std::move(streamed),
                                       .dictionary_columns = std::move(dictionaries),
                                       .batch_rows = file_.columns().batch_rows}));
    }
    return {};
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (rows_left_ > 0) {
      const std::int64_t position = next_position_;
      std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(NextUnselected());
      std::shared_ptr<arrow::RecordBatch> selected =
          SL_TRY(selection_.Apply(batch, position), "reading {}", parquet_->location());
      if (selected != nullptr) {
        return Output(*selected);
      }
    }
    return std::shared_ptr<arrow::RecordBatch>();
  }

 private:
  // All rows of the next stretch: the columns of the output, then the cut's own if there is one.
  Result<std::shared_ptr<arrow::RecordBatch>> NextUnselected() {
    std::shared_ptr<arrow::RecordBatch> stored;
    std::int64_t rows = std::min(rows_left_, file_.columns().batch_rows);
    if (stream_ != nullptr) {
      stored = SL_TRY(stream_->Next());
      // ParquetFile fails when there are fewer rows than the footer says.
      SL_CHECK(stored != nullptr && stored->num_rows() <= rows_left_);
      rows = stored->num_rows();
    }
    arrow::ArrayVector arrays;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      std::shared_ptr<arrow::Array> array =
          SL_TRY(NextOf(sources_[i], stored.get(), rows), "reading column {} of {}",
                 file_.columns().fields[i].name, parquet_->location());
      arrays.push_back(std::move(array));
    }
    if (file_.columns().with_positions) {
      std::shared_ptr<arrow::Array> path = SL_TRY(NextConstant(path_, rows));
      std::shared_ptr<arrow::Array> positions = SL_TRY(PositionsFrom(next_position_, rows));
      const auto at = static_cast<std::ptrdiff_t>(file_.columns().output_count);
      arrays.insert(arrays.begin() + at, {std::move(path), std::move(positions)});
    }
    rows_left_ -= rows;
    next_position_ += rows;
    return arrow::RecordBatch::Make(full_schema_, rows, std::move(arrays));
  }

  static Result<std::shared_ptr<arrow::Array>> NextOf(ColumnSource& source,
                                                      const arrow::RecordBatch* stored,
                                                      std::int64_t rows) {
    if (source.streamed) {
      return ReadAs(*source.plan, stored->column(*source.streamed));
    }
    return source.cached ? source.cached->Take(rows) : NextConstant(source, rows);
  }

  // The columns wanted, without the one that only the cut needed.
  std::shared_ptr<arrow::RecordBatch> Output(const arrow::RecordBatch& batch) const {
    arrow::ArrayVector columns = batch.columns();
    columns.resize(static_cast<std::size_t>(schema_->num_fields()));
    return arrow::RecordBatch::Make(schema_, batch.num_rows(), std::move(columns));
  }

  // The whole column of the row group, for the cache.
  Result<ColumnCache::Impl::Column> DecodeWhole(const FieldPlan& plan) const {
    const std::vector<int> columns = {*plan.source};
    const std::unique_ptr<format::BatchStream> stream = SL_TRY(
        parquet_->Read({.row_groups = {row_group_},
                        .columns = columns,
                        .dictionary_columns = IsDictionary(plan) ? columns : std::vector<int>(),
                        .batch_rows = file_.columns().batch_rows}));
    arrow::ArrayVector chunks;
    while (true) {
      const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
      if (batch == nullptr) {
        return std::make_shared<arrow::ChunkedArray>(std::move(chunks), plan.arrow_type);
      }
      std::shared_ptr<arrow::Array> chunk =
          SL_TRY(ReadAs(plan, batch->column(0)), "reading {}", parquet_->location());
      chunks.push_back(std::move(chunk));
    }
  }

  const ScanFile& file_;
  const int row_group_;
  std::shared_ptr<const format::ParquetFile> parquet_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::Schema> full_schema_;
  std::vector<ColumnSource> sources_;  // One for each of the scan's fields that is needed.
  RowSelection selection_;
  std::int64_t rows_left_;
  std::int64_t next_position_;
  const FieldPlan path_plan_;
  ColumnSource path_;
  std::unique_ptr<format::BatchStream> stream_;  // Null: nothing is streamed.
};

}  // namespace

Result<std::unique_ptr<format::BatchStream>> ReadRowGroup(const ScanFile& file,
                                                          const ScanFile::RowGroup& row_group,
                                                          std::vector<std::int64_t> deleted,
                                                          std::shared_ptr<arrow::Schema> schema,
                                                          ColumnCache* cache) {
  std::shared_ptr<const format::ParquetFile> parquet = SL_TRY(file.OpenParquet());
  RowSelection selection(std::move(deleted));
  const std::optional<ScanColumns::Cut>& cut = file.columns().cut;
  if (cut && row_group.needs_cut) {
    // `_file` and `_pos` stand between the columns wanted and a column of the cut's own.
    const bool is_own = cut->column >= file.columns().output_count;
    const std::size_t between = is_own && file.columns().with_positions ? 2 : 0;
    selection.CutTo(static_cast<int>(cut->column + between), cut->interval);
  }
  auto stream = std::make_unique<PartStream>(file, row_group, std::move(selection),
                                             std::move(parquet), std::move(schema));
  SL_TRY(stream->Start(cache));
  return std::unique_ptr<format::BatchStream>(std::move(stream));
}

}  // namespace strandline::table::internal
