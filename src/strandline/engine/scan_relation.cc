#include "strandline/engine/scan_relation.h"

#include <arrow/api.h>

#include "strandline/table/arrow/arrow_schema.h"

namespace strandline::engine {
namespace {

class ScanRelation final : public Relation {
 public:
  ScanRelation(std::shared_ptr<const table::TableMetadata> metadata, ScanRelationOptions options,
               io::FileIo& io)
      : metadata_(std::move(metadata)),
        options_(std::move(options)),
        io_(io),
        schema_(table::ArrowSchema(CurrentSchema(*metadata_))) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::optional<std::int64_t>> EstimateRows(const table::Expression& filter) override {
    std::int64_t rows = 0;
    for (const table::ScanTask& task : SL_TRY(Tasks(filter))) {
      rows += task.file.record_count;
    }
    return std::optional<std::int64_t>(rows);
  }

  Result<std::unique_ptr<format::BatchSource>> Open(const std::vector<std::string>& columns,
                                                    const table::Expression& filter) override {
    const table::Schema& schema = CurrentSchema(*metadata_);
    table::ScanReadOptions read;
    read.columns = columns;
    read.cut = options_.cut;
    read.cache = options_.cache;
    read.prune = options_.prune;
    read.filter = filter;
    read.dictionaries = true;  // The engine has vectors of this form.
    return OpenScan(io_, *metadata_, schema, SL_TRY(Tasks(filter)), read);
  }

 private:
  Result<std::vector<table::ScanTask>> Tasks(const table::Expression& filter) const {
    if (!options_.tasks) {
      table::ScanRequest request;
      request.filter = filter;
      request.prune = options_.prune;
      if (options_.cut) {
        const std::int64_t start = options_.cut->interval.start.time_since_epoch().count();
        const std::int64_t end = options_.cut->interval.end.time_since_epoch().count();
        request.filter = table::And(
            {filter,
             table::Predicate(table::ExpressionKind::kGreaterOrEqual, options_.cut->column,
                              {start}),
             table::Predicate(table::ExpressionKind::kLess, options_.cut->column, {end})});
      }
      table::ScanPlan plan = SL_TRY(PlanScan(*metadata_, request, io_));
      return std::move(plan.tasks);
    }
    std::vector<table::ScanTask> tasks;
    for (const table::ScanTask& task : *options_.tasks) {
      const table::PartitionSpec* spec = FindSpec(*metadata_, task.spec_id);
      const bool may_match = !options_.prune || spec == nullptr ||
                             FileMayMatch(filter, CurrentSchema(*metadata_), *spec, task.file);
      if (may_match) {
        tasks.push_back(task);
      }
    }
    return tasks;
  }

  std::shared_ptr<const table::TableMetadata> metadata_;
  ScanRelationOptions options_;
  io::FileIo& io_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace

std::shared_ptr<Relation> MakeScanRelation(std::shared_ptr<const table::TableMetadata> metadata,
                                           ScanRelationOptions options, io::FileIo& io) {
  return std::make_shared<ScanRelation>(std::move(metadata), std::move(options), io);
}

}  // namespace strandline::engine
