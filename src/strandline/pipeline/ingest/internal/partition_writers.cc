#include "strandline/pipeline/ingest/internal/partition_writers.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "strandline/base/check.h"
#include "strandline/format/batch/arrow_status.h"
#include "strandline/table/arrow/arrow_schema.h"

namespace strandline::pipeline::ingest {
namespace {

using format::FromArrow;

constexpr std::string_view kRowGroupRows = "write.parquet.row-group-limit";

// One part in so many of the memory is for rows on their way into files.
constexpr std::int64_t kBufferShare = 3;

// Below so many rows in all, one file a partition is better than one a thread.
constexpr std::int64_t kRowsWorthAFileEach = 100'000;

// Landed bytes are compressed; in memory a row takes about so much more.
constexpr std::int64_t kExpansion = 5;
constexpr std::int64_t kRowBytesMin = 64;

bool HoldsLargePart(std::int64_t rows, std::int64_t all_rows) {
  return rows >= kRowsWorthAFileEach && rows >= all_rows / 4;
}

std::int64_t LandedBytes(const LandingUnit& unit) {
  return std::accumulate(
      unit.files.begin(), unit.files.end(), std::int64_t{0},
      [](std::int64_t sum, const LandedFile& file) { return sum + file.size_bytes; });
}

// The table's metadata with row groups small enough: what the row groups of all threads hold at a
// time must fit into `buffered_bytes`.
table::TableMetadata WithRowGroupsThatFit(const UnitContext& context, std::int64_t rows,
                                          std::int64_t buffered_bytes) {
  table::TableMetadata metadata = *context.tables.table;
  const Result<format::ParquetWriteOptions> options = WriteOptionsOf(metadata);
  if (!options) {
    return metadata;  // The first file says what is wrong.
  }
  const std::int64_t row_bytes = std::max(
      kRowBytesMin, LandedBytes(context.unit) * kExpansion / std::max<std::int64_t>(rows, 1));
  constexpr std::int64_t kRowGroupRowsMin = 1 << 13;
  const std::int64_t rows_that_fit =
      std::max(kRowGroupRowsMin, buffered_bytes / context.options.threads / row_bytes);
  const std::int64_t row_group_rows = std::min(options->row_group_rows, rows_that_fit);
  metadata.properties[std::string(kRowGroupRows)] = fmt::format("{}", row_group_rows);
  return metadata;
}

std::int64_t Sum(const std::vector<std::int64_t>& rows_by_partition) {
  return std::accumulate(rows_by_partition.begin(), rows_by_partition.end(), std::int64_t{0});
}

}  // namespace

PartitionWriters::PartitionWriters(const UnitContext& context,
                                   const std::vector<std::int64_t>& rows_by_partition,
                                   std::string file_stem, const RowMarks& marks)
    : context_(context),
      marks_(marks),
      schema_(table::ArrowSchema(CurrentSchema(*context.tables.table))),
      metadata_(WithRowGroupsThatFit(context, Sum(rows_by_partition),
                                     context.memory_share(kBufferShare))),
      writer_(metadata_,
              {.file_stem = std::move(file_stem),
               .buffered_bytes_max = context.memory_share(kBufferShare),
               .threads = context.threads()},
              context.io) {
  const std::int64_t all_rows = Sum(rows_by_partition);
  for (const std::int64_t rows : rows_by_partition) {
    is_shared_.push_back(!HoldsLargePart(rows, all_rows));
  }
}

PartitionWriters::~PartitionWriters() = default;

Status PartitionWriters::Write(std::size_t worker, PartitionNumber partition,
                               const arrow::RecordBatch& rows) {
  const bool shared = partition >= is_shared_.size() || is_shared_[partition];
  return writer_.Write(context_.numbers.TupleOf(partition), shared ? 0 : worker,
                       SL_TRY(TableRows(rows)));
}

Result<std::shared_ptr<arrow::RecordBatch>> PartitionWriters::TableRows(
    const arrow::RecordBatch& rows) const {
  arrow::ArrayVector columns;
  int next = 0;
  for (const auto& field : schema_->fields()) {
    if (!IsBookkeepingColumn(field->name())) {
      columns.push_back(rows.column(next++));
      continue;
    }
    const std::optional<std::int64_t> mark = MarkOf(marks_, field->name());
    columns.push_back(SL_TRY(
        FromArrow(mark ? arrow::MakeArrayFromScalar(arrow::Int64Scalar(*mark), rows.num_rows())
                       : arrow::MakeArrayOfNull(arrow::int64(), rows.num_rows()))));
  }
  SL_CHECK(next == rows.num_columns());
  return arrow::RecordBatch::Make(schema_, rows.num_rows(), std::move(columns));
}

}  // namespace strandline::pipeline::ingest
