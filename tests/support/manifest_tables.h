#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strandline/base/clock.h"
#include "strandline/io/local_file_io.h"
#include "strandline/io/memory_file_io.h"
#include "strandline/table/manifest/manifest.h"

// The table, partition specs and files of tests/fixtures/manifests/make_manifests.py.
namespace strandline::testing {

inline table::NestedField Column(std::int32_t id, std::string name, table::Type type) {
  table::NestedField column;
  column.id = table::FieldId(id);
  column.name = std::move(name);
  column.type = std::move(type);
  return column;
}

// One column of every primitive type of version 2.
inline table::Schema AllTypesSchema() {
  using table::PrimitiveType;
  using table::TypeId;
  table::Schema schema;
  schema.id = table::SchemaId(3);
  schema.fields = {
      Column(1, "b", PrimitiveType(TypeId::kBoolean)),
      Column(2, "i", PrimitiveType(TypeId::kInt)),
      Column(3, "l", PrimitiveType(TypeId::kLong)),
      Column(4, "f", PrimitiveType(TypeId::kFloat)),
      Column(5, "d", PrimitiveType(TypeId::kDouble)),
      Column(6, "dec", table::DecimalType(9, 2)),
      Column(7, "dt", PrimitiveType(TypeId::kDate)),
      Column(8, "tm", PrimitiveType(TypeId::kTime)),
      Column(9, "ts", PrimitiveType(TypeId::kTimestamp)),
      Column(10, "tz", PrimitiveType(TypeId::kTimestamptz)),
      Column(11, "s", PrimitiveType(TypeId::kString)),
      Column(12, "u", PrimitiveType(TypeId::kUuid)),
      Column(13, "x", table::FixedType(3)),
      Column(14, "bin", PrimitiveType(TypeId::kBinary)),
  };
  return schema;
}

inline table::PartitionField PartitionBy(std::int32_t source, std::int32_t id, std::string name,
                                         table::TransformKind kind = {},
                                         std::int32_t parameter = 0) {
  return {.source_id = table::FieldId(source),
          .field_id = table::FieldId(id),
          .name = std::move(name),
          .transform = {.kind = kind, .parameter = parameter, .text = {}}};
}

inline table::PartitionSpec AllTypesSpec() {
  using table::TransformKind;
  table::PartitionSpec spec;
  spec.id = table::SpecId(7);
  for (const table::NestedField& column : AllTypesSchema().fields) {
    spec.fields.push_back(PartitionBy(column.id.value(), 999 + column.id.value(), column.name));
  }
  spec.fields.push_back(PartitionBy(9, 1014, "ts_hour", TransformKind::kHour));
  spec.fields.push_back(PartitionBy(10, 1015, "tz_day", TransformKind::kDay));
  spec.fields.push_back(PartitionBy(11, 1016, "s_bucket", TransformKind::kBucket, 16));
  spec.fields.push_back(PartitionBy(11, 1017, "s_trunc", TransformKind::kTruncate, 2));
  spec.fields.push_back(PartitionBy(3, 1018, "l_void", TransformKind::kVoid));
  return spec;
}

// Names that Avro does not allow (C097).
inline table::PartitionSpec OddNamesSpec() {
  return {.id = table::SpecId(8),
          .fields = {PartitionBy(3, 1000, "815d_day"), PartitionBy(2, 1001, "a.b"),
                     PartitionBy(11, 1002, "\xF0\x9F\x98\x8E"), PartitionBy(7, 1003, "x-y")}};
}

inline table::PartitionSpec ByLongSpec() {
  return {.id = table::SpecId(9), .fields = {PartitionBy(3, 1000, "l")}};
}

inline table::TableMetadata AllTypesTable() {
  table::TableMetadata metadata;
  metadata.table_uuid = "5e0b7f2e-0000-4000-8000-000000000001";
  metadata.location = "file:///lake/t";
  metadata.schemas = {AllTypesSchema()};
  metadata.current_schema_id = table::SchemaId(3);
  metadata.last_column_id = table::FieldId(14);
  metadata.partition_specs = {{}, AllTypesSpec(), OddNamesSpec(), ByLongSpec()};
  metadata.default_spec_id = table::SpecId(7);
  return metadata;
}

// A value for each field of AllTypesSpec.
inline table::PartitionTuple AllValues() {
  using table::Bytes;
  using table::Value;
  return {Value(true),
          Value(std::int32_t{-5}),
          Value(std::int64_t{1} << 40),
          Value(std::numeric_limits<float>::quiet_NaN()),
          Value(-0.0),
          Value(table::Int128{-125}),
          Value(std::int32_t{-1}),
          Value(std::int64_t{1}),
          Value(std::int64_t{-1}),
          Value(std::int64_t{1'700'000'000'000'000}),
          Value(std::string("gr\xC3\xB6\xC3\x9F/\xF0\x9F\x98\x8E")),
          Value(Bytes{{"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16}}),
          Value(Bytes{"abc"}),
          Value(Bytes{{"\x00\xff", 2}}),
          Value(std::int32_t{-1}),
          Value(std::int32_t{19'675}),
          Value(std::int32_t{3}),
          Value(std::string("gr")),
          Value()};
}

// A data file with something in every field a data file has.
inline table::DataFile FullFile(table::PartitionTuple partition, std::int32_t number) {
  using table::FieldId;
  const auto upper = static_cast<char>(70 + number);
  table::DataFile file;
  file.file_path = "file:///lake/t/data/" + std::to_string(number) + ".parquet";
  file.partition = std::move(partition);
  file.record_count = 100 + number;
  file.file_size_bytes = 4096 + number;
  file.column_sizes = {{FieldId(2), 40}, {FieldId(11), 50}};
  file.value_counts = {{FieldId(2), 100}, {FieldId(5), 100}, {FieldId(11), 100}};
  file.null_value_counts = {{FieldId(2), 0}, {FieldId(5), 1}, {FieldId(11), 99}};
  file.nan_value_counts = {{FieldId(5), 2}};
  file.lower_bounds = {{FieldId(2), "\xF9\xFF\xFF\xFF"}, {FieldId(11), "a"}};
  file.upper_bounds = {{FieldId(2), std::string{upper, 0, 0, 0}}, {FieldId(11), "\xC3\xB6"}};
  file.key_metadata = "\x01key";
  file.split_offsets = {4, 2048};
  file.sort_order_id = table::SortOrderId(1);
  return file;
}

// Files in memory, at a time that stands still.
struct MemoryFiles {
  FixedClock clock{Timestamp(std::chrono::seconds(1'700'000'000))};
  std::unique_ptr<io::FileIo> io = io::MakeMemoryFileIo(clock);
};

// The bytes of a file in tests/fixtures/manifests.
inline Result<std::string> ManifestFixture(std::string_view name) {
  const std::unique_ptr<io::FileIo> local = io::MakeLocalFileIo();
  return io::ReadFile(
      *local, std::string(SL_SOURCE_DIR) + "/tests/fixtures/manifests/" + std::string(name));
}

// All entries of a manifest.
inline Result<std::vector<table::ManifestEntry>> ReadEntriesOf(
    io::FileIo& io, const table::TableMetadata& metadata, const table::ManifestFile& manifest,
    const table::ManifestReadOptions& options = {}) {
  std::vector<table::ManifestEntry> entries;
  const auto keep = [&](table::ManifestEntry&& entry) -> Result<bool> {
    entries.push_back(std::move(entry));
    return true;
  };
  SL_TRY(table::ReadManifest(io, metadata, manifest, options, keep));
  return entries;
}

// As ==, with NaN equal to itself.
MATCHER_P(HasPartition, expected, "") {
  return !table::PartitionLess(arg, expected) && !table::PartitionLess(expected, arg) &&
         arg.size() == expected.size();
}

}  // namespace strandline::testing
