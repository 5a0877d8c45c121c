#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/io/file_io.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::table {

// The reserved field ids of a position delete file's columns.
// https://iceberg.apache.org/spec/#reserved-field-ids
inline constexpr FieldId kDeleteFilePathId{2147483546};
inline constexpr FieldId kDeletePositionId{2147483545};

// Positions (0-based rows) of one data file that are deleted.
class PositionSet {
 public:
  PositionSet();
  ~PositionSet();
  PositionSet(PositionSet&&) noexcept;
  PositionSet& operator=(PositionSet&&) noexcept;

  // `position` is not negative (checked).
  void Add(std::int64_t position);
  void AddAll(const PositionSet& other);
  bool Contains(std::int64_t position) const;
  bool empty() const;
  std::int64_t size() const;
  // Deleted rows in [first, first + count).
  std::int64_t CountIn(std::int64_t first, std::int64_t count) const;
  // In ascending order; the second form only those in [first, first + count).
  std::vector<std::int64_t> Positions() const;
  std::vector<std::int64_t> PositionsIn(std::int64_t first, std::int64_t count) const;

 private:
  struct Bitmap;  // A compressed bitmap; its library's header stays in one file.
  std::unique_ptr<Bitmap> bitmap_;
};

// Reads what position delete files say about `data_file_path` (compared as the stored string, then
// as the same place in another spelling). https://iceberg.apache.org/spec/#position-delete-files
// kCorrupt when a delete file lacks its columns or holds null or negative positions; kUnsupported
// when it is no Parquet file. Errors name the delete file.
Result<PositionSet> ReadPositionDeletes(io::FileIo& io, const std::vector<DataFile>& delete_files,
                                        const std::string& data_file_path);

// The same of one delete file for several data files: positions by those of `data_file_paths` that
// it names, so that a file of deletes for a whole partition is read once.
Result<std::map<std::string, PositionSet>> ReadPositionDeleteFile(
    io::FileIo& io, const DataFile& delete_file, const std::vector<std::string>& data_file_paths);

// Rows to delete, by the data file's path exactly as it stands in the table.
using DeletedPositions = std::map<std::string, std::vector<std::int64_t>>;

// Writes one position delete file for one partition of `spec`, sorted by path and position, at a
// new location of the table (`<file_stem>-deletes.parquet`), and returns its entry (bounds of path
// and position complete, referenced_data_file set if there is just one). A position given twice is
// written once. kInvalidArgument when there is nothing to delete or a position is negative.
Result<DataFile> WritePositionDeletes(io::FileIo& io, const TableMetadata& metadata,
                                      const PartitionSpec& spec, const PartitionTuple& partition,
                                      const DeletedPositions& positions,
                                      const std::string& file_stem);

}  // namespace strandline::table
