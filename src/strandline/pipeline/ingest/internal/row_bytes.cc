#include "strandline/pipeline/ingest/internal/row_bytes.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <arrow/api.h>

namespace strandline::pipeline::ingest {
namespace {

template <typename Real>
void AppendReal(const char* at, std::string& buffer) {
  Real value = 0;
  std::memcpy(&value, at, sizeof(Real));
  if (value == Real{0}) {
    value = Real{0};  // -0.0 is the same value.
  } else if (std::isnan(value)) {
    value = std::numeric_limits<Real>::quiet_NaN();
  }
  buffer.append(reinterpret_cast<const char*>(&value), sizeof(Real));
}

}  // namespace

Result<RowBytes> RowBytes::OfColumns(const arrow::RecordBatch& batch,
                                     const std::vector<int>& columns) {
  RowBytes row_bytes;
  for (const int column : columns) {
    row_bytes.columns_.push_back(
        SL_TRY(Describe(*batch.column(column), batch.column_name(column))));
  }
  return row_bytes;
}

Result<RowBytes> RowBytes::OfKey(const arrow::RecordBatch& batch, const std::vector<int>& columns) {
  RowBytes row_bytes = SL_TRY(OfColumns(batch, columns));
  row_bytes.plain_ =
      row_bytes.columns_.size() == 1 && row_bytes.columns_.front().layout == Layout::kBytes;
  return row_bytes;
}

Result<RowBytes::Column> RowBytes::Describe(const arrow::Array& array, const std::string& name) {
  Column column{.layout = Layout::kFixed, .array = &array};
  column.has_nulls = array.null_count() > 0;
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      column.layout = Layout::kBits;
      return column;
    case arrow::Type::STRING:
    case arrow::Type::BINARY: {
      const auto& bytes = static_cast<const arrow::BinaryArray&>(array);
      column.layout = Layout::kBytes;
      column.values = reinterpret_cast<const char*>(bytes.raw_data());
      column.offsets = bytes.raw_value_offsets();
      return column;
    }
    case arrow::Type::FLOAT:
      column.layout = Layout::kFloat;
      break;
    case arrow::Type::DOUBLE:
      column.layout = Layout::kDouble;
      break;
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::DATE32:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DECIMAL128:
    case arrow::Type::FIXED_SIZE_BINARY:
      break;
    default:
      return MakeError(ErrorKind::kUnsupported, "column {} cannot be compared: {}", name,
                       array.type()->ToString());
  }
  column.width = static_cast<std::size_t>(
      static_cast<const arrow::FixedWidthType&>(*array.type()).bit_width() / 8);
  const std::shared_ptr<arrow::Buffer>& values = array.data()->buffers[1];
  column.values = values == nullptr ? nullptr
                                    : reinterpret_cast<const char*>(values->data()) +
                                          static_cast<std::size_t>(array.offset()) * column.width;
  return column;
}

void RowBytes::Append(const Column& column, std::int64_t row) {
  const auto at = static_cast<std::size_t>(row);
  if (column.has_nulls && column.array->IsNull(row)) {
    buffer_.push_back('\0');
    return;
  }
  buffer_.push_back('\1');
  switch (column.layout) {
    case Layout::kBits:
      buffer_.push_back(static_cast<const arrow::BooleanArray*>(column.array)->Value(row) ? '\1'
                                                                                          : '\0');
      return;
    case Layout::kFixed:
      buffer_.append(column.values + at * column.width, column.width);
      return;
    case Layout::kFloat:
      AppendReal<float>(column.values + at * column.width, buffer_);
      return;
    case Layout::kDouble:
      AppendReal<double>(column.values + at * column.width, buffer_);
      return;
    case Layout::kBytes: {
      const std::int32_t length = column.offsets[at + 1] - column.offsets[at];
      buffer_.append(reinterpret_cast<const char*>(&length), sizeof(length));
      buffer_.append(column.values + column.offsets[at], static_cast<std::size_t>(length));
      return;
    }
  }
}

std::string_view RowBytes::Of(std::int64_t row) {
  if (plain_) {
    const Column& column = columns_.front();
    const auto at = static_cast<std::size_t>(row);
    return {column.values + column.offsets[at],
            static_cast<std::size_t>(column.offsets[at + 1] - column.offsets[at])};
  }
  buffer_.clear();
  for (const Column& column : columns_) {
    Append(column, row);
  }
  return buffer_;
}

}  // namespace strandline::pipeline::ingest
