#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/compute/api_vector.h>
#include <fmt/format.h>

#include "strandline/format/batch/arrow_status.h"
#include "strandline/format/landing/internal/column_conversion.h"
#include "strandline/format/landing/internal/text_value.h"
#include "strandline/format/landing/landing_reader.h"
#include "strandline/format/parquet/parquet_file.h"

namespace strandline::format {
namespace {

// Where a column of the schema comes from.
struct ColumnSource {
  std::optional<int> landed;  // Index in the batches read; absent: the file lacks the column.
  landing::ConvertColumn convert;
};

// Rows of a batch that are no good, each with the column and the reason found first.
using BadRows = std::map<std::int64_t, std::pair<std::string, std::string>>;

// The row as it landed, for people: `{impression_id: null, event_time: 2026-11-30 05:00:00Z}`.
std::string RowText(const arrow::RecordBatch& landed, std::int64_t row) {
  std::string text = "{";
  for (int i = 0; i < landed.num_columns(); ++i) {
    const auto scalar = landed.column(i)->GetScalar(row);
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", landed.column_name(i),
                        scalar.ok() ? (*scalar)->ToString() : "?");
  }
  return RawText(text + "}");
}

class LandedParquetReader final : public LandingReader {
 public:
  LandedParquetReader(std::string location, std::shared_ptr<arrow::Schema> schema)
      : location_(std::move(location)), schema_(std::move(schema)) {}

  Status Open(const ParquetFile& file, std::int64_t batch_rows) {
    ParquetReadRequest request{.row_groups = {}, .columns = {}, .batch_rows = batch_rows};
    request.row_groups.resize(static_cast<std::size_t>(file.row_group_count()));
    std::iota(request.row_groups.begin(), request.row_groups.end(), 0);
    for (const auto& field : schema_->fields()) {
      const std::vector<int> found = file.schema()->GetAllFieldIndices(field->name());
      if (found.size() > 1) {
        return MakeError(ErrorKind::kInvalidArgument, "column {} is there {} times in {}",
                         field->name(), found.size(), location_);
      }
      if (found.empty()) {
        if (!field->nullable()) {
          return MakeError(ErrorKind::kInvalidArgument, "required column {} is missing in {}",
                           field->name(), location_);
        }
        sources_.emplace_back();
        continue;
      }
      landing::ConvertColumn convert = SL_TRY(
          landing::FindConversion(file.schema()->field(found.front())->type(), field->type()),
          "column {} of {}", field->name(), location_);
      sources_.push_back(
          {.landed = static_cast<int>(request.columns.size()), .convert = std::move(convert)});
      request.columns.push_back(found.front());
    }
    stream_ = SL_TRY(file.Read(request), "reading {}", location_);
    return {};
  }

  Result<std::unique_ptr<LandedBatch>> Next() override {
    const std::shared_ptr<arrow::RecordBatch> landed =
        SL_TRY(stream_->Next(), "reading {}", location_);
    if (landed == nullptr) {
      return std::unique_ptr<LandedBatch>();
    }
    auto batch = std::make_unique<LandedBatch>();
    BadRows bad;
    arrow::ArrayVector columns;
    for (int i = 0; i < schema_->num_fields(); ++i) {
      columns.push_back(SL_TRY(Column(i, *landed, bad), "reading {}", location_));
    }
    batch->rows = arrow::RecordBatch::Make(schema_, landed->num_rows(), std::move(columns));
    batch->row_indexes.resize(static_cast<std::size_t>(landed->num_rows()));
    std::iota(batch->row_indexes.begin(), batch->row_indexes.end(), next_row_);
    if (!bad.empty()) {
      SL_TRY(TakeOut(bad, *landed, *batch), "reading {}", location_);
    }
    batch->positions = batch->row_indexes;
    next_row_ += landed->num_rows();
    return batch;
  }

 private:
  // Column `i` of the schema, converted; rows with a value that is no good go to `bad`.
  Result<std::shared_ptr<arrow::Array>> Column(int i, const arrow::RecordBatch& landed,
                                               BadRows& bad) const {
    const arrow::Field& field = *schema_->field(i);
    const ColumnSource& source = sources_[static_cast<std::size_t>(i)];
    if (!source.landed) {
      return FromArrow(arrow::MakeArrayOfNull(field.type(), landed.num_rows()));
    }
    const std::shared_ptr<arrow::Array>& values = landed.column(*source.landed);
    landing::ConvertedColumn converted = SL_TRY(source.convert(values));
    for (const std::int64_t row : converted.misfits) {
      const bool is_text = field.type()->id() == arrow::Type::STRING;
      bad.try_emplace(
          row, field.name(),
          is_text ? "not valid UTF-8" : fmt::format("not {}", landing::TypeWords(*field.type())));
    }
    if (!field.nullable() && converted.values->null_count() > 0) {
      for (std::int64_t row = 0; row < values->length(); ++row) {
        if (values->IsNull(row)) {
          bad.try_emplace(row, field.name(), std::string(kNullInRequired));
        }
      }
    }
    return std::move(converted.values);
  }

  // Moves the bad rows of `batch` from its rows to its problems.
  Status TakeOut(const BadRows& bad, const arrow::RecordBatch& landed, LandedBatch& batch) const {
    arrow::Int64Builder kept;
    std::vector<std::int64_t> row_indexes;
    auto next_bad = bad.begin();
    for (std::int64_t row = 0; row < landed.num_rows(); ++row) {
      if (next_bad == bad.end() || row < next_bad->first) {
        SL_TRY(FromArrow(kept.Append(row)));
        row_indexes.push_back(next_row_ + row);
        continue;
      }
      batch.problems.push_back({.position = next_row_ + row,
                                .row = next_row_ + row,
                                .reason = next_bad->second.second,
                                .detail = {},
                                .column = next_bad->second.first,
                                .raw = RowText(landed, row)});
      ++next_bad;
    }
    const std::shared_ptr<arrow::Array> selection = SL_TRY(FromArrow(kept.Finish()));
    const arrow::Datum taken = SL_TRY(FromArrow(
        arrow::compute::Take(batch.rows, selection, arrow::compute::TakeOptions::NoBoundsCheck())));
    batch.rows = taken.record_batch();
    batch.row_indexes = std::move(row_indexes);
    return {};
  }

  std::string location_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<ColumnSource> sources_;  // By column of the schema.
  std::unique_ptr<BatchStream> stream_;
  std::int64_t next_row_ = 0;
};

}  // namespace

Result<std::unique_ptr<LandingReader>> OpenLandedParquet(io::FileIo& io,
                                                         const std::string& location,
                                                         std::int64_t size_bytes,
                                                         std::shared_ptr<arrow::Schema> schema,
                                                         const LandingOptions& options) {
  const std::shared_ptr<const ParquetFile> file = SL_TRY(OpenParquetFile(io, location, size_bytes));
  auto reader = std::make_unique<LandedParquetReader>(location, std::move(schema));
  SL_TRY(reader->Open(*file, options.batch_rows));
  return std::unique_ptr<LandingReader>(std::move(reader));
}

}  // namespace strandline::format
