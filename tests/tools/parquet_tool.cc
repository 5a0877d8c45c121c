// Reads a Parquet file that another program wrote and writes its rows as a data file of a table
// with the same columns, for tests that let other programs read what we wrote:
//
//   sl_parquet_tool file:///x/theirs.parquet file:///x/ours.parquet [property=value ...]
//
// The columns' field ids come from the file. Prints the manifest entry as one JSON object, bounds
// in hexadecimal, keys field ids. Exit code 1 with a message when it fails.

#include <cstdint>
#include <iostream>
#include <numeric>
#include <string>
#include <string_view>

#include <arrow/api.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/format/parquet/parquet_file.h"
#include "strandline/io/local_file_io.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/write/data_file_writer.h"

namespace strandline::testing {
namespace {

using Json = nlohmann::json;

Json ToJson(const table::ColumnCounts& counts) {
  Json json = Json::object();
  for (const auto& [id, count] : counts) {
    json[fmt::to_string(id.value())] = count;
  }
  return json;
}

Json ToJson(const table::ColumnBounds& bounds) {
  Json json = Json::object();
  for (const auto& [id, bound] : bounds) {
    std::string hex;
    for (const char byte : bound) {
      hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    json[fmt::to_string(id.value())] = hex;
  }
  return json;
}

Json ToJson(const table::DataFile& file) {
  return {{"record_count", file.record_count},
          {"file_size_bytes", file.file_size_bytes},
          {"split_offsets", file.split_offsets},
          {"column_sizes", ToJson(file.column_sizes)},
          {"value_counts", ToJson(file.value_counts)},
          {"null_value_counts", ToJson(file.null_value_counts)},
          {"nan_value_counts", ToJson(file.nan_value_counts)},
          {"lower_bounds", ToJson(file.lower_bounds)},
          {"upper_bounds", ToJson(file.upper_bounds)}};
}

Result<table::DataFile> Rewrite(io::FileIo& io, const std::string& from, const std::string& to,
                                const table::TableMetadata& metadata) {
  const std::shared_ptr<const format::ParquetFile> file =
      SL_TRY(format::OpenParquetFile(io, from, std::nullopt));
  table::Schema schema;
  format::ParquetReadRequest request;
  for (int i = 0; i < file->schema()->num_fields(); ++i) {
    schema.fields.push_back(SL_TRY(table::IcebergField(*file->schema()->field(i))));
    request.columns.push_back(i);
  }
  request.row_groups.resize(static_cast<std::size_t>(file->row_group_count()));
  std::iota(request.row_groups.begin(), request.row_groups.end(), 0);
  const std::unique_ptr<format::BatchStream> stream = SL_TRY(file->Read(request));
  const std::unique_ptr<table::DataFileWriter> writer =
      SL_TRY(table::MakeDataFileWriter(io, metadata, schema, table::PartitionSpec{}, {}, to));
  while (true) {
    const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
    if (batch == nullptr) {
      return writer->Close();
    }
    SL_TRY(writer->Write(*batch));
  }
}

int Main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: sl_parquet_tool FROM TO [property=value ...]\n";
    return 64;
  }
  table::TableMetadata metadata;
  for (int i = 3; i < argc; ++i) {
    const std::string_view property = argv[i];
    const std::size_t equals = std::min(property.find('='), property.size());
    metadata.properties[std::string(property.substr(0, equals))] =
        property.substr(std::min(equals + 1, property.size()));
  }
  const std::unique_ptr<io::FileIo> io = io::MakeLocalFileIo();
  const Result<table::DataFile> file = Rewrite(*io, argv[1], argv[2], metadata);
  if (!file) {
    std::cerr << ToString(file.error().kind) << ": " << file.error().message << '\n';
    return 1;
  }
  std::cout << ToJson(*file).dump() << '\n';
  return 0;
}

}  // namespace
}  // namespace strandline::testing

int main(int argc, char** argv) { return strandline::testing::Main(argc, argv); }
