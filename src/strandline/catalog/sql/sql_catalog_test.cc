#include "strandline/catalog/sql/sql_catalog.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/catalog/sql/internal/sqlite.h"
#include "strandline/io/memory_file_io.h"
#include "tests/support/matchers.h"
#include "tests/support/table_world.h"
#include "tests/support/temp_folder.h"

namespace strandline::catalog {
namespace {

using internal::Sqlite;
using internal::Statement;
using ::strandline::testing::CreationOf;
using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::strandline::testing::TempFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const TableName kOrders{{"ads"}, "orders"};
const TableName kClicks{{"ads"}, "clicks"};

// Several catalogs and bare connections on one database.
class SqlCatalogTest : public ::testing::Test {
 protected:
  std::unique_ptr<Catalog> Open(SqlCatalogOptions options = {}) {
    options.database_path = folder / "catalog.db";
    if (options.catalog_name.empty()) {
      options.catalog_name = "ads";
    }
    options.warehouse = "mem://lake/";
    return OpenSqlCatalog(options, *io, clock, rng).value();
  }

  Sqlite Connect() {
    return Sqlite::Open(folder / "catalog.db", Sqlite::Mode::kCreate, std::chrono::milliseconds(0))
        .value();
  }

  // All values of a query as text, row by row.
  std::vector<std::string> Query(const char* sql, int columns) {
    Sqlite sqlite = Connect();
    Statement statement = sqlite.Prepare(sql).value();
    std::vector<std::string> values;
    while (statement.Step().value()) {
      for (int column = 0; column < columns; ++column) {
        values.push_back(statement.Text(column).value_or("NULL"));
      }
    }
    return values;
  }

  TableCommit Creation(const Catalog& catalog, const TableName& name) {
    return {name, CreationOf({}, catalog.DefaultLocation(name), rng)};
  }

  Status Create(Catalog& catalog, const TableName& name) {
    const TableCommit commit = Creation(catalog, name);
    SL_TRY(catalog.CommitTables({&commit, 1}));
    return {};
  }

  Result<LoadedTable> SetOwner(Catalog& catalog, const TableName& name, const std::string& owner) {
    const TableCommit commit{name, {.updates = {table::SetProperties{{{"owner", owner}}}}}};
    std::vector<LoadedTable> tables = SL_TRY(catalog.CommitTables({&commit, 1}));
    return tables.front();
  }

  // Locations of all files, in order.
  std::vector<std::string> Files() {
    std::vector<std::string> files;
    const Status listed =
        io->List("mem://lake", io::Recursive::kYes, [&](const io::FileInfo& file) -> Result<bool> {
          files.push_back(file.location);
          return true;
        });
    EXPECT_THAT(listed, IsOk());
    return files;
  }

  TempFolder folder;
  FixedClock clock{Timestamp(std::chrono::seconds(1796014800))};
  SeededRng rng{1};
  std::unique_ptr<io::FileIo> io = io::MakeMemoryFileIo(clock);
};

TEST_F(SqlCatalogTest, CreatesLoadsAndLists) {
  const std::unique_ptr<Catalog> catalog = Open();
  ASSERT_THAT(Create(*catalog, kOrders), IsOk());
  ASSERT_THAT(Create(*catalog, kClicks), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const LoadedTable orders, Open()->LoadTable(kOrders));

  EXPECT_EQ(orders.metadata->location, "mem://lake/ads/orders");
  EXPECT_THAT(orders.metadata_location, HasSubstr("mem://lake/ads/orders/metadata/00000-"));
  EXPECT_THAT(catalog->CurrentMetadataLocation(kOrders).value(), orders.metadata_location);
  EXPECT_THAT(catalog->ListTables({"ads"}).value(), ElementsAre(kClicks, kOrders));
  EXPECT_THAT(catalog->ListNamespaces().value(), ElementsAre(ElementsAre("ads")));
}

TEST_F(SqlCatalogTest, WritesRowsAsPyIcebergAndJavaDo) {
  const std::unique_ptr<Catalog> catalog = Open();
  ASSERT_THAT(Create(*catalog, kOrders), IsOk());
  const std::string first = catalog->CurrentMetadataLocation(kOrders).value();
  ASSERT_THAT(SetOwner(*catalog, kOrders, "ads"), IsOk());
  const std::string second = catalog->CurrentMetadataLocation(kOrders).value();

  EXPECT_THAT(Query("SELECT * FROM iceberg_tables", 6),
              ElementsAre("ads", "ads", "orders", second, first, "TABLE"));
  EXPECT_THAT(Query("SELECT * FROM iceberg_namespace_properties", 4),
              ElementsAre("ads", "ads", "exists", "true"));
  EXPECT_THAT(second, HasSubstr("/metadata/00001-"));
  EXPECT_THAT(catalog->LoadTable(kOrders).value().metadata->metadata_log,
              ElementsAre(table::MetadataLogEntry{1796014800000, first}));
}

TEST_F(SqlCatalogTest, BringsAnOldDatabaseToTheNewSchemaWithTheFirstCommit) {
  ASSERT_THAT(Create(*Open(), kOrders), IsOk());
  {
    Sqlite sqlite = Connect();
    ASSERT_THAT(sqlite.Execute("ALTER TABLE iceberg_tables DROP COLUMN iceberg_type"), IsOk());
  }
  const std::unique_ptr<Catalog> catalog = Open();

  EXPECT_THAT(catalog->ListTables({"ads"}).value(), ElementsAre(kOrders));
  EXPECT_THAT(catalog->LoadTable(kOrders), IsOk());
  EXPECT_THAT(Query("SELECT * FROM pragma_table_info('iceberg_tables')", 1), SizeIs(5))
      << "reading changes nothing";
  ASSERT_THAT(SetOwner(*catalog, kOrders, "a"), IsOk());
  ASSERT_THAT(SetOwner(*catalog, kOrders, "b"), IsOk());
  ASSERT_THAT(Create(*catalog, kClicks), IsOk());

  EXPECT_THAT(Query("SELECT table_name, iceberg_type FROM iceberg_tables ORDER BY 1", 2),
              ElementsAre("clicks", "TABLE", "orders", "NULL"));
  EXPECT_THAT(catalog->ListTables({"ads"}).value(), ElementsAre(kClicks, kOrders));
}

TEST_F(SqlCatalogTest, LeavesTheJournalModeAnotherProgramSetBeforeItWrites) {
  ASSERT_THAT(Create(*Open(), kOrders), IsOk());
  const auto set_wal = [&] {
    EXPECT_THAT(Query("PRAGMA journal_mode=WAL", 1), ElementsAre("wal"));
  };
  set_wal();

  ASSERT_THAT(SetOwner(*Open(), kOrders, "ads"), IsOk());

  EXPECT_THAT(Query("PRAGMA journal_mode", 1), ElementsAre("delete"));

  // As long as somebody else has it open in that mode it cannot be left.
  set_wal();
  Sqlite other = Connect();
  ASSERT_THAT(other.Execute("SELECT * FROM iceberg_tables"), IsOk());
  const std::unique_ptr<Catalog> catalog = Open({.busy_timeout = std::chrono::milliseconds(1)});
  EXPECT_THAT(SetOwner(*catalog, kOrders, "search"),
              Fails(ErrorKind::kUnavailable, HasSubstr("catalog.db")));
  EXPECT_EQ(catalog->LoadTable(kOrders).value().metadata->properties.at("owner"), "ads");
}

TEST_F(SqlCatalogTest, DoesNotSeeViews) {
  const std::unique_ptr<Catalog> catalog = Open();
  ASSERT_THAT(Create(*catalog, kOrders), IsOk());
  {
    Sqlite sqlite = Connect();
    ASSERT_THAT(sqlite.Execute("INSERT INTO iceberg_tables VALUES "
                               "('ads', 'ads', 'clicks', 'mem://lake/v.json', NULL, 'VIEW')"),
                IsOk());
  }

  EXPECT_THAT(catalog->ListTables({"ads"}).value(), ElementsAre(kOrders));
  EXPECT_THAT(catalog->LoadTable(kClicks), Fails(ErrorKind::kNotFound, HasSubstr("is a view")));
  EXPECT_THAT(Create(*catalog, kClicks), Fails(ErrorKind::kAlreadyExists, HasSubstr("is a view")));
}

TEST_F(SqlCatalogTest, ComparesNamesByteByByte) {
  const std::unique_ptr<Catalog> catalog = Open();
  for (const char* level : {"my_ns", "myxns", "my_ns_1", "a%b", "db", "db2", "DB"}) {
    ASSERT_THAT(Create(*catalog, {{level}, "t"}), IsOk());
  }

  EXPECT_THAT(catalog->ListTables({"my_ns"}).value(), ElementsAre(TableName{{"my_ns"}, "t"}));
  EXPECT_THAT(catalog->ListTables({"a%b"}).value(), ElementsAre(TableName{{"a%b"}, "t"}));
  EXPECT_THAT(catalog->ListTables({"d_"}).value(), IsEmpty());
  EXPECT_THAT(catalog->ListTables({"%"}).value(), IsEmpty());
  EXPECT_THAT(catalog->ListNamespaces().value(), SizeIs(7));
}

TEST_F(SqlCatalogTest, RefusesLevelsWithDots) {
  const std::unique_ptr<Catalog> catalog = Open();

  EXPECT_THAT(catalog->CreateNamespace({"a", "b"}), IsOk());
  EXPECT_THAT(catalog->CreateNamespace({"a", "b"}), IsOk()) << "it is there already";
  EXPECT_THAT(catalog->CreateNamespace({"a.b"}),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("a.b")));
  EXPECT_THAT(Create(*catalog, {{"a.b"}, "t"}),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("a.b")));
  EXPECT_THAT(catalog->ListNamespaces().value(),
              ElementsAre(ElementsAre("a"), ElementsAre("a", "b")));
}

TEST_F(SqlCatalogTest, SaysWhatIsThereWhenATableIsNot) {
  ASSERT_THAT(Create(*Open(), kOrders), IsOk());

  EXPECT_THAT(Open()->LoadTable(kClicks),
              Fails(ErrorKind::kNotFound, AllOf(HasSubstr("ads.clicks"), HasSubstr("orders"))));
  EXPECT_THAT(Open()->LoadTable({{"adz"}, "orders"}),
              Fails(ErrorKind::kNotFound, HasSubstr("its namespaces: ads")));
  EXPECT_THAT(Open({.catalog_name = "prod"})->LoadTable(kOrders),
              Fails(ErrorKind::kNotFound, HasSubstr("in this database are named: ads")));
  EXPECT_THAT(Open({.catalog_name = "prod"})->ListTables({"ads"}).value(), IsEmpty());
}

TEST_F(SqlCatalogTest, OpensNoDatabaseThatMustExist) {
  SqlCatalogOptions options{.database_path = folder / "none.db",
                            .catalog_name = "ads",
                            .warehouse = "mem://lake",
                            .must_exist = true};

  EXPECT_THAT(OpenSqlCatalog(options, *io, clock, rng),
              Fails(ErrorKind::kNotFound, HasSubstr("none.db")));
  EXPECT_FALSE(std::filesystem::exists(options.database_path));

  {
    const Sqlite empty = Connect();
  }
  options.database_path = folder / "catalog.db";
  EXPECT_THAT(OpenSqlCatalog(options, *io, clock, rng),
              Fails(ErrorKind::kNotFound, HasSubstr("no Iceberg catalog")));
}

TEST_F(SqlCatalogTest, CallsATableWithoutItsMetadataFileBroken) {
  const std::unique_ptr<Catalog> catalog = Open();
  ASSERT_THAT(Create(*catalog, kOrders), IsOk());
  ASSERT_THAT(io->Delete(catalog->CurrentMetadataLocation(kOrders).value()), IsOk());

  const std::unique_ptr<Catalog> another = Open();
  EXPECT_THAT(another->LoadTable(kOrders), Fails(ErrorKind::kCorrupt, HasSubstr("missing")))
      << "not found would make callers create it anew";
  EXPECT_THAT(SetOwner(*another, kOrders, "a"), Fails(ErrorKind::kCorrupt, HasSubstr("missing")));
}

TEST_F(SqlCatalogTest, CommitsSeveralTablesOrNone) {
  const std::unique_ptr<Catalog> catalog = Open();
  ASSERT_THAT(Create(*catalog, kOrders), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const LoadedTable orders, catalog->LoadTable(kOrders));
  const std::vector<std::string> files = Files();
  const TableCommit set_owner{kOrders, {.updates = {table::SetProperties{{{"owner", "x"}}}}}};
  const TableCommit wrong_uuid{
      kOrders,
      {.requirements = {table::AssertUuid{"other"}}, .updates = set_owner.request.updates}};

  const std::vector<TableCommit> refused = {Creation(*catalog, kClicks), wrong_uuid};
  EXPECT_THAT(catalog->CommitTables(refused),
              Fails(ErrorKind::kConflict, AllOf(HasSubstr("ads.orders"), HasSubstr("other"))));
  EXPECT_THAT(catalog->LoadTable(kClicks), Fails(ErrorKind::kNotFound, HasSubstr("clicks")));
  EXPECT_EQ(catalog->CurrentMetadataLocation(kOrders).value(), orders.metadata_location);
  EXPECT_EQ(Files(), files) << "what was written for the attempt is gone";

  const std::vector<TableCommit> accepted = {Creation(*catalog, kClicks), set_owner};
  SL_ASSERT_OK_AND_ASSIGN(const std::vector<LoadedTable> tables, catalog->CommitTables(accepted));
  EXPECT_THAT(tables, SizeIs(2));
  EXPECT_THAT(Open()->LoadTable(kClicks), IsOk());
  EXPECT_EQ(Open()->LoadTable(kOrders).value().metadata->properties.at("owner"), "x");
}

TEST_F(SqlCatalogTest, ChecksATableWithoutChangingIt) {
  const std::unique_ptr<Catalog> catalog = Open();
  ASSERT_THAT(Create(*catalog, kOrders), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const LoadedTable orders, catalog->LoadTable(kOrders));
  const std::vector<TableCommit> commits = {
      Creation(*catalog, kClicks),
      {kOrders, {.requirements = {table::AssertUuid{orders.metadata->table_uuid}}}}};

  ASSERT_THAT(catalog->CommitTables(commits), IsOk());

  EXPECT_EQ(catalog->CurrentMetadataLocation(kOrders).value(), orders.metadata_location);
}

TEST_F(SqlCatalogTest, LetsOnlyOneOfTwoCreateATable) {
  const std::unique_ptr<Catalog> catalog = Open();

  ASSERT_THAT(Create(*catalog, kOrders), IsOk());
  EXPECT_THAT(Create(*catalog, kOrders),
              Fails(ErrorKind::kConflict, HasSubstr("expected not to be there")));
}

TEST_F(SqlCatalogTest, DoesNotMakeATableThatNobodyAskedToMake) {
  const std::unique_ptr<Catalog> catalog = Open();

  EXPECT_THAT(SetOwner(*catalog, kOrders, "a"),
              Fails(ErrorKind::kNotFound, HasSubstr("ads.orders")));
  // That it is gone comes before what it was expected to be.
  const TableCommit append{kOrders,
                           {.requirements = {table::AssertUuid{"u"}},
                            .updates = {table::SetProperties{{{"owner", "a"}}}}}};
  EXPECT_THAT(catalog->CommitTables({&append, 1}),
              Fails(ErrorKind::kNotFound, HasSubstr("ads.orders")));
}

TEST_F(SqlCatalogTest, NamesTheFolderThatIsNotThere) {
  const SqlCatalogOptions options{.database_path = folder / "lake/catalog.db",
                                  .catalog_name = "ads",
                                  .warehouse = "mem://lake"};

  EXPECT_THAT(OpenSqlCatalog(options, *io, clock, rng),
              Fails(ErrorKind::kNotFound, HasSubstr("no folder `" + (folder / "lake/") + "`")));
}

TEST_F(SqlCatalogTest, DoesNotCallAFolderADatabaseThatMayComeLater) {
  std::filesystem::create_directory(folder / "catalog.db");
  const SqlCatalogOptions options{
      .database_path = folder / "catalog.db", .catalog_name = "ads", .warehouse = "mem://lake"};

  EXPECT_THAT(OpenSqlCatalog(options, *io, clock, rng),
              Fails(ErrorKind::kPermissionDenied, HasSubstr("catalog.db")));
}

TEST_F(SqlCatalogTest, CallsARowWithoutALocationBroken) {
  const std::unique_ptr<Catalog> catalog = Open();
  ASSERT_THAT(Create(*catalog, kOrders), IsOk());
  ASSERT_THAT(Connect().Execute("UPDATE iceberg_tables SET metadata_location = NULL"), IsOk());

  EXPECT_THAT(catalog->LoadTable(kOrders),
              Fails(ErrorKind::kCorrupt,
                    AllOf(HasSubstr("ads.orders"), HasSubstr("no metadata_location"))));
  EXPECT_THAT(SetOwner(*catalog, kOrders, "a"),
              Fails(ErrorKind::kCorrupt, HasSubstr("no metadata_location")));
}

TEST_F(SqlCatalogTest, RefusesOneTableTwiceInACommit) {
  const std::unique_ptr<Catalog> catalog = Open();
  const std::vector<TableCommit> commits = {Creation(*catalog, kOrders),
                                            Creation(*catalog, kOrders)};

  EXPECT_THAT(catalog->CommitTables(commits),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("twice")));
}

TEST_F(SqlCatalogTest, SaysUnavailableWhenTheDatabaseStaysLocked) {
  const std::unique_ptr<Catalog> catalog = Open({.busy_timeout = std::chrono::milliseconds(1)});
  ASSERT_THAT(Create(*catalog, kOrders), IsOk());
  const std::vector<std::string> files = Files();
  Sqlite other = Connect();
  ASSERT_THAT(other.Execute("BEGIN IMMEDIATE"), IsOk());

  EXPECT_THAT(SetOwner(*catalog, kOrders, "a"),
              Fails(ErrorKind::kUnavailable, HasSubstr("stays locked")));
  EXPECT_THAT(catalog->LoadTable(kOrders), IsOk()) << "readers do not wait for a writer";
  EXPECT_EQ(Files(), files);

  ASSERT_THAT(other.Execute("ROLLBACK"), IsOk());
  EXPECT_THAT(SetOwner(*catalog, kOrders, "a"), IsOk());
}

// A reader in the middle of its query keeps a writer from ending its transaction.
TEST_F(SqlCatalogTest, SaysUnavailableWhenAReaderKeepsTheFile) {
  const std::unique_ptr<Catalog> catalog = Open({.busy_timeout = std::chrono::milliseconds(1)});
  ASSERT_THAT(Create(*catalog, kOrders), IsOk());
  const std::vector<std::string> files = Files();
  {
    Sqlite other = Connect();
    Statement reading = other.Prepare("SELECT * FROM iceberg_tables").value();
    ASSERT_TRUE(reading.Step().value());

    EXPECT_THAT(SetOwner(*catalog, kOrders, "a"),
                Fails(ErrorKind::kUnavailable, HasSubstr("stays locked")));
    EXPECT_EQ(Files(), files);
  }
  EXPECT_THAT(SetOwner(*catalog, kOrders, "a"), IsOk());
}

TEST_F(SqlCatalogTest, WaitsForAWriterThatEnds) {
  const std::unique_ptr<Catalog> catalog = Open();
  ASSERT_THAT(Create(*catalog, kOrders), IsOk());
  Sqlite other = Connect();
  ASSERT_THAT(other.Execute("BEGIN IMMEDIATE"), IsOk());

  std::optional<Result<LoadedTable>> committed;
  std::thread waiting([&] { committed = SetOwner(*catalog, kOrders, "a"); });
  ASSERT_THAT(other.Execute("ROLLBACK"), IsOk());
  waiting.join();

  EXPECT_THAT(*committed, IsOk());
}

TEST_F(SqlCatalogTest, SeesWhatOthersCommitted) {
  const std::unique_ptr<Catalog> one = Open();
  const std::unique_ptr<Catalog> two = Open();
  ASSERT_THAT(Create(*one, kOrders), IsOk());
  ASSERT_THAT(SetOwner(*two, kOrders, "two"), IsOk());

  EXPECT_EQ(one->LoadTable(kOrders).value().metadata->properties.at("owner"), "two");
  ASSERT_THAT(SetOwner(*one, kOrders, "one"), IsOk());
  EXPECT_EQ(two->LoadTable(kOrders).value().metadata->properties.at("owner"), "one");
}

TEST_F(SqlCatalogTest, IsSharedByThreads) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 5;
  const std::unique_ptr<Catalog> catalog = Open();
  ASSERT_THAT(Create(*catalog, kOrders), IsOk());
  const RetryPolicy stubborn{.attempts_max = 1000,
                             .backoff_min = std::chrono::milliseconds(0),
                             .backoff_max = std::chrono::milliseconds(1)};
  std::atomic<int> files = 0;
  std::atomic<int> failures = 0;
  const ProposeCommits append_one = [&](const Bases& bases) -> Result<std::vector<TableCommit>> {
    const table::SnapshotChange change{
        .added = {testing::FakeFile({.path = fmt::format("mem://lake/{}.parquet", ++files)})}};
    table::PreparedSnapshot prepared =
        SL_TRY(table::PrepareSnapshot(*bases[0]->metadata, change, *io, clock, rng));
    return std::vector<TableCommit>{{kOrders, std::move(prepared.request)}};
  };

  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        failures += Commit(*catalog, {kOrders}, append_one, stubborn, rng) ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }

  EXPECT_EQ(failures, 0);
  EXPECT_THAT(catalog->LoadTable(kOrders).value().metadata->snapshots, SizeIs(kThreads * kRounds));
  EXPECT_EQ(CurrentSnapshot(*catalog->LoadTable(kOrders).value().metadata)
                ->summary.at("total-data-files"),
            fmt::format("{}", kThreads * kRounds));
}

TEST_F(SqlCatalogTest, ReachesItsPointsInOrder) {
  std::vector<std::string> points;
  const std::unique_ptr<Catalog> catalog =
      Open({.on_point = [&](std::string_view point) { points.emplace_back(point); }});

  ASSERT_THAT(Create(*catalog, kOrders), IsOk());

  EXPECT_THAT(points, ElementsAre(kPointMetadataWritten, kPointInTransaction, kPointCommitted));
}

TEST_F(SqlCatalogTest, DeletesOldMetadataOnlyWhereTheTableAsksForIt) {
  const std::unique_ptr<Catalog> catalog = Open();
  ASSERT_THAT(Create(*catalog, kOrders), IsOk());
  const TableCommit policy{kOrders,
                           {.updates = {table::SetProperties{
                                {{"write.metadata.previous-versions-max", "2"},
                                 {"write.metadata.delete-after-commit.enabled", "true"}}}}}};
  ASSERT_THAT(catalog->CommitTables({&policy, 1}), IsOk());

  for (int i = 0; i < 5; ++i) {
    ASSERT_THAT(SetOwner(*catalog, kOrders, fmt::format("{}", i)), IsOk());
  }

  EXPECT_THAT(Files(), SizeIs(3)) << "the current file and two before it";
}

}  // namespace
}  // namespace strandline::catalog
