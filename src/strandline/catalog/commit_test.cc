#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/catalog/catalog.h"
#include "tests/support/matchers.h"
#include "tests/support/table_world.h"

namespace strandline::catalog {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::FakeFile;
using ::strandline::testing::IsOk;
using ::strandline::testing::World;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const TableName kName{{"ads"}, "orders"};

// No waiting in tests.
constexpr RetryPolicy kAtOnce{.attempts_max = 4,
                              .backoff_min = std::chrono::milliseconds(0),
                              .backoff_max = std::chrono::milliseconds(0)};

// What happens to the next commit.
enum class Fate {
  kDone,
  kConflict,
  kLostButLanded,
  kLostAndGone,
  kLostAndLate,  // Lands just before the commit after it.
  kUnavailable
};

// Passes everything on to another catalog, except that commits and loads meet their fate.
class FatefulCatalog final : public Catalog {
 public:
  explicit FatefulCatalog(Catalog& target) : target_(target) {}

  std::deque<Fate> fates;
  std::vector<TableCommit> late;
  int loads_that_fail = 0;  // After the next commit.
  int commits = 0;

  Result<LoadedTable> LoadTable(const TableName& name) override {
    if (commits > 0 && loads_that_fail > 0) {
      --loads_that_fail;
      return MakeError(ErrorKind::kUnavailable, "no answer");
    }
    return target_.LoadTable(name);
  }
  Result<std::string> CurrentMetadataLocation(const TableName& name) override {
    return target_.CurrentMetadataLocation(name);
  }
  Result<std::vector<TableName>> ListTables(const std::vector<std::string>& levels) override {
    return target_.ListTables(levels);
  }
  Result<std::vector<std::vector<std::string>>> ListNamespaces() override {
    return target_.ListNamespaces();
  }
  Status CreateNamespace(const std::vector<std::string>& levels) override {
    return target_.CreateNamespace(levels);
  }
  std::string DefaultLocation(const TableName& name) const override {
    return target_.DefaultLocation(name);
  }
  Result<std::vector<LoadedTable>> CommitTables(std::span<const TableCommit> requests) override {
    ++commits;
    if (!late.empty()) {
      EXPECT_THAT(target_.CommitTables(late), IsOk());
      late.clear();
    }
    const Fate fate = fates.empty() ? Fate::kDone : fates.front();
    if (!fates.empty()) {
      fates.pop_front();
    }
    switch (fate) {
      case Fate::kConflict:
        return MakeError(ErrorKind::kConflict, "main has moved");
      case Fate::kLostAndGone:
        return MakeError(ErrorKind::kCommitUnknown, "the line was cut");
      case Fate::kLostAndLate:
        late.assign(requests.begin(), requests.end());
        return MakeError(ErrorKind::kCommitUnknown, "the line was cut");
      case Fate::kUnavailable:
        return MakeError(ErrorKind::kUnavailable, "closed");
      case Fate::kLostButLanded: {
        const Result<std::vector<LoadedTable>> landed = target_.CommitTables(requests);
        return MakeError(ErrorKind::kCommitUnknown, "the line was cut, ok: {}", landed.has_value());
      }
      case Fate::kDone:
        break;
    }
    return target_.CommitTables(requests);
  }

 private:
  Catalog& target_;
};

class CommitTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_THAT(world.Create({}), IsOk()); }

  // Appends one file; a new one at each try, as every writer does.
  ProposeCommits AppendOne() {
    return [this](const Bases& bases) -> Result<std::vector<TableCommit>> {
      ++proposals;
      const table::SnapshotChange change{
          .added = {FakeFile({.path = fmt::format("mem://lake/{}.parquet", proposals)})}};
      table::PreparedSnapshot prepared = SL_TRY(
          table::PrepareSnapshot(*bases[0]->metadata, change, world.io(), world.clock, world.rng));
      return std::vector<TableCommit>{{kName, std::move(prepared.request)}};
    };
  }

  std::size_t SnapshotCount() {
    return world.Load("ads.orders").value().metadata->snapshots.size();
  }

  World world;
  FatefulCatalog catalog{world.catalog()};
  int proposals = 0;
};

TEST_F(CommitTest, RebasesOnANewerStateAfterAConflict) {
  catalog.fates = {Fate::kConflict, Fate::kConflict};

  SL_ASSERT_OK_AND_ASSIGN(const CommitOutcome outcome,
                          Commit(catalog, {kName}, AppendOne(), kAtOnce, world.rng));

  EXPECT_EQ(outcome.attempts, 3);
  EXPECT_EQ(proposals, 3);
  EXPECT_EQ(SnapshotCount(), 1U);
}

TEST_F(CommitTest, GivesUpAfterSoManyConflicts) {
  catalog.fates = std::deque<Fate>(10, Fate::kConflict);

  EXPECT_THAT(Commit(catalog, {kName}, AppendOne(), kAtOnce, world.rng),
              Fails(ErrorKind::kConflict, HasSubstr("main has moved")));

  EXPECT_EQ(catalog.commits, 4);
}

TEST_F(CommitTest, GivesUpWhenItsWaitsAreUsedUp) {
  catalog.fates = std::deque<Fate>(10, Fate::kConflict);
  const RetryPolicy impatient{.attempts_max = 10,
                              .backoff_min = std::chrono::milliseconds(2),
                              .backoff_max = std::chrono::milliseconds(2),
                              .backoff_total_max = std::chrono::milliseconds(3)};

  // A wait of 2 ms with its jitter is one of 1 ms.
  EXPECT_THAT(Commit(catalog, {kName}, AppendOne(), impatient, world.rng),
              Fails(ErrorKind::kConflict, HasSubstr("main has moved")));

  EXPECT_EQ(catalog.commits, 4);
}

TEST_F(CommitTest, RecognisesItsOwnCommitAfterALostAnswer) {
  catalog.fates = {Fate::kLostButLanded};
  catalog.loads_that_fail = 2;

  SL_ASSERT_OK_AND_ASSIGN(const CommitOutcome outcome,
                          Commit(catalog, {kName}, AppendOne(), kAtOnce, world.rng));

  EXPECT_EQ(proposals, 1);
  EXPECT_EQ(outcome.tables.front().metadata->snapshots.size(), 1U);
  EXPECT_EQ(SnapshotCount(), 1U);
}

TEST_F(CommitTest, TriesAgainWhenTheLostCommitDidNotLand) {
  catalog.fates = {Fate::kLostAndGone};

  SL_ASSERT_OK_AND_ASSIGN(const CommitOutcome outcome,
                          Commit(catalog, {kName}, AppendOne(), kAtOnce, world.rng));

  EXPECT_EQ(outcome.attempts, 2);
  EXPECT_EQ(SnapshotCount(), 1U);
}

TEST_F(CommitTest, SaysUnknownWhenNobodyAnswers) {
  catalog.fates = {Fate::kLostButLanded};
  catalog.loads_that_fail = 1000;

  EXPECT_THAT(Commit(catalog, {kName}, AppendOne(), kAtOnce, world.rng),
              Fails(ErrorKind::kCommitUnknown, HasSubstr("the line was cut")));

  EXPECT_EQ(catalog.commits, 1);
}

TEST_F(CommitTest, DoesNotRetryWhatIsNoConflict) {
  catalog.fates = {Fate::kUnavailable};

  EXPECT_THAT(Commit(catalog, {kName}, AppendOne(), kAtOnce, world.rng),
              Fails(ErrorKind::kUnavailable, HasSubstr("closed")));

  EXPECT_EQ(catalog.commits, 1);
}

TEST_F(CommitTest, SendsNothingWhenNothingIsLeftToDo) {
  const ProposeCommits nothing = [](const Bases&) -> Result<std::vector<TableCommit>> {
    return std::vector<TableCommit>();
  };

  SL_ASSERT_OK_AND_ASSIGN(const CommitOutcome outcome,
                          Commit(catalog, {kName}, nothing, kAtOnce, world.rng));

  EXPECT_THAT(outcome.tables, IsEmpty());
  EXPECT_EQ(catalog.commits, 0);
}

TEST_F(CommitTest, GivesTheProposerNullForATableThatIsNotThere) {
  const TableName other{{"ads"}, "new"};
  const ProposeCommits create = [&](const Bases& bases) -> Result<std::vector<TableCommit>> {
    EXPECT_TRUE(bases[0].has_value());
    EXPECT_FALSE(bases[1].has_value());
    return std::vector<TableCommit>{
        {other, testing::CreationOf({}, catalog.DefaultLocation(other), world.rng)}};
  };

  SL_ASSERT_OK_AND_ASSIGN(const CommitOutcome outcome,
                          Commit(catalog, {kName, other}, create, kAtOnce, world.rng));

  EXPECT_EQ(outcome.tables.front().metadata->location, "mem://lake/ads/new");
}

TEST_F(CommitTest, EndsWithTheProposersOwnError) {
  const ProposeCommits refuse = [](const Bases&) -> Result<std::vector<TableCommit>> {
    return MakeError(ErrorKind::kNotFound, "the file is gone");
  };

  EXPECT_THAT(Commit(catalog, {kName}, refuse, kAtOnce, world.rng),
              Fails(ErrorKind::kNotFound, HasSubstr("gone")));
}

// A table created or changed without a snapshot is recognised by its uuid or properties.
TEST_F(CommitTest, RecognisesCommitsWithoutSnapshots) {
  const TableName other{{"ads"}, "new"};
  const ProposeCommits create = [&](const Bases& bases) -> Result<std::vector<TableCommit>> {
    EXPECT_FALSE(bases[0].has_value());
    return std::vector<TableCommit>{
        {other, testing::CreationOf({}, catalog.DefaultLocation(other), world.rng)}};
  };
  const ProposeCommits set_owner = [&](const Bases&) -> Result<std::vector<TableCommit>> {
    return std::vector<TableCommit>{
        {other, {.requirements = {}, .updates = {table::SetProperties{{{"owner", "ads"}}}}}}};
  };

  catalog.fates = {Fate::kLostButLanded};
  EXPECT_THAT(Commit(catalog, {other}, create, kAtOnce, world.rng), IsOk());
  catalog.fates = {Fate::kLostButLanded};
  EXPECT_THAT(Commit(catalog, {other}, set_owner, kAtOnce, world.rng), IsOk());

  EXPECT_EQ(catalog.commits, 2);
  EXPECT_EQ(world.Load("ads.new").value().metadata->properties.at("owner"), "ads");
}

// Without snapshots only the state before and after can tell.
TEST_F(CommitTest, JudgesALostCommitByWhatItsUpdatesCanShow) {
  struct Case {
    std::string name;
    Fate fate;
    std::vector<table::Update> updates;
    std::optional<ErrorKind> error = {};
    int commits = 1;
  };
  const std::vector<Case> cases = {
      {"properties set", Fate::kLostButLanded, {table::SetProperties{{{"owner", "ads"}}}}},
      {"a property removed", Fate::kLostButLanded, {table::RemoveProperties{{"note"}}}},
      {"properties set and lost",
       Fate::kLostAndGone,
       {table::SetProperties{{{"owner", "search"}}}},
       {},
       2},
      {"a property removed and lost",
       Fate::kLostAndGone,
       {table::RemoveProperties{{"note"}}},
       {},
       2},
      {"a location that nothing but the attempt's own answer confirms",
       Fate::kLostButLanded,
       {table::SetLocation{"mem://lake/ads/elsewhere"}},
       ErrorKind::kCommitUnknown},
      {"a location that was not set", Fate::kLostAndGone, {table::SetLocation{"mem://b"}}, {}, 2},
      {"a ref removed",
       Fate::kLostButLanded,
       {table::RemoveSnapshotRef{"b"}},
       ErrorKind::kCommitUnknown},
      {"nothing at all", Fate::kLostButLanded, {}, ErrorKind::kCommitUnknown},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto send = [&](std::vector<table::Update> updates) -> ProposeCommits {
      return [updates](const Bases&) -> Result<std::vector<TableCommit>> {
        return std::vector<TableCommit>{{kName, {.requirements = {}, .updates = updates}}};
      };
    };
    ASSERT_THAT(
        Commit(catalog, {kName}, send({table::SetProperties{{{"note", "x"}}}}), kAtOnce, world.rng),
        IsOk());
    catalog.commits = 0;
    catalog.fates = {c.fate};

    const Result<CommitOutcome> outcome =
        Commit(catalog, {kName}, send(c.updates), kAtOnce, world.rng);

    EXPECT_EQ(catalog.commits, c.commits);
    EXPECT_EQ(outcome ? std::nullopt : std::optional(outcome.error().kind), c.error);
  }
}

// The quarantine of a unit has no rows of its own then, and its other writers change its
// properties.
TEST_F(CommitTest, LetsTheTableWithASnapshotDecideForAll) {
  const TableName other{{"ads"}, "new"};
  const ProposeCommits create = [&](const Bases&) -> Result<std::vector<TableCommit>> {
    return std::vector<TableCommit>{
        {other, testing::CreationOf({}, catalog.DefaultLocation(other), world.rng)}};
  };
  ASSERT_THAT(Commit(catalog, {other}, create, kAtOnce, world.rng), IsOk());
  const ProposeCommits both = [&](const Bases& bases) -> Result<std::vector<TableCommit>> {
    std::vector<TableCommit> commits = {{other, {.updates = {table::RemoveProperties{{"note"}}}}}};
    std::vector<TableCommit> append = SL_TRY(AppendOne()({bases[1]}));
    commits.push_back(std::move(append.front()));
    return commits;
  };

  catalog.commits = 0;
  catalog.fates = {Fate::kLostButLanded};
  EXPECT_THAT(Commit(catalog, {other, kName}, both, kAtOnce, world.rng), IsOk());

  EXPECT_EQ(catalog.commits, 1);
  EXPECT_EQ(SnapshotCount(), 1U);
}

// Its request may still be on its way: files that it names must stay.
TEST_F(CommitTest, SaysUnknownWhenTheLastTryDidNotLandYet) {
  catalog.fates = {Fate::kLostAndGone};
  const RetryPolicy once{.attempts_max = 1};

  EXPECT_THAT(Commit(catalog, {kName}, AppendOne(), once, world.rng),
              Fails(ErrorKind::kCommitUnknown, HasSubstr("the line was cut")));
}

TEST_F(CommitTest, RecognisesACommitThatLandsWhileTheNextIsMade) {
  catalog.fates = {Fate::kLostAndLate};

  SL_ASSERT_OK_AND_ASSIGN(const CommitOutcome outcome,
                          Commit(catalog, {kName}, AppendOne(), kAtOnce, world.rng));

  EXPECT_EQ(catalog.commits, 2);
  EXPECT_EQ(outcome.tables.front().metadata->snapshots.size(), 1U);
  EXPECT_EQ(SnapshotCount(), 1U);
}

}  // namespace
}  // namespace strandline::catalog
