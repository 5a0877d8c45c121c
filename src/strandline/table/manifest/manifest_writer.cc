#include <algorithm>
#include <utility>

#include "strandline/format/avro/avro.h"
#include "strandline/table/manifest/internal/entry_counts.h"
#include "strandline/table/manifest/internal/manifest_avro.h"
#include "strandline/table/manifest/internal/manifest_fields.h"
#include "strandline/table/manifest/internal/optional_values.h"
#include "strandline/table/manifest/internal/partition_values.h"
#include "strandline/table/manifest/manifest.h"
#include "strandline/table/metadata/schema_json.h"

namespace strandline::table {
namespace {

namespace avro = format::avro;

using manifest_format::kNullBranch;
using manifest_format::kValueBranch;
using manifest_format::WriteOptionalBytes;
using manifest_format::WriteOptionalId;

void WriteItem(const ColumnCounts::value_type& pair, avro::Encoder& encoder) {
  encoder.WriteLong(pair.first.value());
  encoder.WriteLong(pair.second);
}

void WriteItem(const ColumnBounds::value_type& pair, avro::Encoder& encoder) {
  encoder.WriteLong(pair.first.value());
  encoder.WriteBytes(pair.second);
}

void WriteItem(std::int64_t number, avro::Encoder& encoder) { encoder.WriteLong(number); }
void WriteItem(FieldId id, avro::Encoder& encoder) { encoder.WriteLong(id.value()); }

// A list or map; an empty one is written as null.
template <typename Items>
void WriteItems(const Items& items, avro::Encoder& encoder) {
  if (items.empty()) {
    encoder.WriteLong(kNullBranch);
    return;
  }
  encoder.WriteLong(kValueBranch);
  encoder.WriteLong(static_cast<std::int64_t>(items.size()));
  for (const auto& item : items) {
    WriteItem(item, encoder);
  }
  encoder.WriteLong(0);
}

// In the order of manifest_format::EntrySchema.
Status WriteFile(const DataFile& file, const std::vector<NestedField>& partition_fields,
                 avro::Encoder& encoder) {
  encoder.WriteLong(static_cast<std::int64_t>(file.content));
  encoder.WriteBytes(file.file_path);
  encoder.WriteBytes(file.file_format);
  SL_TRY(manifest_format::WritePartition(partition_fields, file.partition, encoder));
  encoder.WriteLong(file.record_count);
  encoder.WriteLong(file.file_size_bytes);
  WriteItems(file.column_sizes, encoder);
  WriteItems(file.value_counts, encoder);
  WriteItems(file.null_value_counts, encoder);
  WriteItems(file.nan_value_counts, encoder);
  WriteItems(file.lower_bounds, encoder);
  WriteItems(file.upper_bounds, encoder);
  WriteOptionalBytes(file.key_metadata, encoder);
  WriteItems(file.split_offsets, encoder);
  WriteItems(file.equality_ids, encoder);
  WriteOptionalId(file.sort_order_id, encoder);
  WriteOptionalBytes(file.referenced_data_file, encoder);
  return {};
}

Status WriteEntry(const ManifestEntry& entry, const std::vector<NestedField>& partition_fields,
                  avro::Encoder& encoder) {
  encoder.WriteLong(static_cast<std::int64_t>(entry.status));
  WriteOptionalId(entry.snapshot_id, encoder);
  WriteOptionalId(entry.sequence_number, encoder);
  WriteOptionalId(entry.file_sequence_number, encoder);
  return WriteFile(entry.file, partition_fields, encoder);
}

Status CheckEntry(const ManifestEntry& entry, ManifestContent content,
                  SnapshotId added_snapshot_id) {
  const bool is_data = entry.file.content == FileContent::kData;
  if (is_data != (content == ManifestContent::kData)) {
    return MakeError(
        ErrorKind::kInvalidArgument,
        "data and delete files cannot share a manifest: content {} in a manifest of {}",
        static_cast<std::int32_t>(entry.file.content), static_cast<std::int32_t>(content));
  }
  if (entry.file.record_count < 0 || entry.file.file_size_bytes < 0) {
    return MakeError(ErrorKind::kInvalidArgument, "negative numbers: {} records, {} bytes",
                     entry.file.record_count, entry.file.file_size_bytes);
  }
  const bool is_added = entry.status == EntryStatus::kAdded;
  const bool is_complete = entry.snapshot_id && entry.sequence_number && entry.file_sequence_number;
  if (!is_added && !is_complete) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "only added entries inherit: snapshot id and sequence numbers are missing in "
                     "an entry of status {}",
                     static_cast<std::int32_t>(entry.status));
  }
  if (is_added && !entry.sequence_number && entry.snapshot_id &&
      *entry.snapshot_id != added_snapshot_id) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "an entry of snapshot {} has no sequence number to be kept in snapshot {}",
                     *entry.snapshot_id, added_snapshot_id);
  }
  return {};
}

// The lowest sequence number among live files, unassigned when all of them inherit.
SequenceNumber MinSequenceNumber(const std::vector<ManifestEntry>& entries) {
  SequenceNumber lowest = kUnassignedSequenceNumber;
  for (const ManifestEntry& entry : entries) {
    const bool counts = entry.status != EntryStatus::kDeleted && entry.sequence_number;
    if (counts && (lowest == kUnassignedSequenceNumber || *entry.sequence_number < lowest)) {
      lowest = *entry.sequence_number;
    }
  }
  return lowest;
}

// The schema that the header shows: the current one, or the newest one that still has all source
// columns.
const Schema& HeaderSchema(const TableMetadata& metadata, const PartitionSpec& spec) {
  const auto has_sources = [&](const Schema& schema) {
    return std::ranges::all_of(spec.fields, [&](const PartitionField& field) {
      return FindField(schema, field.source_id) != nullptr;
    });
  };
  const Schema& current = CurrentSchema(metadata);
  if (has_sources(current)) {
    return current;
  }
  const auto found = std::find_if(metadata.schemas.rbegin(), metadata.schemas.rend(), has_sources);
  return found != metadata.schemas.rend() ? *found : current;
}

// https://iceberg.apache.org/spec/#manifests
std::map<std::string, std::string> HeaderMetadata(const TableMetadata& metadata,
                                                  const PartitionSpec& spec,
                                                  ManifestContent content) {
  const Schema& schema = HeaderSchema(metadata, spec);
  return {
      {"schema", SchemaJson(schema)},
      {"schema-id", fmt::format("{}", schema.id)},
      {"partition-spec", PartitionFieldsJson(spec)},
      {"partition-spec-id", fmt::format("{}", spec.id)},
      {std::string(manifest_format::kFormatVersionKey),
       std::string(manifest_format::kFormatVersion)},
      {"content", content == ManifestContent::kData ? "data" : "deletes"},
  };
}

ManifestFile EmptyLine(const std::string& location, const PartitionSpec& spec,
                       ManifestContent content, SnapshotId added_snapshot_id) {
  ManifestFile line;
  line.manifest_path = location;
  line.partition_spec_id = spec.id;
  line.content = content;
  line.added_snapshot_id = added_snapshot_id;
  manifest_format::ClearCounts(line);
  return line;
}

}  // namespace

Result<ManifestFile> WriteManifest(io::FileIo& io, const TableMetadata& metadata,
                                   const PartitionSpec& spec, ManifestContent content,
                                   SnapshotId added_snapshot_id, const std::string& location,
                                   const std::vector<ManifestEntry>& entries) {
  if (entries.empty()) {
    return MakeError(ErrorKind::kInvalidArgument, "a manifest without entries: {}", location);
  }
  const std::vector<NestedField> partition_fields =
      SL_TRY(manifest_format::PartitionFieldsOf(metadata, spec), "writing manifest {}", location);
  const manifest_format::Packing packing =
      SL_TRY(manifest_format::PackingOf(metadata), "writing manifest {}", location);

  avro::ContainerWriter writer(manifest_format::EntrySchema(partition_fields),
                               HeaderMetadata(metadata, spec, content), packing.codec,
                               manifest_format::SyncMarker(location), packing.level);
  ManifestFile line = EmptyLine(location, spec, content, added_snapshot_id);
  manifest_format::PartitionSummaries summaries(partition_fields);
  avro::Encoder encoder;
  for (std::size_t index = 0; index < entries.size(); ++index) {
    const ManifestEntry& entry = entries[index];
    encoder.buffer().clear();
    SL_TRY(CheckEntry(entry, content, added_snapshot_id), "writing manifest {}: entry {}", location,
           index);
    SL_TRY(WriteEntry(entry, partition_fields, encoder), "writing manifest {}: entry {}", location,
           index);
    SL_TRY(writer.Append(encoder.buffer()), "writing manifest {}", location);
    summaries.Add(entry.file.partition);
    manifest_format::CountEntry(entry, line);
  }
  const std::string bytes = SL_TRY(std::move(writer).Finish(), "writing manifest {}", location);
  SL_TRY(io::WriteFile(io, location, bytes), "writing manifest {}", location);
  line.manifest_length = static_cast<std::int64_t>(bytes.size());
  line.min_sequence_number = MinSequenceNumber(entries);
  line.partitions = summaries.Finish();
  return line;
}

}  // namespace strandline::table
