#include "strandline/pipeline/plan/landed_rows.h"

#include "strandline/format/parquet/parquet_file.h"

namespace strandline::pipeline {
namespace {

std::optional<std::int64_t> RowsOf(const LandingUnit& unit, io::FileIo& io) {
  std::int64_t rows = 0;
  for (const LandedFile& file : unit.files) {
    const auto opened = format::OpenParquetFile(io, file.location, file.size_bytes);
    if (!opened) {
      return std::nullopt;
    }
    rows += (*opened)->row_count();
  }
  return rows;
}

}  // namespace

Status CountLandedRows(Plan& plan, io::FileIo& io) {
  for (PlannedUnit& unit : plan.units) {
    if (unit.source != nullptr && unit.source->format == project::LandingFormat::kParquet) {
      unit.rows = RowsOf(unit.landing, io);
    }
  }
  return {};
}

}  // namespace strandline::pipeline
