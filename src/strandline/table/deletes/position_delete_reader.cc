#include <string_view>
#include <unordered_map>
#include <utility>

#include <arrow/api.h>
#include <arrow/compute/api.h>

#include "strandline/format/batch/arrow_status.h"
#include "strandline/format/parquet/parquet_file.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/deletes/path_bounds.h"
#include "strandline/table/deletes/position_deletes.h"

namespace strandline::table {
namespace {

// By field id; a writer that left the ids out has the specification's names.
Result<int> FindDeleteColumn(const format::ParquetFile& file, FieldId id, std::string_view name) {
  const arrow::Schema& schema = *file.schema();
  for (int i = 0; i < schema.num_fields(); ++i) {
    if (ArrowFieldId(*schema.field(i)) == id) {
      return i;
    }
  }
  for (int i = 0; i < schema.num_fields(); ++i) {
    if (!ArrowFieldId(*schema.field(i)) && schema.field(i)->name() == name) {
      return i;
    }
  }
  return MakeError(ErrorKind::kCorrupt, "a position delete file lacks a column: {} in {}", name,
                   file.location());
}

Status CheckReadable(const DataFile& file) {
  if (file.content != FileContent::kPositionDeletes) {
    return MakeError(ErrorKind::kUnsupported, "only position deletes are read: {}", file.file_path);
  }
  if (file.file_format != "PARQUET") {
    return MakeError(ErrorKind::kUnsupported,
                     "position deletes are read from Parquet files only: {} is {}", file.file_path,
                     file.file_format);
  }
  return {};
}

// The data files asked for, found by any spelling of their paths.
class Wanted {
 public:
  Wanted(const std::vector<std::string>& paths, std::map<std::string, PositionSet>& found)
      : found_(found) {
    for (const std::string& path : paths) {
      keys_.emplace(PathKey(path), path);
      exact_.emplace(path, path);
    }
  }

  // Null when nobody asked for `path`. The same path mostly comes many times in a row.
  PositionSet* Find(std::string_view path) {
    if (!last_path_ || *last_path_ != path) {
      last_path_ = std::string(path);
      last_set_ = Look(*last_path_);
    }
    return last_set_;
  }

 private:
  PositionSet* Look(const std::string& path) {
    if (const auto same = exact_.find(path); same != exact_.end()) {
      return &found_[same->second];
    }
    const auto same_place = keys_.find(PathKey(path));
    return same_place == keys_.end() ? nullptr : &found_[same_place->second];
  }

  std::map<std::string, PositionSet>& found_;
  std::unordered_map<std::string, std::string> exact_;
  std::unordered_map<std::string, std::string> keys_;
  std::optional<std::string> last_path_;
  PositionSet* last_set_ = nullptr;
};

Status AddBatch(const arrow::RecordBatch& batch, const std::string& location, Wanted& wanted) {
  const std::shared_ptr<arrow::Array> paths = SL_TRY(
      format::FromArrow(arrow::compute::Cast(*batch.column(0), arrow::utf8())), "{}", location);
  const std::shared_ptr<arrow::Array> positions = SL_TRY(
      format::FromArrow(arrow::compute::Cast(*batch.column(1), arrow::int64())), "{}", location);
  if (paths->null_count() != 0 || positions->null_count() != 0) {
    return MakeError(ErrorKind::kCorrupt, "a position delete file holds a null: {}", location);
  }
  const auto& path_texts = static_cast<const arrow::StringArray&>(*paths);
  const auto& numbers = static_cast<const arrow::Int64Array&>(*positions);
  for (std::int64_t i = 0; i < batch.num_rows(); ++i) {
    if (numbers.Value(i) < 0) {
      return MakeError(ErrorKind::kCorrupt,
                       "a position delete file holds a negative position: {} in {}",
                       numbers.Value(i), location);
    }
    if (PositionSet* set = wanted.Find(path_texts.GetView(i))) {
      set->Add(numbers.Value(i));
    }
  }
  return {};
}

// The row groups that may be about one of the paths. Delete files are sorted by path, so those of a
// whole partition have few.
std::vector<int> RowGroupsAbout(const format::ParquetFile& file, int path_column,
                                const std::vector<std::string>& paths) {
  std::vector<int> row_groups;
  for (int group = 0; group < file.row_group_count(); ++group) {
    const format::ChunkStatistics statistics = file.chunk_statistics(group, path_column);
    const std::string* min = statistics.min ? &*statistics.min : nullptr;
    const std::string* max = statistics.max ? &*statistics.max : nullptr;
    for (const std::string& path : paths) {
      if (PathMayLieWithin(path, min, max)) {
        row_groups.push_back(group);
        break;
      }
    }
  }
  return row_groups;
}

}  // namespace

Result<std::map<std::string, PositionSet>> ReadPositionDeleteFile(
    io::FileIo& io, const DataFile& delete_file, const std::vector<std::string>& data_file_paths) {
  SL_TRY(CheckReadable(delete_file));
  const std::shared_ptr<const format::ParquetFile> file =
      SL_TRY(format::OpenParquetFile(io, delete_file.file_path, delete_file.file_size_bytes),
             "opening position deletes");
  const int path_column = SL_TRY(FindDeleteColumn(*file, kDeleteFilePathId, "file_path"));
  const int position_column = SL_TRY(FindDeleteColumn(*file, kDeletePositionId, "pos"));

  std::map<std::string, PositionSet> found;
  Wanted wanted(data_file_paths, found);
  const format::ParquetReadRequest request{
      .row_groups = RowGroupsAbout(*file, path_column, data_file_paths),
      .columns = {path_column, position_column}};
  if (request.row_groups.empty()) {
    return found;
  }
  const std::unique_ptr<format::BatchStream> batches = SL_TRY(file->Read(request));
  while (true) {
    const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(batches->Next());
    if (batch == nullptr) {
      return found;
    }
    SL_TRY(AddBatch(*batch, delete_file.file_path, wanted), "reading position deletes");
  }
}

Result<PositionSet> ReadPositionDeletes(io::FileIo& io, const std::vector<DataFile>& delete_files,
                                        const std::string& data_file_path) {
  PositionSet all;
  for (const DataFile& delete_file : delete_files) {
    const std::map<std::string, PositionSet> found =
        SL_TRY(ReadPositionDeleteFile(io, delete_file, {data_file_path}));
    if (const auto set = found.find(data_file_path); set != found.end()) {
      all.AddAll(set->second);
    }
  }
  return all;
}

}  // namespace strandline::table
