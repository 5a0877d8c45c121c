#include "strandline/engine/memory_relation.h"

#include <utility>

#include <arrow/api.h>

#include "strandline/base/check.h"

namespace strandline::engine {

namespace {

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

// The whole batch, once.
class OneBatch final : public format::BatchStream {
 public:
  explicit OneBatch(std::shared_ptr<arrow::RecordBatch> batch) : batch_(std::move(batch)) {}

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    std::shared_ptr<arrow::RecordBatch> next = std::exchange(batch_, nullptr);
    return next != nullptr && next->num_rows() == 0 ? nullptr : next;
  }

 private:
  std::shared_ptr<arrow::RecordBatch> batch_;
};

class MemorySource final : public format::BatchSource {
 public:
  MemorySource(std::shared_ptr<arrow::Schema> schema, Batches batches)
      : schema_(std::move(schema)), batches_(std::move(batches)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  std::size_t part_count() const override { return batches_.size(); }
  Result<std::unique_ptr<format::BatchStream>> OpenPart(std::size_t part) override {
    return std::make_unique<OneBatch>(batches_.at(part));
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  Batches batches_;
};

class MemoryRelation final : public Relation {
 public:
  MemoryRelation(std::shared_ptr<arrow::Schema> schema, Batches batches)
      : schema_(std::move(schema)), batches_(std::move(batches)) {
    for (const std::shared_ptr<arrow::RecordBatch>& batch : batches_) {
      SL_CHECK(batch->schema()->Equals(*schema_, /*check_metadata=*/false));
    }
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::optional<std::int64_t>> EstimateRows(const table::Expression& /*filter*/) override {
    std::int64_t rows = 0;
    for (const std::shared_ptr<arrow::RecordBatch>& batch : batches_) {
      rows += batch->num_rows();
    }
    return std::optional(rows);
  }

  Result<std::unique_ptr<format::BatchSource>> Open(const std::vector<std::string>& columns,
                                                    const table::Expression& /*filter*/) override {
    std::vector<int> indexes;
    arrow::FieldVector fields;
    for (const std::string& column : columns) {
      const int index = schema_->GetFieldIndex(column);
      if (index < 0) {
        return MakeError(ErrorKind::kInvalidArgument, "no column `{}`", column);
      }
      indexes.push_back(index);
      fields.push_back(schema_->field(index));
    }
    const std::shared_ptr<arrow::Schema> schema = arrow::schema(std::move(fields));
    Batches batches;
    for (const std::shared_ptr<arrow::RecordBatch>& batch : batches_) {
      arrow::ArrayVector arrays;
      for (const int index : indexes) {
        arrays.push_back(batch->column(index));
      }
      batches.push_back(arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(arrays)));
    }
    return std::make_unique<MemorySource>(schema, std::move(batches));
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  Batches batches_;
};

}  // namespace

std::shared_ptr<Relation> MakeMemoryRelation(std::shared_ptr<arrow::Schema> schema,
                                             Batches batches) {
  return std::make_shared<MemoryRelation>(std::move(schema), std::move(batches));
}

}  // namespace strandline::engine
