#include "strandline/pipeline/state/fingerprints.h"

#include <algorithm>

#include "strandline/base/hash.h"
#include "strandline/base/time_text.h"
#include "strandline/engine/sql_analysis.h"
#include "strandline/pipeline/state/bookkeeping.h"

namespace strandline::pipeline {
namespace {

constexpr std::string_view kSchemeVersion = "1";

std::int64_t Size(std::size_t size) { return static_cast<std::int64_t>(size); }

// Whether the SQL can name a column of this name, for all we know without binding it.
bool MayRead(const engine::SqlAnalysis& analysis, const table::NestedField& column) {
  if (analysis.reads_all_columns) {
    return true;
  }
  std::string lower = column.name;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  });
  return std::ranges::find(analysis.column_names, lower) != analysis.column_names.end();
}

void AddColumn(Fingerprint& fingerprint, const table::NestedField& column) {
  fingerprint.Add(column.id.value()).Add(ToString(column.type));
  fingerprint.Add(column.initial_default.value_or(""));
}

}  // namespace

std::vector<const table::NestedField*> ColumnsRead(const project::Model& model,
                                                   const table::Schema& input) {
  std::vector<const table::NestedField*> read;
  for (const table::NestedField& column : input.fields) {
    if (!IsBookkeepingColumn(column.name) && MayRead(model.analysis, column)) {
      read.push_back(&column);
    }
  }
  return read;
}

std::int64_t StampOfWindow(std::vector<InputDigest> inputs) {
  for (InputDigest& input : inputs) {
    std::ranges::sort(input.partitions);
  }
  std::ranges::sort(inputs);
  Fingerprint fingerprint;
  fingerprint.Add(kSchemeVersion);
  for (const InputDigest& input : inputs) {
    fingerprint.Add(input.table).Add(Size(input.partitions.size()));
    for (const PartitionDigest& partition : input.partitions) {
      fingerprint.Add(partition.partition).Add(partition.digest);
    }
  }
  return fingerprint.Finish();
}

std::int64_t StampOfLandingUnit(std::string_view source, std::string_view tenant, Timestamp unit,
                                std::vector<LandedFile> files) {
  std::ranges::sort(files, {}, &LandedFile::name);
  Fingerprint fingerprint;
  fingerprint.Add(kSchemeVersion).Add(source).Add(tenant).Add(FormatTimestamp(unit));
  for (const LandedFile& file : files) {
    fingerprint.Add(file.name).Add(file.size_bytes).Add(file.version);
  }
  return fingerprint.Finish();
}

std::string DigestOfFiles(std::vector<std::string> paths) {
  std::ranges::sort(paths);
  Fingerprint fingerprint;
  for (const std::string& path : paths) {
    fingerprint.Add(path);
  }
  return FingerprintText(fingerprint.Finish());
}

std::int64_t LogicOfModel(const project::Model& model, std::string_view engine,
                          const std::map<catalog::TableName, table::Schema>& inputs) {
  Fingerprint fingerprint;
  fingerprint.Add(kSchemeVersion).Add(engine::NormalizedSql(model.sql)).Add(engine);
  fingerprint.Add(model.revision).Add(project::ToString(model.window)).Add(model.time.value_or(""));
  fingerprint.Add(Size(model.columns.size()));
  for (const auto& [name, type] : model.columns) {
    fingerprint.Add(name).Add(ToString(type));
  }
  std::vector<project::ModelInput> settings = model.inputs;
  std::ranges::sort(settings, {}, &project::ModelInput::table);
  for (const project::ModelInput& input : settings) {
    fingerprint.Add(ToString(input.table)).Add(FormatDuration(input.read_lookback));
    fingerprint.Add(static_cast<std::int64_t>(input.as_of)).Add(input.time.value_or(""));
  }
  for (const auto& [name, schema] : inputs) {
    const std::vector<const table::NestedField*> read = ColumnsRead(model, schema);
    fingerprint.Add(ToString(name)).Add(Size(read.size()));
    for (const table::NestedField* column : read) {
      AddColumn(fingerprint, *column);
    }
  }
  return fingerprint.Finish();
}

}  // namespace strandline::pipeline
