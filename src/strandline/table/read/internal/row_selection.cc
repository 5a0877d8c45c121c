#include "strandline/table/read/internal/row_selection.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/util/bit_util.h>

#include "strandline/base/check.h"
#include "strandline/format/batch/arrow_status.h"

namespace strandline::table::internal {
namespace {

// One byte for each row, 1 where it is kept: the compiler vectorises loops over bytes, not over
// bits.
using Keep = std::vector<std::uint8_t>;

template <typename Number>
void KeepBetween(std::span<const Number> values, Number first, Number end, Keep& keep) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    keep[i] = static_cast<std::uint8_t>((values[i] >= first) & (values[i] < end));
  }
}

// The first day that does not begin before `time`.
std::int32_t FirstDayFrom(Timestamp time) {
  const auto day = std::chrono::ceil<std::chrono::days>(time).time_since_epoch().count();
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(
      day, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

void DropNulls(const arrow::Array& array, Keep& keep) {
  if (array.null_count() == 0) {
    return;
  }
  for (std::int64_t i = 0; i < array.length(); ++i) {
    keep[static_cast<std::size_t>(i)] &= static_cast<std::uint8_t>(array.IsValid(i));
  }
}

void KeepInside(const arrow::Array& times, const Interval& interval, Keep& keep) {
  const auto rows = static_cast<std::size_t>(times.length());
  if (times.type_id() == arrow::Type::DATE32) {
    const auto& days = static_cast<const arrow::Date32Array&>(times);
    KeepBetween(std::span(days.raw_values(), rows), FirstDayFrom(interval.start),
                FirstDayFrom(interval.end), keep);
  } else {
    const auto& micros = static_cast<const arrow::TimestampArray&>(times);
    KeepBetween(std::span(micros.raw_values(), rows),
                std::int64_t{interval.start.time_since_epoch().count()},
                std::int64_t{interval.end.time_since_epoch().count()}, keep);
  }
  DropNulls(times, keep);
}

Result<std::shared_ptr<arrow::Array>> AsMask(const Keep& keep) {
  const auto rows = static_cast<std::int64_t>(keep.size());
  const std::shared_ptr<arrow::Buffer> bits =
      SL_TRY(format::FromArrow(arrow::AllocateEmptyBitmap(rows), ErrorKind::kUnavailable));
  std::uint8_t* into = bits->mutable_data();
  for (std::size_t i = 0; i < keep.size(); ++i) {
    into[i / 8] = static_cast<std::uint8_t>(into[i / 8] | (keep[i] << (i % 8)));
  }
  return std::make_shared<arrow::BooleanArray>(rows, bits);
}

Result<std::shared_ptr<arrow::RecordBatch>> Filter(const std::shared_ptr<arrow::RecordBatch>& batch,
                                                   const Keep& keep) {
  const auto kept = static_cast<std::int64_t>(std::count(keep.begin(), keep.end(), 1));
  if (kept == batch->num_rows()) {
    return batch;
  }
  if (kept == 0) {
    return std::shared_ptr<arrow::RecordBatch>();
  }
  // Files are often sorted by time, and then what is left is one run.
  const auto first = std::find(keep.begin(), keep.end(), 1) - keep.begin();
  const auto run_end = std::find(keep.begin() + first, keep.end(), 0) - keep.begin();
  if (run_end - first == kept) {
    return batch->Slice(first, kept);
  }
  if (batch->num_columns() == 0) {
    return arrow::RecordBatch::Make(batch->schema(), kept, arrow::ArrayVector{});
  }
  const std::shared_ptr<arrow::Array> mask = SL_TRY(AsMask(keep));
  const arrow::Datum filtered = SL_TRY(format::FromArrow(
      arrow::compute::Filter(arrow::Datum(batch), arrow::Datum(mask)), ErrorKind::kUnavailable));
  return filtered.record_batch();
}

}  // namespace

Result<std::shared_ptr<arrow::RecordBatch>> RowSelection::Apply(
    const std::shared_ptr<arrow::RecordBatch>& batch, std::int64_t first_position) {
  const std::int64_t end_position = first_position + batch->num_rows();
  const bool has_deleted =
      next_deleted_ < deleted_.size() && deleted_[next_deleted_] < end_position;
  if (!has_deleted && !cut_) {
    return batch;
  }
  Keep keep(static_cast<std::size_t>(batch->num_rows()), 1);
  if (cut_) {
    KeepInside(*batch->column(cut_->column), cut_->interval, keep);
  }
  for (; next_deleted_ < deleted_.size() && deleted_[next_deleted_] < end_position;
       ++next_deleted_) {
    SL_CHECK(deleted_[next_deleted_] >= first_position);
    keep[static_cast<std::size_t>(deleted_[next_deleted_] - first_position)] = 0;
  }
  return Filter(batch, keep);
}

}  // namespace strandline::table::internal
