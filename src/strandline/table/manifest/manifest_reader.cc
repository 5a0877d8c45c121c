#include <optional>
#include <utility>

#include "strandline/format/avro/avro.h"
#include "strandline/table/manifest/internal/entry_reader.h"
#include "strandline/table/manifest/internal/manifest_avro.h"
#include "strandline/table/manifest/internal/manifest_fields.h"
#include "strandline/table/manifest/internal/read_entries.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::table {
namespace manifest_format {
namespace {

namespace avro = format::avro;

ManifestContent ContentOf(FileContent content) {
  return content == FileContent::kData ? ManifestContent::kData : ManifestContent::kDeletes;
}

// https://iceberg.apache.org/spec/#sequence-number-inheritance
Status Inherit(const ManifestFile& manifest, ManifestEntry& entry) {
  if (!entry.snapshot_id) {
    entry.snapshot_id = manifest.added_snapshot_id;
  }
  const bool inherits =
      entry.status == EntryStatus::kAdded || manifest.sequence_number == SequenceNumber(0);
  if (!entry.sequence_number && inherits) {
    entry.sequence_number = manifest.sequence_number;
  }
  if (!entry.file_sequence_number && inherits) {
    entry.file_sequence_number = manifest.sequence_number;
  }
  if (!entry.sequence_number) {
    return MakeError(ErrorKind::kCorrupt,
                     "field `sequence_number`: it is null in an entry of status {}, which cannot "
                     "inherit it",
                     static_cast<std::int32_t>(entry.status));
  }
  if (!entry.file_sequence_number) {
    entry.file_sequence_number = entry.sequence_number;
  }
  return {};
}

Status CheckContent(const ManifestFile& manifest, const ManifestEntry& entry) {
  if (ContentOf(entry.file.content) != manifest.content) {
    return MakeError(ErrorKind::kCorrupt,
                     "field `content`: {} in a manifest that the list says is of content {}",
                     static_cast<std::int32_t>(entry.file.content),
                     static_cast<std::int32_t>(manifest.content));
  }
  return {};
}

}  // namespace

Status ReadEntries(io::FileIo& io, std::vector<NestedField> partition_fields,
                   const ManifestFile& manifest, const ManifestReadOptions& options,
                   const ManifestEntryVisitor& visitor) {
  const std::string& path = manifest.manifest_path;
  const std::string bytes = SL_TRY(io::ReadFile(io, path), "reading manifest {}", path);
  std::optional<EntryReader> reader;
  avro::SchemaPtr schema;  // Outlives the reader.
  const auto read_header = [&](const avro::Header& header) -> Status {
    SL_TRY(CheckVersion(header, HasField(*header.schema, kSequenceNumber)));
    schema = header.schema;
    reader = SL_TRY(EntryReader::Make(*schema, std::move(partition_fields), options));
    return {};
  };
  std::int64_t index = -1;
  const auto read_entry = [&](avro::Decoder& decoder) -> Result<bool> {
    ++index;
    ManifestEntry entry = SL_TRY(reader->Read(decoder.cursor()), "entry {}", index);
    SL_TRY(CheckContent(manifest, entry), "entry {}", index);
    SL_TRY(Inherit(manifest, entry), "entry {}", index);
    return visitor(std::move(entry));
  };
  SL_TRY(avro::ReadContainer(bytes, read_header, read_entry), "reading manifest {}", path);
  return {};
}

}  // namespace manifest_format

Status ReadManifest(io::FileIo& io, const TableMetadata& metadata, const ManifestFile& manifest,
                    const ManifestReadOptions& options, const ManifestEntryVisitor& visitor) {
  const PartitionSpec* const spec = FindSpec(metadata, manifest.partition_spec_id);
  if (spec == nullptr) {
    return MakeError(ErrorKind::kCorrupt,
                     "manifest {} is of a partition spec that the table does not have: {}",
                     manifest.manifest_path, manifest.partition_spec_id);
  }
  std::vector<NestedField> fields = SL_TRY(manifest_format::PartitionFieldsOf(metadata, *spec),
                                           "reading manifest {}", manifest.manifest_path);
  return manifest_format::ReadEntries(io, std::move(fields), manifest, options, visitor);
}

}  // namespace strandline::table
