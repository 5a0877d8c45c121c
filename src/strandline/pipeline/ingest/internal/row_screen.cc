#include "strandline/pipeline/ingest/internal/row_screen.h"

#include <limits>

#include <arrow/api.h>

namespace strandline::pipeline::ingest {
namespace {

std::int64_t HorizonMicros(const project::Source& source, const Interval& unit) {
  if (source.beyond_lateness == project::BeyondLateness::kAccept) {
    return std::numeric_limits<std::int64_t>::min();
  }
  return (unit.end - source.lateness).time_since_epoch().count();
}

}  // namespace

RowScreen::RowScreen(const project::Source& source, const Interval& unit, const RowLayout& layout,
                     const table::TableMetadata& metadata, PartitionNumbers& numbers)
    : layout_(layout),
      horizon_micros_(HorizonMicros(source, unit)),
      router_(DefaultSpec(metadata), CurrentSchema(metadata), layout.partition, numbers) {}

Result<ScreenedRows> RowScreen::Screen(const arrow::RecordBatch& rows) {
  ScreenedRows screened;
  screened.partitions = SL_TRY(router_.Route(rows));
  const arrow::Array& times = *rows.column(layout_.time);
  for (std::size_t i = 0; i < screened.partitions.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (MicrosOf(times, index) < horizon_micros_) {
      screened.partitions[i] = kNoPartition;
      screened.rejected.push_back({.index = index, .reason = kBeyondLateness});
    } else if (screened.partitions[i] == kNoPartition) {
      screened.rejected.push_back({.index = index, .reason = kOutsideOfPartitions});
    }
  }
  return screened;
}

}  // namespace strandline::pipeline::ingest
