#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "strandline/base/check.h"
#include "strandline/base/clock.h"
#include "strandline/io/memory_file_io.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::testing {

// A table in memory whose snapshots are put together by hand: manifests first, then a commit that
// lists them (and those before, as a real append would).
class ScanTable {
 public:
  explicit ScanTable(table::Schema schema,
                     std::vector<table::PartitionSpec> specs = {table::PartitionSpec{}})
      : clock_(Timestamp(std::chrono::seconds(1'796'000'000))), io_(io::MakeMemoryFileIo(clock_)) {
    metadata_.location = "mem://lake/t";
    metadata_.table_uuid = "0193a1b2-0000-7000-8000-000000000001";
    metadata_.current_schema_id = schema.id;
    metadata_.schemas = {std::move(schema)};
    metadata_.default_spec_id = specs.front().id;
    metadata_.partition_specs = std::move(specs);
  }

  io::FileIo& io() { return *io_; }
  table::TableMetadata& metadata() { return metadata_; }
  const table::Schema& schema() const { return metadata_.schemas.back(); }

  // The next commit lists a manifest of these entries. The line may be changed before that.
  table::ManifestFile& AddManifest(std::vector<table::ManifestEntry> entries,
                                   table::SpecId spec_id = table::SpecId(0)) {
    const bool is_data = entries.front().file.content == table::FileContent::kData;
    const table::PartitionSpec* spec = table::FindSpec(metadata_, spec_id);
    SL_CHECK(spec != nullptr);
    const std::string location =
        fmt::format("{}/metadata/m{}.avro", metadata_.location, manifests_.size());
    Result<table::ManifestFile> manifest = table::WriteManifest(
        *io_, metadata_, *spec,
        is_data ? table::ManifestContent::kData : table::ManifestContent::kDeletes,
        NextSnapshotId(), location, entries);
    if (!manifest) {
      internal::CheckFailed(manifest.error().message.c_str(), __FILE__, __LINE__);
    }
    return manifests_.emplace_back(std::move(manifest).value());
  }

  // Makes a snapshot of all manifests so far the current one.
  table::SnapshotId Commit() {
    const table::SnapshotId id = NextSnapshotId();
    const auto number = static_cast<std::int64_t>(metadata_.snapshots.size()) + 1;
    table::Snapshot snapshot;
    snapshot.id = id;
    snapshot.parent_id = metadata_.current_snapshot_id;
    snapshot.sequence_number = table::SequenceNumber(number);
    snapshot.manifest_list = fmt::format("{}/metadata/snap-{}.avro", metadata_.location, number);
    const Status written = table::WriteManifestList(
        *io_, snapshot.manifest_list, id, snapshot.parent_id, snapshot.sequence_number, manifests_);
    if (!written) {
      internal::CheckFailed(written.error().message.c_str(), __FILE__, __LINE__);
    }
    for (table::ManifestFile& manifest : manifests_) {
      if (manifest.sequence_number == table::SequenceNumber(0)) {
        manifest.sequence_number = snapshot.sequence_number;
        manifest.min_sequence_number = snapshot.sequence_number;
      }
    }
    metadata_.last_sequence_number = snapshot.sequence_number;
    metadata_.current_snapshot_id = id;
    metadata_.refs["main"] = table::SnapshotRef{.snapshot_id = id,
                                                .kind = table::RefKind::kBranch,
                                                .min_snapshots_to_keep = {},
                                                .max_snapshot_age_ms = {},
                                                .max_ref_age_ms = {}};
    metadata_.snapshots.push_back(std::move(snapshot));
    return id;
  }

 private:
  table::SnapshotId NextSnapshotId() const {
    return table::SnapshotId(static_cast<std::int64_t>(metadata_.snapshots.size()) + 101);
  }

  FixedClock clock_;
  std::unique_ptr<io::FileIo> io_;
  table::TableMetadata metadata_;
  std::vector<table::ManifestFile> manifests_;
};

}  // namespace strandline::testing
