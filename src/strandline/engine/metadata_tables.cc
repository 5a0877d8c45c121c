#include "strandline/engine/metadata_tables.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <arrow/api.h>
#include <nlohmann/json.hpp>

#include "strandline/format/batch/arrow_status.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::engine {
namespace {

using format::FromArrow;
using table::TableMetadata;
using Batch = std::shared_ptr<arrow::RecordBatch>;

constexpr std::array<std::pair<std::string_view, MetadataTable>, 6> kNames = {{
    {"snapshots", MetadataTable::kSnapshots},
    {"files", MetadataTable::kFiles},
    {"partitions", MetadataTable::kPartitions},
    {"refs", MetadataTable::kRefs},
    {"manifests", MetadataTable::kManifests},
    {"history", MetadataTable::kHistory},
}};

std::shared_ptr<arrow::DataType> Instant() {
  return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
}

// Builds a batch a cell at a time; metadata is small enough for that.
class RowBuilder {
 public:
  explicit RowBuilder(arrow::FieldVector fields) : schema_(arrow::schema(std::move(fields))) {
    for (const auto& field : schema_->fields()) {
      auto builder = arrow::MakeBuilder(field->type());
      builders_.push_back(std::move(builder).ValueOrDie());  // Only types named in this file.
    }
  }

  RowBuilder& Add(std::string_view text) { return Append<arrow::StringBuilder>(text); }
  RowBuilder& Add(std::int64_t number) { return Append<arrow::Int64Builder>(number); }
  RowBuilder& AddBool(bool value) { return Append<arrow::BooleanBuilder>(value); }
  RowBuilder& AddMilliseconds(std::int64_t ms) {
    return Append<arrow::TimestampBuilder>(ms * 1000);
  }
  RowBuilder& Add(const std::optional<std::int64_t>& number) {
    return number ? Add(*number) : AddNull();
  }
  RowBuilder& AddNull() {
    ok_ = ok_ && builders_[next_]->AppendNull().ok();
    next_ = (next_ + 1) % builders_.size();
    return *this;
  }

  Result<Batch> Finish() {
    SL_CHECK(next_ == 0);
    arrow::ArrayVector columns;
    for (const auto& builder : builders_) {
      columns.push_back(SL_TRY(FromArrow(builder->Finish(), ErrorKind::kUnavailable)));
    }
    if (!ok_) {
      return MakeError(ErrorKind::kUnavailable, "out of memory while reading table metadata");
    }
    const std::int64_t rows = columns.front()->length();
    return arrow::RecordBatch::Make(schema_, rows, std::move(columns));
  }

 private:
  template <typename Builder, typename T>
  RowBuilder& Append(const T& value) {
    ok_ = ok_ && static_cast<Builder&>(*builders_[next_]).Append(value).ok();
    next_ = (next_ + 1) % builders_.size();
    return *this;
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
  std::size_t next_ = 0;
  bool ok_ = true;  // False once an append did not succeed.
};

std::optional<std::int64_t> IdOf(const std::optional<table::SnapshotId>& id) {
  return id ? std::optional<std::int64_t>(id->value()) : std::nullopt;
}

Result<Batch> Snapshots(const TableMetadata& metadata) {
  RowBuilder rows(
      {arrow::field("committed_at", Instant()), arrow::field("snapshot_id", arrow::int64()),
       arrow::field("parent_id", arrow::int64()), arrow::field("sequence_number", arrow::int64()),
       arrow::field("operation", arrow::utf8()), arrow::field("manifest_list", arrow::utf8()),
       arrow::field("summary", arrow::utf8())});
  for (const table::Snapshot& snapshot : metadata.snapshots) {
    const std::string summary = nlohmann::json(snapshot.summary)
                                    .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    rows.AddMilliseconds(snapshot.timestamp_ms)
        .Add(snapshot.id.value())
        .Add(IdOf(snapshot.parent_id))
        .Add(snapshot.sequence_number.value())
        .Add(ToString(OperationOf(snapshot)))
        .Add(snapshot.manifest_list)
        .Add(summary);
  }
  return rows.Finish();
}

Result<Batch> Refs(const TableMetadata& metadata) {
  RowBuilder rows({arrow::field("name", arrow::utf8()), arrow::field("type", arrow::utf8()),
                   arrow::field("snapshot_id", arrow::int64()),
                   arrow::field("max_reference_age_in_ms", arrow::int64()),
                   arrow::field("min_snapshots_to_keep", arrow::int64()),
                   arrow::field("max_snapshot_age_in_ms", arrow::int64())});
  for (const auto& [name, ref] : metadata.refs) {
    rows.Add(name)
        .Add(std::string_view(ref.kind == table::RefKind::kBranch ? "BRANCH" : "TAG"))
        .Add(ref.snapshot_id.value())
        .Add(ref.max_ref_age_ms)
        .Add(ref.min_snapshots_to_keep)
        .Add(ref.max_snapshot_age_ms);
  }
  return rows.Finish();
}

Result<Batch> History(const TableMetadata& metadata) {
  std::set<table::SnapshotId> ancestors;
  if (const table::Snapshot* current = CurrentSnapshot(metadata)) {
    for (const table::Snapshot* snapshot : Ancestors(metadata, current->id)) {
      ancestors.insert(snapshot->id);
    }
  }
  RowBuilder rows({arrow::field("made_current_at", Instant()),
                   arrow::field("snapshot_id", arrow::int64()),
                   arrow::field("parent_id", arrow::int64()),
                   arrow::field("is_current_ancestor", arrow::boolean())});
  for (const table::SnapshotLogEntry& entry : metadata.snapshot_log) {
    const table::Snapshot* snapshot = FindSnapshot(metadata, entry.snapshot_id);
    rows.AddMilliseconds(entry.timestamp_ms)
        .Add(entry.snapshot_id.value())
        .Add(snapshot == nullptr ? std::nullopt : IdOf(snapshot->parent_id))
        .AddBool(ancestors.contains(entry.snapshot_id));
  }
  return rows.Finish();
}

Result<std::vector<table::ManifestFile>> ManifestsOfMain(const TableMetadata& metadata,
                                                         io::FileIo& io) {
  const table::Snapshot* current = CurrentSnapshot(metadata);
  if (current == nullptr) {
    return std::vector<table::ManifestFile>();
  }
  return ReadManifestList(io, *current);
}

Result<Batch> Manifests(const TableMetadata& metadata, io::FileIo& io) {
  RowBuilder rows({arrow::field("content", arrow::int64()), arrow::field("path", arrow::utf8()),
                   arrow::field("length", arrow::int64()),
                   arrow::field("partition_spec_id", arrow::int64()),
                   arrow::field("added_snapshot_id", arrow::int64()),
                   arrow::field("added_files_count", arrow::int64()),
                   arrow::field("existing_files_count", arrow::int64()),
                   arrow::field("deleted_files_count", arrow::int64())});
  for (const table::ManifestFile& manifest : SL_TRY(ManifestsOfMain(metadata, io))) {
    rows.Add(static_cast<std::int64_t>(manifest.content))
        .Add(manifest.manifest_path)
        .Add(manifest.manifest_length)
        .Add(std::int64_t{manifest.partition_spec_id.value()})
        .Add(manifest.added_snapshot_id.value())
        .Add(manifest.added_files_count)
        .Add(manifest.existing_files_count)
        .Add(manifest.deleted_files_count);
  }
  return rows.Finish();
}

// Calls `visit` for each live file of `main`, data and deletes.
Status ForEachLiveFile(
    const TableMetadata& metadata, io::FileIo& io,
    const std::function<void(const table::ManifestFile&, const table::ManifestEntry&)>& visit) {
  const table::ManifestReadOptions options{.bounds = false, .column_sizes = false, .columns = {}};
  for (const table::ManifestFile& manifest : SL_TRY(ManifestsOfMain(metadata, io))) {
    SL_TRY(ReadManifest(io, metadata, manifest, options,
                        [&](table::ManifestEntry&& entry) -> Result<bool> {
                          if (entry.status != table::EntryStatus::kDeleted) {
                            visit(manifest, entry);
                          }
                          return true;
                        }));
  }
  return {};
}

std::string PartitionOf(const TableMetadata& metadata, const table::ManifestFile& manifest,
                        const table::DataFile& file) {
  const table::PartitionSpec* spec = FindSpec(metadata, manifest.partition_spec_id);
  return spec == nullptr ? "" : PartitionPath(*spec, CurrentSchema(metadata), file.partition);
}

Result<Batch> Files(const TableMetadata& metadata, io::FileIo& io) {
  RowBuilder rows(
      {arrow::field("content", arrow::int64()), arrow::field("file_path", arrow::utf8()),
       arrow::field("file_format", arrow::utf8()), arrow::field("spec_id", arrow::int64()),
       arrow::field("partition", arrow::utf8()), arrow::field("record_count", arrow::int64()),
       arrow::field("file_size_in_bytes", arrow::int64()),
       arrow::field("sequence_number", arrow::int64())});
  SL_TRY(ForEachLiveFile(
      metadata, io, [&](const table::ManifestFile& manifest, const table::ManifestEntry& entry) {
        rows.Add(static_cast<std::int64_t>(entry.file.content))
            .Add(entry.file.file_path)
            .Add(entry.file.file_format)
            .Add(std::int64_t{manifest.partition_spec_id.value()})
            .Add(PartitionOf(metadata, manifest, entry.file))
            .Add(entry.file.record_count)
            .Add(entry.file.file_size_bytes)
            .Add(entry.sequence_number ? entry.sequence_number->value() : 0);
      }));
  return rows.Finish();
}

struct PartitionTotals {
  std::int64_t rows = 0;
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t delete_rows = 0;
  std::int64_t delete_files = 0;
};

Result<Batch> Partitions(const TableMetadata& metadata, io::FileIo& io) {
  // By path for the reader; by value too, since null and the text 'null' have one path.
  std::map<std::pair<std::string, std::int64_t>,
           std::map<table::PartitionTuple, PartitionTotals, table::PartitionTupleLess>>
      totals;
  SL_TRY(ForEachLiveFile(
      metadata, io, [&](const table::ManifestFile& manifest, const table::ManifestEntry& entry) {
        PartitionTotals& partition =
            totals[{PartitionOf(metadata, manifest, entry.file),
                    manifest.partition_spec_id.value()}][entry.file.partition];
        if (entry.file.content == table::FileContent::kData) {
          partition.rows += entry.file.record_count;
          partition.bytes += entry.file.file_size_bytes;
          ++partition.files;
        } else {
          partition.delete_rows += entry.file.record_count;
          ++partition.delete_files;
        }
      }));
  RowBuilder rows(
      {arrow::field("partition", arrow::utf8()), arrow::field("spec_id", arrow::int64()),
       arrow::field("record_count", arrow::int64()), arrow::field("file_count", arrow::int64()),
       arrow::field("total_data_file_size_in_bytes", arrow::int64()),
       arrow::field("position_delete_record_count", arrow::int64()),
       arrow::field("position_delete_file_count", arrow::int64())});
  for (const auto& [key, partitions] : totals) {
    for (const auto& [tuple, partition] : partitions) {
      rows.Add(key.first).Add(key.second);
      rows.Add(partition.rows).Add(partition.files).Add(partition.bytes);
      rows.Add(partition.delete_rows).Add(partition.delete_files);
    }
  }
  return rows.Finish();
}

}  // namespace

std::optional<MetadataTable> ParseMetadataTable(std::string_view name) {
  for (const auto& [text, kind] : kNames) {
    if (text == name) {
      return kind;
    }
  }
  return std::nullopt;
}

Result<Batch> ReadMetadataTable(MetadataTable kind, const TableMetadata& metadata, io::FileIo& io) {
  switch (kind) {
    case MetadataTable::kSnapshots:
      return Snapshots(metadata);
    case MetadataTable::kFiles:
      return Files(metadata, io);
    case MetadataTable::kPartitions:
      return Partitions(metadata, io);
    case MetadataTable::kRefs:
      return Refs(metadata);
    case MetadataTable::kManifests:
      return Manifests(metadata, io);
    case MetadataTable::kHistory:
      return History(metadata);
  }
  return MakeError(ErrorKind::kInvalidArgument, "unknown metadata table");
}

}  // namespace strandline::engine
