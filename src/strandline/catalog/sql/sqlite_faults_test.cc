// Every call that SQLite makes to its file system during a commit fails once.

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "strandline/catalog/sql/sql_catalog.h"
#include "strandline/io/memory_file_io.h"
#include "tests/support/matchers.h"
#include "tests/support/table_world.h"
#include "tests/support/temp_folder.h"

namespace strandline::catalog {
namespace {

using ::strandline::testing::CreationOf;
using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::strandline::testing::TempFolder;
using ::testing::AnyOf;

// SQLite's own file system, except that one call of those that write fails. SQLite's interface has
// no room for a user's pointer in every call, so the count is global; it lives in this test only.
class FaultyVfs {
 public:
  static void Register() {
    real = sqlite3_vfs_find(nullptr);
    vfs = *real;
    vfs.zName = "faulty";
    vfs.szOsFile = static_cast<int>(sizeof(File)) + real->szOsFile;
    vfs.xOpen = &Open;
    vfs.xDelete = &Delete;
    sqlite3_vfs_register(&vfs, /*makeDflt=*/1);
  }
  static void Unregister() {
    sqlite3_vfs_unregister(&vfs);
    sqlite3_vfs_register(real, /*makeDflt=*/1);
  }

  static inline int calls_until_failure = 0;  // 0: none fails.
  static inline bool has_failed = false;
  static inline int deletes_unsynced = 0;  // Files deleted without a sync of their folder.

 private:
  struct File {
    sqlite3_file base;
    sqlite3_file* real;
    sqlite3_io_methods methods;
  };

  static bool IsItsTurn() {
    if (calls_until_failure == 0 || --calls_until_failure > 0) {
      return false;
    }
    has_failed = true;
    return true;
  }
  static sqlite3_file* Real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real; }

  static int Open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    auto* wrapper = reinterpret_cast<File*>(file);
    wrapper->base.pMethods = nullptr;
    wrapper->real = reinterpret_cast<sqlite3_file*>(wrapper + 1);
    if (IsItsTurn()) {
      return SQLITE_IOERR;
    }
    const int code = real->xOpen(real, name, wrapper->real, flags, out_flags);
    if (wrapper->real->pMethods == nullptr) {
      return code;
    }
    const sqlite3_io_methods* real_methods = wrapper->real->pMethods;
    wrapper->methods = {};
    wrapper->methods.iVersion = 1;
    wrapper->methods.xClose = [](sqlite3_file* f) { return Real(f)->pMethods->xClose(Real(f)); };
    wrapper->methods.xRead = [](sqlite3_file* f, void* into, int size, sqlite3_int64 offset) {
      return Real(f)->pMethods->xRead(Real(f), into, size, offset);
    };
    wrapper->methods.xWrite = [](sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
      return IsItsTurn() ? SQLITE_IOERR_WRITE : Real(f)->pMethods->xWrite(Real(f), from, size, at);
    };
    wrapper->methods.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
      return IsItsTurn() ? SQLITE_IOERR_TRUNCATE : Real(f)->pMethods->xTruncate(Real(f), size);
    };
    wrapper->methods.xSync = [](sqlite3_file* f, int sync_flags) {
      return IsItsTurn() ? SQLITE_IOERR_FSYNC : Real(f)->pMethods->xSync(Real(f), sync_flags);
    };
    wrapper->methods.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
      return Real(f)->pMethods->xFileSize(Real(f), size);
    };
    wrapper->methods.xLock = [](sqlite3_file* f, int level) {
      return Real(f)->pMethods->xLock(Real(f), level);
    };
    wrapper->methods.xUnlock = [](sqlite3_file* f, int level) {
      return Real(f)->pMethods->xUnlock(Real(f), level);
    };
    wrapper->methods.xCheckReservedLock = [](sqlite3_file* f, int* is_reserved) {
      return Real(f)->pMethods->xCheckReservedLock(Real(f), is_reserved);
    };
    wrapper->methods.xFileControl = [](sqlite3_file* f, int operation, void* argument) {
      return Real(f)->pMethods->xFileControl(Real(f), operation, argument);
    };
    wrapper->methods.xSectorSize = [](sqlite3_file* f) {
      return Real(f)->pMethods->xSectorSize(Real(f));
    };
    wrapper->methods.xDeviceCharacteristics = [](sqlite3_file* f) {
      return Real(f)->pMethods->xDeviceCharacteristics(Real(f));
    };
    SL_CHECK(real_methods->xSync != nullptr);
    wrapper->base.pMethods = &wrapper->methods;
    return code;
  }

  static int Delete(sqlite3_vfs*, const char* name, int sync_folder) {
    deletes_unsynced += sync_folder == 0 ? 1 : 0;
    return IsItsTurn() ? SQLITE_IOERR_DELETE : real->xDelete(real, name, sync_folder);
  }

  static inline sqlite3_vfs* real = nullptr;
  static inline sqlite3_vfs vfs = {};
};

class SqliteFaultsTest : public ::testing::Test {
 protected:
  void SetUp() override { FaultyVfs::Register(); }
  void TearDown() override {
    FaultyVfs::calls_until_failure = 0;
    FaultyVfs::Unregister();
  }

  std::unique_ptr<Catalog> Open() {
    return OpenSqlCatalog({.database_path = folder / "catalog.db",
                           .catalog_name = "ads",
                           .warehouse = "mem://lake"},
                          *io, clock, rng)
        .value();
  }

  TempFolder folder;
  FixedClock clock{Timestamp(std::chrono::seconds(1796014800))};
  SeededRng rng{1};
  std::unique_ptr<io::FileIo> io = io::MakeMemoryFileIo(clock);
};

TEST_F(SqliteFaultsTest, ACommitIsOldOrNewAndSaysWhichUnlessUnknown) {
  const TableName orders{{"ads"}, "orders"};
  const TableName clicks{{"ads"}, "clicks"};
  {
    const std::unique_ptr<Catalog> catalog = Open();
    const TableCommit creations[] = {
        {orders, CreationOf({}, catalog->DefaultLocation(orders), rng)},
        {clicks, CreationOf({}, catalog->DefaultLocation(clicks), rng)}};
    ASSERT_THAT(catalog->CommitTables(creations), IsOk());
  }

  int failures = 0;
  int unknown = 0;
  for (int call = 1;; ++call) {
    SCOPED_TRACE(call);
    const std::string value = fmt::format("{}", call);
    const table::CommitRequest request{.updates = {table::SetProperties{{{"call", value}}}}};
    const TableCommit commits[] = {{orders, request}, {clicks, request}};
    const std::unique_ptr<Catalog> catalog = Open();
    FaultyVfs::has_failed = false;
    FaultyVfs::calls_until_failure = call;
    const Result<std::vector<LoadedTable>> committed = catalog->CommitTables(commits);
    FaultyVfs::calls_until_failure = 0;

    // Both tables load, on this connection and on a new one, and agree.
    const std::string after = PropertyOr(*catalog->LoadTable(orders).value().metadata, "call", "");
    for (const TableName& name : {orders, clicks}) {
      EXPECT_EQ(PropertyOr(*Open()->LoadTable(name).value().metadata, "call", ""), after);
      EXPECT_EQ(PropertyOr(*catalog->LoadTable(name).value().metadata, "call", ""), after);
    }
    if (committed) {
      EXPECT_EQ(after, value);
      if (!FaultyVfs::has_failed) {
        break;
      }
      continue;
    }
    ++failures;
    if (committed.error().kind == ErrorKind::kCommitUnknown) {
      ++unknown;
    } else {
      EXPECT_THAT(committed, Fails(ErrorKind::kUnavailable, ::testing::_));
      EXPECT_NE(after, value);
    }
  }
  EXPECT_GT(failures, 3);
  EXPECT_GT(unknown, 0);
}

// The journal's end is the commit: if it came back after a power cut, it would undo it.
TEST_F(SqliteFaultsTest, SyncsTheFolderAfterTheJournalIsGone) {
  const TableName orders{{"ads"}, "orders"};
  const std::unique_ptr<Catalog> catalog = Open();
  const TableCommit creation{orders, CreationOf({}, catalog->DefaultLocation(orders), rng)};
  FaultyVfs::deletes_unsynced = 0;

  ASSERT_THAT(catalog->CommitTables({&creation, 1}), IsOk());

  EXPECT_EQ(FaultyVfs::deletes_unsynced, 0);
}

}  // namespace
}  // namespace strandline::catalog
