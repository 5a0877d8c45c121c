#include "strandline/table/read/internal/scan_file.h"

#include <utility>

#include <arrow/api.h>

#include "strandline/base/check.h"
#include "strandline/table/read/internal/row_group_range.h"

namespace strandline::table::internal {
namespace {

// Stored bytes of a dictionary. Every batch carries it, and readers may convert it again for a few
// thousand rows of one: up to about this size its values are fewer than those.
constexpr std::int64_t kDictionaryBytesMax = 4 << 10;

// Whether every row group stores what `plan` reads wholly in a small dictionary.
bool HasSmallDictionaries(const format::ParquetFile& file, const FieldPlan& plan) {
  for (int group = 0; group < file.row_group_count(); ++group) {
    if (file.row_group_rows(group) > 0 &&
        file.dictionary_bytes(group, *plan.source).value_or(kDictionaryBytesMax + 1) >
            kDictionaryBytesMax) {
      return false;
    }
  }
  return true;
}

// What the manifest says about the columns that identity partition fields were made from. Void
// fields have a value too, always null, which says nothing about the rows.
Result<PartitionConstants> ConstantsOf(const TableMetadata& metadata, const ScanTask& task) {
  const PartitionSpec* spec = FindSpec(metadata, task.spec_id);
  if (spec == nullptr || spec->fields.size() != task.file.partition.size()) {
    return MakeError(ErrorKind::kCorrupt,
                     "a data file's partition does not fit the table's partition spec {}: {}",
                     task.spec_id, task.file.file_path);
  }
  PartitionConstants constants;
  for (std::size_t i = 0; i < spec->fields.size(); ++i) {
    if (spec->fields[i].transform.kind == TransformKind::kIdentity) {
      constants.emplace(spec->fields[i].source_id, task.file.partition[i]);
    }
  }
  return constants;
}

}  // namespace

Result<std::unique_ptr<ScanFile>> ScanFile::Open(io::FileIo& io, const TableMetadata& metadata,
                                                 const Schema& schema, const NameMapping* mapping,
                                                 const ScanTask& task, const ScanColumns& columns,
                                                 KeepOpen keep_open) {
  if (task.file.file_format != "PARQUET") {
    return MakeError(ErrorKind::kUnsupported, "data files are read from Parquet only: {} is {}",
                     task.file.file_path, task.file.file_format);
  }
  std::unique_ptr<ScanFile> scan_file(new ScanFile(io, task, columns));
  const std::shared_ptr<const format::ParquetFile> file = SL_TRY(scan_file->OpenParquet());
  if (file->row_count() != task.file.record_count) {
    return MakeError(ErrorKind::kCorrupt,
                     "a data file does not have the rows that its manifest says: expected {}, "
                     "found {} in {}",
                     task.file.record_count, file->row_count(), task.file.file_path);
  }
  SL_TRY(scan_file->PlanColumns(*file, metadata, schema, mapping), "reading {}",
         task.file.file_path);
  scan_file->FindDictionaries(*file);
  scan_file->ChooseRowGroups(*file);
  if (keep_open == KeepOpen::kYes) {
    scan_file->kept_ = file;
  }
  return scan_file;
}

Result<std::shared_ptr<const format::ParquetFile>> ScanFile::OpenParquet() const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const format::ParquetFile> file = in_use_.lock();
  if (file == nullptr) {
    file = SL_TRY(format::OpenParquetFile(io_, task_.file.file_path, task_.file.file_size_bytes));
    in_use_ = file;
  }
  return file;
}

Status ScanFile::PlanColumns(const format::ParquetFile& file, const TableMetadata& metadata,
                             const Schema& schema, const NameMapping* mapping) {
  const std::vector<FileField> identities = IdentifyFields(*file.schema(), schema, mapping);
  const PartitionConstants constants = SL_TRY(ConstantsOf(metadata, task_));
  const arrow::FieldVector& fields = file.schema()->fields();
  for (const NestedField& field : columns_.fields) {
    FieldPlan plan = SL_TRY(PlanField(field, fields, identities, constants));
    plans_.push_back(std::move(plan));
  }
  for (const NestedField& field : columns_.filter_fields) {
    Result<FieldPlan> plan = PlanField(field, fields, identities, constants);
    // A column that cannot be read is only asked for proofs here: there are none.
    if (plan) {
      filter_plans_.emplace(field.id, std::move(plan).value());
    }
  }
  return {};
}

void ScanFile::FindDictionaries(const format::ParquetFile& file) {
  for (const FieldPlan& plan : plans_) {
    const bool may_fit = columns_.dictionaries && plan.type.id == TypeId::kString;
    fits_dictionary_.push_back(may_fit && (!plan.source || HasSmallDictionaries(file, plan)));
  }
}

void ScanFile::UseDictionary(std::size_t field) {
  SL_CHECK(fits_dictionary_[field]);
  plans_[field].arrow_type = StringDictionaryType();
}

void ScanFile::ChooseRowGroups(const format::ParquetFile& file) {
  for (int group = 0; group < file.row_group_count(); ++group) {
    const auto passes_filter = [&](const BoundPredicate& predicate) {
      const auto plan = filter_plans_.find(predicate.column);
      return RangeMayMatch(predicate, plan == filter_plans_.end()
                                          ? ValueRange{}
                                          : RowGroupRange(file, group, plan->second));
    };
    const bool is_wanted = !columns_.prune || Combine(columns_.filter, passes_filter);
    if (file.row_group_rows(group) == 0 || !is_wanted) {
      continue;
    }
    if (!columns_.cut || !columns_.prune) {
      row_groups_.push_back({group, columns_.cut.has_value()});
      continue;
    }
    const ValueRange times = RowGroupRange(file, group, plans_[columns_.cut->column]);
    const bool may_be_inside = Combine(columns_.cut->inside, [&](const BoundPredicate& predicate) {
      return RangeMayMatch(predicate, times);
    });
    const bool must_be_inside = Combine(columns_.cut->inside, [&](const BoundPredicate& predicate) {
      return RangeMustMatch(predicate, times);
    });
    if (may_be_inside) {
      row_groups_.push_back({group, !must_be_inside});
    }
  }
}

}  // namespace strandline::table::internal
