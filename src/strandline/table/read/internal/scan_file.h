#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "strandline/format/parquet/parquet_file.h"
#include "strandline/io/file_io.h"
#include "strandline/table/metadata/table_metadata.h"
#include "strandline/table/read/internal/field_plan.h"
#include "strandline/table/read/internal/scan_columns.h"
#include "strandline/table/scan/scan.h"

namespace strandline::table::internal {

// Whether an opened file stays open between its row groups, or is opened again for each.
enum class KeepOpen { kNo, kYes };

// A data file's footer, and what follows from it for a scan: how each column is made, and which row
// groups are worth reading. Immutable but for UseDictionary(); thread-safe.
class ScanFile {
 public:
  struct RowGroup {
    int index;
    bool needs_cut;  // Its footer does not prove that all rows are inside of the cut.
  };

  // `io`, `task` and `columns` must outlive it. kCorrupt when the file is not what the manifest
  // says.
  static Result<std::unique_ptr<ScanFile>> Open(io::FileIo& io, const TableMetadata& metadata,
                                                const Schema& schema, const NameMapping* mapping,
                                                const ScanTask& task, const ScanColumns& columns,
                                                KeepOpen keep_open);

  const ScanTask& task() const { return task_; }
  const ScanColumns& columns() const { return columns_; }
  // One for each of columns().fields.
  const std::vector<FieldPlan>& plans() const { return plans_; }
  const std::vector<RowGroup>& row_groups() const { return row_groups_; }

  // Whether one of columns().fields can come as StringDictionaryType(): every row group stores it
  // wholly in a small dictionary, or the file lacks it.
  bool FitsDictionary(std::size_t field) const { return fits_dictionary_[field]; }
  // Makes it so (checked). Before anything else is asked of the file.
  void UseDictionary(std::size_t field);

  Result<std::shared_ptr<const format::ParquetFile>> OpenParquet() const;

 private:
  ScanFile(io::FileIo& io, const ScanTask& task, const ScanColumns& columns)
      : io_(io), task_(task), columns_(columns) {}

  Status PlanColumns(const format::ParquetFile& file, const TableMetadata& metadata,
                     const Schema& schema, const NameMapping* mapping);
  void FindDictionaries(const format::ParquetFile& file);
  void ChooseRowGroups(const format::ParquetFile& file);

  io::FileIo& io_;
  const ScanTask& task_;
  const ScanColumns& columns_;
  std::vector<FieldPlan> plans_;
  std::vector<bool> fits_dictionary_;  // One for each plan.
  std::map<FieldId, FieldPlan> filter_plans_;
  std::vector<RowGroup> row_groups_;

  mutable std::mutex mutex_;
  std::shared_ptr<const format::ParquetFile> kept_;  // Null with KeepOpen::kNo.
  mutable std::weak_ptr<const format::ParquetFile> in_use_;
};

}  // namespace strandline::table::internal
