#pragma once

#include <string>
#include <vector>

#include "strandline/format/avro/avro.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::table::manifest_format {

// The fields of a spec's partition struct: ids, names and types as the table's schema has them now.
// A source column that the current schema lost is looked up in the newest schema that still has it.
Result<std::vector<NestedField>> PartitionFieldsOf(const TableMetadata& metadata,
                                                   const PartitionSpec& spec);

// Whether a partition field of this type can only hold nulls: a type that is not known, or a nested
// one, which only `void` takes. Its Avro type is null, no union, and has no bytes.
bool HoldsOnlyNulls(const Type& type);

// The schema of version 2 entries whose partition struct has these fields.
format::avro::SchemaPtr EntrySchema(const std::vector<NestedField>& partition_fields);

// The schema of the lines of a version 2 manifest list.
format::avro::SchemaPtr ManifestListSchema();

// The bytes of the fixed that holds decimals of so many digits.
std::int32_t DecimalBytes(std::int32_t precision);

// How the table's properties want manifests packed (`write.manifest.compression-codec` and
// `-level`, or `write.avro.` ones): deflate when they say nothing, kUnsupported for a codec we do
// not write.
struct Packing {
  format::avro::Codec codec = format::avro::Codec::kDeflate;
  std::optional<int> level;
};
Result<Packing> PackingOf(const TableMetadata& metadata);

// A container's 16-byte sync marker. Made from the location, which is new for every file, so that
// writing needs no chance and gives the same bytes twice.
std::string SyncMarker(std::string_view location);

// kUnsupported for any version but 2. `has_sequence_numbers` decides for files that do not say: in
// version 1 there were none.
Status CheckVersion(const format::avro::Header& header, bool has_sequence_numbers);

}  // namespace strandline::table::manifest_format
