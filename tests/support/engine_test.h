#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/engine/duckdb/duckdb_engine.h"
#include "strandline/engine/memory_relation.h"
#include "tests/support/matchers.h"

namespace strandline::engine {

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

// One row's cells, as Arrow prints them: `1|x|null`.
inline std::string RowText(const arrow::RecordBatch& batch, std::int64_t row) {
  std::string text;
  for (int column = 0; column < batch.num_columns(); ++column) {
    const auto cell = batch.column(column)->GetScalar(row);
    text += (column == 0 ? "" : "|") + (cell.ok() ? (*cell)->ToString() : cell.status().ToString());
  }
  return text;
}

// Remembers what it was asked for.
class Spy final : public Relation {
 public:
  explicit Spy(std::shared_ptr<Relation> relation) : relation_(std::move(relation)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return relation_->schema(); }
  Result<std::unique_ptr<format::BatchSource>> Open(const std::vector<std::string>& columns,
                                                    const table::Expression& filter) override {
    const std::lock_guard lock(mutex_);
    columns_ = columns;
    filters_.push_back(filter);
    return relation_->Open(columns, filter);
  }

  std::vector<std::string> columns() const { return columns_; }
  std::vector<table::Expression> filters() const { return filters_; }

 private:
  std::shared_ptr<Relation> relation_;
  std::mutex mutex_;
  std::vector<std::string> columns_;
  std::vector<table::Expression> filters_;
};

// An engine, and relations by name for its statements.
class EngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SL_ASSERT_OK_AND_ASSIGN(engine_,
                            MakeDuckDbEngine({.threads = 2, .temp_directory = spill_directory_}));
  }
  void TearDown() override {
    engine_.reset();
    std::filesystem::remove_all(spill_directory_);
  }

  Result<Batches> Run(const Statement& statement) {
    const std::unique_ptr<Answer> answer = SL_TRY(engine_->Execute(statement, {}));
    Batches batches;
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(answer->Next());
      if (batch == nullptr) {
        return batches;
      }
      EXPECT_GT(batch->num_rows(), 0);
      EXPECT_TRUE(batch->schema()->Equals(*answer->schema()));
      EXPECT_TRUE(batch->ValidateFull().ok());
      batches.push_back(std::move(batch));
    }
  }

  Result<std::vector<std::string>> Rows(const Statement& statement) {
    const Batches batches = SL_TRY(Run(statement));
    std::vector<std::string> rows;
    for (const std::shared_ptr<arrow::RecordBatch>& batch : batches) {
      for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
        rows.push_back(RowText(*batch, row));
      }
    }
    return rows;
  }

  // The rows, or the one line that says why there are none.
  std::vector<std::string> Texts(const Statement& statement) {
    const Result<std::vector<std::string>> rows = Rows(statement);
    return rows ? *rows : std::vector<std::string>{"failed: " + rows.error().message};
  }
  std::vector<std::string> Texts(std::string_view sql) { return Texts(World(sql)); }

  // Over the relations of `world_`.
  Result<std::vector<std::string>> Rows(std::string_view sql) { return Rows(World(sql)); }

  Statement World(std::string_view sql) {
    Statement statement;
    statement.sql = sql;
    statement.relations = world_;
    return statement;
  }

  // Rows of a SELECT as a relation whose parts are its batches.
  std::shared_ptr<Relation> Given(std::string_view sql) {
    Statement statement;
    statement.sql = sql;
    const Result<std::shared_ptr<arrow::Schema>> schema = engine_->Describe(statement);
    EXPECT_THAT(schema, testing::IsOk()) << sql;
    Result<Batches> batches = Run(statement);
    EXPECT_THAT(batches, testing::IsOk()) << sql;
    return MakeMemoryRelation(*schema, std::move(batches).value());
  }

  std::shared_ptr<Spy> AddTable(std::vector<std::string> path, std::string_view sql) {
    auto spy = std::make_shared<Spy>(Given(sql));
    world_.push_back({std::move(path), spy});
    return spy;
  }

  const std::string spill_directory_ =
      std::filesystem::temp_directory_path() /
      ("strandline-engine-" +
       std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
  std::unique_ptr<Engine> engine_;
  std::vector<NamedRelation> world_;
};

}  // namespace strandline::engine
