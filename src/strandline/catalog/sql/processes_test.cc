// Several processes on one database. They only write metadata, through a file system of their own.

#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/catalog/sql/sql_catalog.h"
#include "strandline/io/local_file_io.h"
#include "tests/support/matchers.h"
#include "tests/support/table_world.h"
#include "tests/support/temp_folder.h"

namespace strandline::catalog {
namespace {

using ::strandline::testing::CreationOf;
using ::strandline::testing::FakeFile;
using ::strandline::testing::IsOk;
using ::strandline::testing::TempFolder;
using ::testing::Contains;
using ::testing::Pair;
using ::testing::SizeIs;

const TableName kOrders{{"ads"}, "orders"};
const TableName kClicks{{"ads"}, "clicks"};

// Collisions are what is tested here, so a process does not give up on one.
constexpr RetryPolicy kStubborn{.attempts_max = 1000,
                                .backoff_min = std::chrono::milliseconds(1),
                                .backoff_max = std::chrono::milliseconds(20)};

// What one process has: everything real, since nothing can be shared with the others.
struct Process {
  explicit Process(const TempFolder& folder, std::function<void(std::string_view)> on_point = {})
      : catalog(OpenSqlCatalog({.database_path = folder / "catalog.db",
                                .catalog_name = "ads",
                                .warehouse = "file://" + folder.path() + "/lake",
                                .on_point = std::move(on_point)},
                               *io, clock, rng)
                    .value()) {}

  Status Create(const TableName& name) {
    const TableCommit commit{name, CreationOf({}, catalog->DefaultLocation(name), rng)};
    SL_TRY(catalog->CommitTables({&commit, 1}));
    return {};
  }

  // Appends one file of a thousand rows to each table, in one transaction.
  Status Append(const std::vector<TableName>& names, const std::string& file_name) {
    const ProposeCommits propose = [&](const Bases& bases) -> Result<std::vector<TableCommit>> {
      std::vector<TableCommit> commits;
      for (std::size_t i = 0; i < names.size(); ++i) {
        const table::TableMetadata& base = *bases[i]->metadata;
        const table::SnapshotChange change{
            .added = {FakeFile({.path = base.location + "/data/" + file_name, .rows = 1000})}};
        table::PreparedSnapshot prepared =
            SL_TRY(table::PrepareSnapshot(base, change, *io, clock, rng));
        commits.push_back({names[i], std::move(prepared.request)});
      }
      return commits;
    };
    SL_TRY(Commit(*catalog, names, propose, kStubborn, rng));
    return {};
  }

  SystemClock clock;
  SystemRng rng;
  std::unique_ptr<io::FileIo> io = io::MakeLocalFileIo();
  std::unique_ptr<Catalog> catalog;
};

// Runs `work` in a process of its own; true there means exit code 0.
pid_t Fork(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  SL_CHECK(child >= 0);
  if (child == 0) {
    ::_exit(work() ? 0 : 1);
  }
  return child;
}

int ExitCodeOf(pid_t child) {
  int status = 0;
  SL_CHECK(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Live files of the current snapshot, from the manifests themselves.
std::int64_t CountLiveFiles(io::FileIo& io, const table::TableMetadata& metadata) {
  std::int64_t files = 0;
  const std::vector<table::ManifestFile> manifests =
      ReadManifestList(io, *CurrentSnapshot(metadata)).value();
  for (const table::ManifestFile& manifest : manifests) {
    EXPECT_THAT(ReadManifest(io, metadata, manifest, {},
                             [&](table::ManifestEntry&& entry) -> Result<bool> {
                               files += entry.status == table::EntryStatus::kDeleted ? 0 : 1;
                               return true;
                             }),
                IsOk());
  }
  return files;
}

TEST(Processes, AppendToOneTableWithoutLosingARow) {
  constexpr int kProcesses = 2;
  constexpr int kRounds = 20;
  const TempFolder folder;
  ASSERT_THAT(Process(folder).Create(kOrders), IsOk());

  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    children.push_back(Fork([&] {
      Process self(folder);
      for (int round = 0; round < kRounds; ++round) {
        if (!self.Append({kOrders}, fmt::format("{}-{}.parquet", process, round))) {
          return false;
        }
      }
      return true;
    }));
  }
  for (const pid_t child : children) {
    EXPECT_EQ(ExitCodeOf(child), 0);
  }

  Process self(folder);
  SL_ASSERT_OK_AND_ASSIGN(const LoadedTable orders, self.catalog->LoadTable(kOrders));
  EXPECT_EQ(CountLiveFiles(*self.io, *orders.metadata), kProcesses * kRounds);
  EXPECT_THAT(CurrentSnapshot(*orders.metadata)->summary,
              Contains(Pair("total-records", fmt::format("{}", kProcesses * kRounds * 1000))));
  EXPECT_THAT(orders.metadata->snapshots, SizeIs(kProcesses * kRounds));
  EXPECT_EQ(orders.metadata->last_sequence_number, table::SequenceNumber(kProcesses * kRounds));
}

TEST(Processes, CommitSeveralTablesTogether) {
  constexpr int kRounds = 10;
  const TempFolder folder;
  ASSERT_THAT(Process(folder).Create(kOrders), IsOk());
  ASSERT_THAT(Process(folder).Create(kClicks), IsOk());

  // One process appends to both, the other to one of them.
  const std::vector<pid_t> children = {
      Fork([&] {
        Process self(folder);
        for (int round = 0; round < kRounds; ++round) {
          if (!self.Append({kOrders, kClicks}, fmt::format("both-{}.parquet", round))) {
            return false;
          }
        }
        return true;
      }),
      Fork([&] {
        Process self(folder);
        for (int round = 0; round < kRounds; ++round) {
          if (!self.Append({kClicks}, fmt::format("one-{}.parquet", round))) {
            return false;
          }
        }
        return true;
      })};
  for (const pid_t child : children) {
    EXPECT_EQ(ExitCodeOf(child), 0);
  }

  Process self(folder);
  EXPECT_EQ(CountLiveFiles(*self.io, *self.catalog->LoadTable(kOrders).value().metadata), kRounds);
  EXPECT_EQ(CountLiveFiles(*self.io, *self.catalog->LoadTable(kClicks).value().metadata),
            2 * kRounds);
}

TEST(Processes, DieAtAnyPointOfACommitAndLeaveOldOrNew) {
  struct Case {
    std::string_view point;
    bool is_new;
  };
  const Case cases[] = {
      {kPointMetadataWritten, false}, {kPointInTransaction, false}, {kPointCommitted, true}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.point);
    const TempFolder folder;
    ASSERT_THAT(Process(folder).Create(kOrders), IsOk());
    ASSERT_THAT(Process(folder).Create(kClicks), IsOk());

    const pid_t child = Fork([&] {
      Process self(folder, [&](std::string_view point) {
        if (point == c.point) {
          ::_exit(9);
        }
      });
      return self.Append({kOrders, kClicks}, "a.parquet").has_value();
    });
    ASSERT_EQ(ExitCodeOf(child), 9);

    Process self(folder);
    for (const TableName& name : {kOrders, kClicks}) {
      SL_ASSERT_OK_AND_ASSIGN(const LoadedTable table, self.catalog->LoadTable(name));
      EXPECT_EQ(table.metadata->current_snapshot_id.has_value(), c.is_new);
    }
    EXPECT_THAT(self.Append({kOrders, kClicks}, "b.parquet"), IsOk()) << "nothing to repair";
  }
}

}  // namespace
}  // namespace strandline::catalog
