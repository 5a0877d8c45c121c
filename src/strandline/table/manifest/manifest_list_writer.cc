#include <utility>

#include "strandline/format/avro/avro.h"
#include "strandline/table/manifest/internal/entry_counts.h"
#include "strandline/table/manifest/internal/manifest_avro.h"
#include "strandline/table/manifest/internal/manifest_fields.h"
#include "strandline/table/manifest/internal/optional_values.h"
#include "strandline/table/manifest/internal/read_entries.h"
#include "strandline/table/manifest/manifest.h"

// https://iceberg.apache.org/spec/#manifest-lists

namespace strandline::table {
namespace manifest_format {
namespace {

namespace avro = format::avro;

void WriteSummaries(const std::vector<PartitionFieldSummary>& summaries, avro::Encoder& encoder) {
  if (summaries.empty()) {
    encoder.WriteLong(kNullBranch);
    return;
  }
  encoder.WriteLong(kValueBranch);
  encoder.WriteLong(static_cast<std::int64_t>(summaries.size()));
  for (const PartitionFieldSummary& summary : summaries) {
    encoder.WriteBool(summary.contains_null);
    encoder.WriteLong(summary.contains_nan ? kValueBranch : kNullBranch);
    if (summary.contains_nan) {
      encoder.WriteBool(*summary.contains_nan);
    }
    WriteOptionalBytes(summary.lower_bound, encoder);
    WriteOptionalBytes(summary.upper_bound, encoder);
  }
  encoder.WriteLong(0);
}

// In the order of ManifestListSchema; the counts are all there.
void WriteLine(const ManifestFile& line, avro::Encoder& encoder) {
  encoder.WriteBytes(line.manifest_path);
  encoder.WriteLong(line.manifest_length);
  encoder.WriteLong(line.partition_spec_id.value());
  encoder.WriteLong(static_cast<std::int64_t>(line.content));
  encoder.WriteLong(line.sequence_number.value());
  encoder.WriteLong(line.min_sequence_number.value());
  encoder.WriteLong(line.added_snapshot_id.value());
  encoder.WriteLong(line.added_files_count.value_or(0));
  encoder.WriteLong(line.existing_files_count.value_or(0));
  encoder.WriteLong(line.deleted_files_count.value_or(0));
  encoder.WriteLong(line.added_rows_count.value_or(0));
  encoder.WriteLong(line.existing_rows_count.value_or(0));
  encoder.WriteLong(line.deleted_rows_count.value_or(0));
  WriteSummaries(line.partitions, encoder);
  WriteOptionalBytes(line.key_metadata, encoder);
}

bool HasCounts(const ManifestFile& line) {
  return line.added_files_count && line.existing_files_count && line.deleted_files_count &&
         line.added_rows_count && line.existing_rows_count && line.deleted_rows_count;
}

// Version 2 demands counts, and a made-up zero would make readers pass over files: what another
// writer left out is counted in the manifest itself.
Status CountEntries(io::FileIo& io, ManifestFile& line) {
  ManifestFile counted = line;
  ClearCounts(counted);
  const auto count = [&](ManifestEntry&& entry) -> Result<bool> {
    CountEntry(entry, counted);
    return true;
  };
  const ManifestReadOptions options = {.bounds = false, .column_sizes = false, .columns = {}};
  SL_TRY(ReadEntries(io, {}, line, options, count));
  line = std::move(counted);
  return {};
}

// The line of a manifest that this snapshot adds gets its sequence numbers now.
ManifestFile Assigned(ManifestFile line, SnapshotId snapshot_id, SequenceNumber sequence_number) {
  if (line.added_snapshot_id == snapshot_id && line.sequence_number == SequenceNumber(0)) {
    line.sequence_number = sequence_number;
    if (line.min_sequence_number == kUnassignedSequenceNumber) {
      line.min_sequence_number = sequence_number;
    }
  }
  return line;
}

}  // namespace
}  // namespace manifest_format

Status WriteManifestList(io::FileIo& io, const std::string& location, SnapshotId snapshot_id,
                         std::optional<SnapshotId> parent_id, SequenceNumber sequence_number,
                         const std::vector<ManifestFile>& manifests) {
  namespace avro = format::avro;
  avro::ContainerWriter writer(
      manifest_format::ManifestListSchema(),
      {{"snapshot-id", fmt::format("{}", snapshot_id)},
       {"parent-snapshot-id", parent_id ? fmt::format("{}", *parent_id) : "null"},
       {"sequence-number", fmt::format("{}", sequence_number)},
       {std::string(manifest_format::kFormatVersionKey),
        std::string(manifest_format::kFormatVersion)}},
      avro::Codec::kDeflate, manifest_format::SyncMarker(location));
  avro::Encoder encoder;
  for (const ManifestFile& manifest : manifests) {
    ManifestFile line = manifest_format::Assigned(manifest, snapshot_id, sequence_number);
    if (!manifest_format::HasCounts(line)) {
      SL_TRY(manifest_format::CountEntries(io, line), "writing manifest list {}", location);
    }
    encoder.buffer().clear();
    manifest_format::WriteLine(line, encoder);
    SL_TRY(writer.Append(encoder.buffer()), "writing manifest list {}", location);
  }
  const std::string bytes =
      SL_TRY(std::move(writer).Finish(), "writing manifest list {}", location);
  SL_TRY(io::WriteFile(io, location, bytes), "writing manifest list {}", location);
  return {};
}

}  // namespace strandline::table
