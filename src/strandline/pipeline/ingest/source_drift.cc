#include "strandline/pipeline/ingest/source_drift.h"

#include <set>

#include <arrow/api.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strandline/format/parquet/parquet_file.h"

namespace strandline::pipeline {
namespace {

std::string PartitionText(const table::Transform& transform, const std::string& column) {
  return transform.kind == table::TransformKind::kIdentity
             ? column
             : fmt::format("{}({})", ToString(transform), column);
}

// As the source says it and as the table has it.
std::vector<std::string> DeclaredPartition(const project::Source& source) {
  std::vector<std::string> fields;
  for (const project::PartitionBy& by : source.partition) {
    fields.push_back(PartitionText(by.transform, by.column));
  }
  return fields;
}

std::vector<std::string> ActualPartition(const table::TableMetadata& metadata) {
  std::vector<std::string> fields;
  for (const table::PartitionField& field : DefaultSpec(metadata).fields) {
    const table::NestedField* column = FindField(CurrentSchema(metadata), field.source_id);
    if (column != nullptr && field.transform.kind != table::TransformKind::kVoid) {
      fields.push_back(PartitionText(field.transform, column->name));
    }
  }
  return fields;
}

}  // namespace

std::vector<std::string> SourceDrift(const LandingUnit& unit, const table::TableMetadata& metadata,
                                     io::FileIo& io) {
  const project::Source& source = *unit.source;
  std::vector<std::string> drift;
  const std::vector<std::string> declared = DeclaredPartition(source);
  const std::vector<std::string> actual = ActualPartition(metadata);
  if (declared != actual) {
    drift.push_back(fmt::format(
        "source {} says `partition: [{}]`, and its table {} is partitioned by [{}]: the table "
        "decides; the source's word counts only when the table is made",
        source.name, fmt::join(declared, ", "), ToString(source.table), fmt::join(actual, ", ")));
  }
  if (source.format != project::LandingFormat::kParquet) {
    return drift;
  }
  std::set<std::string> told;
  for (const LandedFile& file : unit.files) {
    const auto opened = format::OpenParquetFile(io, file.location, file.size_bytes);
    if (!opened) {
      continue;
    }
    for (const auto& field : (*opened)->schema()->fields()) {
      if (FindColumn(CurrentSchema(metadata), field->name()) == nullptr &&
          told.insert(field->name()).second) {
        drift.push_back(fmt::format(
            "column {} of {} is not in table {} and is left out: add it to the table, and to "
            "`columns:` of source {}",
            field->name(), file.location, ToString(source.table), source.name));
      }
    }
  }
  return drift;
}

}  // namespace strandline::pipeline
