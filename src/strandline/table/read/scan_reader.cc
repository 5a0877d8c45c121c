#include "strandline/table/read/scan_reader.h"

#include <algorithm>
#include <utility>

#include <arrow/api.h>

#include "strandline/base/parallel.h"
#include "strandline/table/read/internal/field_plan.h"
#include "strandline/table/read/internal/part_stream.h"
#include "strandline/table/read/internal/scan_columns.h"
#include "strandline/table/read/internal/scan_file.h"
#include "strandline/table/read/internal/shared_deletes.h"

namespace strandline::table {
namespace {

using internal::KeepOpen;
using internal::ScanColumns;
using internal::ScanFile;
using internal::SharedDeletes;

// Footers are small and far apart: waiting for several at once is what counts.
constexpr std::size_t kFooterThreads = 4;
// Scans of more files open each again when its rows are read, to stay below the number of files
// that a process may have open.
constexpr std::size_t kFilesKeptOpenMax = 256;

constexpr std::string_view kNameMappingProperty = "schema.name-mapping.default";

Result<std::optional<NameMapping>> MappingOf(const TableMetadata& metadata) {
  const auto property = metadata.properties.find(std::string(kNameMappingProperty));
  if (property == metadata.properties.end()) {
    return std::optional<NameMapping>();
  }
  NameMapping mapping = SL_TRY(ParseNameMapping(property->second), "table property {} of {}",
                               kNameMappingProperty, metadata.location);
  return std::optional<NameMapping>(std::move(mapping));
}

class EmptyStream final : public format::BatchStream {
 public:
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    return std::shared_ptr<arrow::RecordBatch>();
  }
};

class ScanSource final : public format::BatchSource {
 public:
  ScanSource(io::FileIo& io, std::vector<ScanTask> tasks, ScanColumns columns, ColumnCache* cache)
      : tasks_(std::move(tasks)),
        columns_(std::move(columns)),
        cache_(cache),
        schema_(OutputSchema(columns_)),
        deletes_(io, tasks_) {}

  // Reads the footers. Once, before anything else.
  Status Start(io::FileIo& io, const TableMetadata& metadata, const Schema& schema) {
    const std::optional<NameMapping> mapping = SL_TRY(MappingOf(metadata));
    const KeepOpen keep_open = tasks_.size() <= kFilesKeptOpenMax ? KeepOpen::kYes : KeepOpen::kNo;
    files_.resize(tasks_.size());
    const auto open = [&](std::size_t i) -> Status {
      files_[i] = SL_TRY(ScanFile::Open(io, metadata, schema, mapping ? &*mapping : nullptr,
                                        tasks_[i], columns_, keep_open));
      return {};
    };
    SL_TRY(ParallelFor(tasks_.size(), kFooterThreads, open));
    UseDictionaries();
    for (const std::unique_ptr<ScanFile>& file : files_) {
      for (const ScanFile::RowGroup& row_group : file->row_groups()) {
        parts_.push_back({file.get(), row_group});
      }
    }
    return {};
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  std::size_t part_count() const override { return parts_.size(); }

  Result<std::unique_ptr<format::BatchStream>> OpenPart(std::size_t part) override {
    SL_CHECK(part < parts_.size());
    const auto& [file, row_group] = parts_[part];
    std::vector<std::int64_t> deleted;
    if (!file->task().deletes.empty()) {
      const std::shared_ptr<const format::ParquetFile> parquet = SL_TRY(file->OpenParquet());
      const std::int64_t rows = parquet->row_group_rows(row_group.index);
      deleted = SL_TRY(
          deletes_.PositionsIn(file->task(), parquet->row_group_first_row(row_group.index), rows));
      if (static_cast<std::int64_t>(deleted.size()) == rows) {
        return std::unique_ptr<format::BatchStream>(std::make_unique<EmptyStream>());
      }
    }
    return internal::ReadRowGroup(*file, row_group, std::move(deleted), schema_, cache_);
  }

 private:
  // All batches have one type, so a column is a dictionary in every file or in none.
  void UseDictionaries() {
    for (std::size_t field = 0; field < columns_.output_count; ++field) {
      const bool fits = std::all_of(files_.begin(), files_.end(),
                                    [&](const auto& file) { return file->FitsDictionary(field); });
      if (!fits || files_.empty()) {
        continue;
      }
      for (const std::unique_ptr<ScanFile>& file : files_) {
        file->UseDictionary(field);
      }
      arrow::FieldVector fields = schema_->fields();
      fields[field] = fields[field]->WithType(internal::StringDictionaryType());
      schema_ = arrow::schema(std::move(fields));
    }
  }

  struct Part {
    const ScanFile* file;
    ScanFile::RowGroup row_group;
  };

  const std::vector<ScanTask> tasks_;
  const ScanColumns columns_;
  ColumnCache* const cache_;
  std::shared_ptr<arrow::Schema> schema_;  // Fixed when Start() is done.
  SharedDeletes deletes_;
  std::vector<std::unique_ptr<ScanFile>> files_;
  std::vector<Part> parts_;
};

class AllParts final : public format::BatchStream {
 public:
  explicit AllParts(std::unique_ptr<format::BatchSource> source) : source_(std::move(source)) {}

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (part_ != nullptr || next_part_ < source_->part_count()) {
      if (part_ == nullptr) {
        part_ = SL_TRY(source_->OpenPart(next_part_++));
      }
      std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(part_->Next());
      if (batch != nullptr) {
        return batch;
      }
      part_ = nullptr;
    }
    return std::shared_ptr<arrow::RecordBatch>();
  }

 private:
  std::unique_ptr<format::BatchSource> source_;
  std::size_t next_part_ = 0;
  std::unique_ptr<format::BatchStream> part_;  // Goes before the source that it reads.
};

}  // namespace

Result<std::unique_ptr<format::BatchSource>> OpenScan(io::FileIo& io, const TableMetadata& metadata,
                                                      const Schema& schema,
                                                      std::vector<ScanTask> tasks,
                                                      const ScanReadOptions& options) {
  ScanColumns columns = SL_TRY(internal::ResolveColumns(schema, options));
  auto source =
      std::make_unique<ScanSource>(io, std::move(tasks), std::move(columns), options.cache);
  SL_TRY(source->Start(io, metadata, schema));
  return std::unique_ptr<format::BatchSource>(std::move(source));
}

std::unique_ptr<format::BatchStream> ReadAll(std::unique_ptr<format::BatchSource> source) {
  return std::make_unique<AllParts>(std::move(source));
}

}  // namespace strandline::table
