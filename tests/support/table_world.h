#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>
#include <gmock/gmock.h>

#include "strandline/base/clock.h"
#include "strandline/base/rng.h"
#include "strandline/catalog/catalog.h"
#include "strandline/io/faulty_file_io.h"
#include "strandline/maintenance/fsck/fsck.h"
#include "strandline/table/update/snapshot_change.h"

namespace strandline::testing {

// What a test says about a table.
struct TableOptions {
  std::string name = "ads.orders";
  // Columns in words: `id long required, ordered_at timestamptz, price decimal(9,2)`.
  std::string columns = "id long, country string";
  // `hour(ordered_at), bucket[4](id), country`; empty: unpartitioned.
  std::string partitioned_by = {};
  std::map<std::string, std::string> properties = {};
};

table::Schema SchemaOf(std::string_view columns);
table::PartitionSpec SpecOf(std::string_view partitioned_by, const table::Schema& schema);

// The request that makes such a table at `location`.
table::CommitRequest CreationOf(const TableOptions& options, std::string location, Rng& rng);

// Metadata of such a table without a catalog, for pure functions.
table::TableMetadata MetadataOf(const TableOptions& options);

// Rows from JSON, as `[{"id": 1, "country": "DE"}, ...]`, in the columns of a schema.
std::shared_ptr<arrow::RecordBatch> RowsOf(const table::Schema& schema, const std::string& json);

// Writes rows as data files of a table, one for each partition.
Result<std::vector<table::NewFile>> WriteRows(io::FileIo& io, const table::TableMetadata& metadata,
                                              const arrow::RecordBatch& rows, Rng& rng);

// An entry for a data file that is not there, for tests that only look at metadata.
struct FakeFileOptions {
  std::string path = {};
  std::int64_t rows = 1;
  std::int64_t size_bytes = 100;
  table::PartitionTuple partition = {};
  table::FileContent content = table::FileContent::kData;
  // Of position deletes: the only data file they point at, or the first and last by path.
  std::string points_at = {};
  std::string points_at_first = {};
  std::string points_at_last = {};
};
table::NewFile FakeFile(const FakeFileOptions& options, table::SpecId spec_id = table::SpecId(0));

// A small world that a test owns: a catalog (SQLite in memory) over files in memory, a clock that
// stands still, chance from a seed, and storage that fails when told to. Commits are not retried
// unless a test asks for it.
class World {
 public:
  explicit World(std::uint64_t seed = 1);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  FixedClock clock;
  SeededRng rng;

  io::FaultyFileIo& io() { return *faulty_; }
  catalog::Catalog& catalog() { return *catalog_; }

  Result<catalog::LoadedTable> Create(const TableOptions& options);
  Result<catalog::LoadedTable> Load(const std::string& name);
  // Prepares and commits one snapshot on top of what is there.
  Result<catalog::LoadedTable> Change(const std::string& name, const table::SnapshotChange& change);
  // Appends rows given as JSON.
  Result<catalog::LoadedTable> Append(const std::string& name, const std::string& json);
  // Sends updates without requirements.
  Result<catalog::LoadedTable> Update(const std::string& name, std::vector<table::Update> updates);

  // The rows of a table, deletes applied, as sorted lines of text: `1 DE`.
  Result<std::vector<std::string>> Rows(const std::string& name);
  Result<std::int64_t> CountRows(const std::string& name);
  Result<maintenance::FsckReport> Fsck(const std::string& name);

 private:
  std::unique_ptr<io::FileIo> memory_;
  std::unique_ptr<io::FaultyFileIo> faulty_;
  std::unique_ptr<catalog::Catalog> catalog_;
};

// Rows of any table as World::Rows() gives them.
Result<std::vector<std::string>> ReadRows(io::FileIo& io, const table::TableMetadata& metadata);

// EXPECT_THAT(world.Fsck("ads.orders"), IsSound());
MATCHER(IsSound, "is sound") {
  if (!arg) {
    *result_listener << "which could not be checked: " << arg.error().message;
    return false;
  }
  for (const maintenance::FsckFinding& finding : arg->findings) {
    *result_listener << "\n  " << ToString(finding.kind) << ": " << finding.file << ": "
                     << finding.message;
  }
  return arg->is_sound();
}

// A finding of this kind whose file and message match.
MATCHER_P3(Finding, kind, file, message, "is such a finding") {
  *result_listener << ToString(arg.kind) << ": " << arg.file << ": " << arg.message;
  return arg.kind == kind && ::testing::ExplainMatchResult(file, arg.file, result_listener) &&
         ::testing::ExplainMatchResult(message, arg.message, result_listener);
}

}  // namespace strandline::testing
