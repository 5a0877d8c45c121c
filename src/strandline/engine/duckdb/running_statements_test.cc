#include <atomic>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <thread>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/engine/duckdb/duckdb_engine.h"
#include "strandline/engine/memory_relation.h"
#include "tests/support/engine_test.h"
#include "tests/support/matchers.h"

namespace strandline::engine {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::shared_ptr<arrow::RecordBatch> Numbers(std::int64_t rows) {
  arrow::Int64Builder builder;
  for (std::int64_t i = 0; i < rows; ++i) {
    EXPECT_TRUE(builder.Append(i).ok());
  }
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("a", arrow::int64())}), rows,
                                  {*builder.Finish()});
}

// One part whose batches a function makes; null ends it.
class Scripted final : public Relation {
 public:
  using NextBatch = std::function<Result<std::shared_ptr<arrow::RecordBatch>>()>;

  explicit Scripted(NextBatch next) : next_(std::move(next)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  Result<std::unique_ptr<format::BatchSource>> Open(const std::vector<std::string>& /*columns*/,
                                                    const table::Expression& /*filter*/) override {
    return std::make_unique<Source>(*this);
  }

 private:
  class Source final : public format::BatchSource {
   public:
    explicit Source(Scripted& relation) : relation_(relation) {}
    const std::shared_ptr<arrow::Schema>& schema() const override { return relation_.schema_; }
    std::size_t part_count() const override { return 1; }
    Result<std::unique_ptr<format::BatchStream>> OpenPart(std::size_t /*part*/) override {
      return std::make_unique<Stream>(relation_);
    }

   private:
    Scripted& relation_;
  };
  class Stream final : public format::BatchStream {
   public:
    explicit Stream(Scripted& relation) : relation_(relation) {}
    Result<std::shared_ptr<arrow::RecordBatch>> Next() override { return relation_.next_(); }

   private:
    Scripted& relation_;
  };

  std::shared_ptr<arrow::Schema> schema_ = arrow::schema({arrow::field("a", arrow::int64())});
  NextBatch next_;
};

class RunningStatementsTest : public EngineTest {
 protected:
  Result<std::shared_ptr<arrow::RecordBatch>> RunToTheEnd(const Statement& statement,
                                                          const std::stop_token& stop) {
    const std::unique_ptr<Answer> answer = SL_TRY(engine_->Execute(statement, stop));
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(answer->Next());
      if (batch == nullptr) {
        return batch;
      }
    }
  }
};

TEST_F(RunningStatementsTest, StreamRowsOfARelationWithoutEnd) {
  world_ = {{{"t"}, std::make_shared<Scripted>([batch = Numbers(10)] { return batch; })}};

  SL_ASSERT_OK_AND_ASSIGN(std::unique_ptr<Answer> answer,
                          engine_->Execute(World("select a from t where a = 3"), {}));
  for (int i = 0; i < 3; ++i) {
    SL_ASSERT_OK_AND_ASSIGN(const std::shared_ptr<arrow::RecordBatch> batch, answer->Next());
    EXPECT_EQ(RowText(*batch, 0), "3");
  }
  answer.reset();

  EXPECT_THAT(Texts("select 1"), ElementsAre("1"));
}

TEST_F(RunningStatementsTest, EndWhenStoppedWhileReading) {
  std::stop_source stop;
  int batches = 0;
  world_ = {{{"t"}, std::make_shared<Scripted>([&, batch = Numbers(10)] {
               if (++batches == 5) {
                 stop.request_stop();
               }
               return batch;
             })}};

  EXPECT_THAT(RunToTheEnd(World("select sum(a) from t"), stop.get_token()),
              Fails(ErrorKind::kCancelled, HasSubstr("stopped")));
}

TEST_F(RunningStatementsTest, EndWhenStoppedWhileComputing) {
  std::stop_source stop;
  bool read = false;
  world_ = {
      {{"t"}, std::make_shared<Scripted>([&]() -> Result<std::shared_ptr<arrow::RecordBatch>> {
         stop.request_stop();
         return std::exchange(read, true) ? nullptr : Numbers(10);
       })}};

  EXPECT_THAT(
      RunToTheEnd(World("select count(*) from t, range(1000000000000) r(i) where i % 7 <> a"),
                  stop.get_token()),
      Fails(ErrorKind::kCancelled, HasSubstr("stopped")));
  EXPECT_THAT(Texts("select 1"), ElementsAre("1"));
}

TEST_F(RunningStatementsTest, EndWhenStoppedBetweenBatches) {
  std::stop_source stop;
  world_ = {{{"t"}, std::make_shared<Scripted>([batch = Numbers(10)] { return batch; })}};
  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Answer> answer,
                          engine_->Execute(World("select a from t"), stop.get_token()));
  ASSERT_THAT(answer->Next(), IsOk());

  stop.request_stop();

  EXPECT_THAT(answer->Next(), Fails(ErrorKind::kCancelled, HasSubstr("stopped")));
}

TEST_F(RunningStatementsTest, DoNotBeginWhenStoppedBefore) {
  std::stop_source stop;
  stop.request_stop();
  const auto spy = AddTable({"t"}, "select 1 as a");

  EXPECT_THAT(engine_->Execute(World("select a from t"), stop.get_token()),
              Fails(ErrorKind::kCancelled, HasSubstr("stopped")));
  EXPECT_THAT(spy->filters(), IsEmpty());
}

TEST_F(RunningStatementsTest, PassOnTheErrorsOfRelations) {
  int batches = 0;
  world_ = {
      {{"t"}, std::make_shared<Scripted>([&]() -> Result<std::shared_ptr<arrow::RecordBatch>> {
         if (++batches == 100) {
           return MakeError(ErrorKind::kNotFound, "data file is gone: x.parquet");
         }
         return Numbers(1000);
       })}};

  EXPECT_THAT(RunToTheEnd(World("select sum(a) from t"), {}),
              Fails(ErrorKind::kNotFound, ::testing::Eq("data file is gone: x.parquet")));
  batches = 0;
  EXPECT_THAT(RunToTheEnd(World("select a from t"), {}),
              Fails(ErrorKind::kNotFound, ::testing::Eq("data file is gone: x.parquet")));
}

TEST_F(RunningStatementsTest, RefuseARelationThatGivesOtherColumns) {
  const auto strings = arrow::schema({arrow::field("a", arrow::utf8())});
  class Liar final : public Relation {
   public:
    explicit Liar(std::shared_ptr<arrow::Schema> schema) : schema_(std::move(schema)) {}
    const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
    Result<std::unique_ptr<format::BatchSource>> Open(const std::vector<std::string>& columns,
                                                      const table::Expression& filter) override {
      return MakeMemoryRelation(Numbers(1)->schema(), {Numbers(1)})->Open(columns, filter);
    }

   private:
    std::shared_ptr<arrow::Schema> schema_;
  };
  world_ = {{{"t"}, std::make_shared<Liar>(strings)}};

  EXPECT_THAT(RunToTheEnd(World("select a from t"), {}),
              Fails(ErrorKind::kCorrupt, HasSubstr("other columns")));
}

TEST_F(RunningStatementsTest, RefuseColumnsThatSqlCannotTellApart) {
  const auto schema =
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("A", arrow::int64())});
  world_ = {{{"t"}, MakeMemoryRelation(schema, {})}};

  EXPECT_THAT(RunToTheEnd(World("select A from t"), {}),
              Fails(ErrorKind::kUnsupported, HasSubstr("`a` and `A`")));
}

TEST_F(RunningStatementsTest, DoNotSeeEachOthersRelations) {
  std::vector<Statement> statements;
  for (int i = 0; i < 4; ++i) {
    Statement statement;
    statement.sql = "select min(t.a), count(*) from ads.t";
    statement.relations = {
        {{"ads", "t"}, Given("select " + std::to_string(i) + " as a from range(5000)")}};
    statements.push_back(std::move(statement));
  }
  std::atomic<int> wrong = 0;

  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        for (int round = 0; round < 10; ++round) {
          const auto expected = std::vector<std::string>{std::to_string(i) + "|5000"};
          wrong += Texts(statements[static_cast<std::size_t>(i)]) == expected ? 0 : 1;
        }
      });
    }
  }

  EXPECT_EQ(wrong.load(), 0);
}

TEST_F(RunningStatementsTest, CanBeReadInTurns) {
  AddTable({"t"}, "select range as a from range(10000)");
  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Answer> up,
                          engine_->Execute(World("select a from t order by a"), {}));
  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Answer> down,
                          engine_->Execute(World("select a from t order by a desc"), {}));

  SL_ASSERT_OK_AND_ASSIGN(const std::shared_ptr<arrow::RecordBatch> low, up->Next());
  SL_ASSERT_OK_AND_ASSIGN(const std::shared_ptr<arrow::RecordBatch> high, down->Next());

  EXPECT_EQ(RowText(*low, 0), "0");
  EXPECT_EQ(RowText(*high, 0), "9999");
}

// More rows than the memory limit holds.
constexpr char kLargeSort[] =
    "select count(*) from (select md5(range::varchar) || md5((range + 1)::varchar) as h, "
    "row_number() over (order by md5(range::varchar)) as n from range(400000)) where n > 0";

TEST_F(RunningStatementsTest, SpillIntoTheGivenFolderOnlyAndLeaveNothing) {
  namespace fs = std::filesystem;
  {
    SL_ASSERT_OK_AND_ASSIGN(
        const std::unique_ptr<Engine> small,
        MakeDuckDbEngine(
            {.threads = 1, .memory_limit_bytes = 24 << 20, .temp_directory = spill_directory_}));
    Statement statement;
    statement.sql = kLargeSort;
    SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Answer> answer, small->Execute(statement, {}));
    SL_ASSERT_OK_AND_ASSIGN(const std::shared_ptr<arrow::RecordBatch> batch, answer->Next());
    EXPECT_EQ(RowText(*batch, 0), "400000");
  }
  engine_.reset();

  EXPECT_TRUE(fs::is_empty(spill_directory_));
}

TEST_F(RunningStatementsTest, FailWithoutMemoryAndSpillSpace) {
  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Engine> small,
                          MakeDuckDbEngine({.threads = 1, .memory_limit_bytes = 24 << 20}));
  Statement statement;
  statement.sql = kLargeSort;

  EXPECT_THAT(
      small->Execute(statement, {}),
      Fails(ErrorKind::kUnavailable, AllOf(HasSubstr("not enough memory"), Not(HasSubstr("\n")))));
}

TEST_F(RunningStatementsTest, CleanUpAfterAnEngineThatDied) {
  namespace fs = std::filesystem;
  const fs::path abandoned = fs::path(spill_directory_) / "engine-dead00";
  const fs::path foreign = fs::path(spill_directory_) / "notes";
  fs::create_directories(abandoned / "x");
  fs::create_directories(foreign);

  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Engine> second,
                          MakeDuckDbEngine({.temp_directory = spill_directory_}));

  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(foreign));
  // The first engine's folder is in use, so it is still there beside the second's.
  EXPECT_EQ(std::distance(fs::directory_iterator(spill_directory_), fs::directory_iterator()), 3);
}

}  // namespace
}  // namespace strandline::engine
