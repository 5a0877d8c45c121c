#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/io/file_io.h"
#include "strandline/table/manifest/manifest.h"

namespace roaring {
class Roaring64Map;
}

namespace strandline::table {

// Positions (0-based rows) of one data file that are deleted.
class PositionSet {
 public:
  PositionSet();
  ~PositionSet();
  PositionSet(PositionSet&&) noexcept;
  PositionSet& operator=(PositionSet&&) noexcept;

  void Add(std::int64_t position);
  bool Contains(std::int64_t position) const;
  bool empty() const;
  std::int64_t size() const;
  // Deleted rows in [first, first + count).
  std::int64_t CountIn(std::int64_t first, std::int64_t count) const;
  // In ascending order.
  std::vector<std::int64_t> Positions() const;

 private:
  std::unique_ptr<roaring::Roaring64Map> map_;
};

// Reads what position delete files say about `data_file_path` (compared as the stored string, then
// as the same place in another spelling). https://iceberg.apache.org/spec/#position-delete-files
// kCorrupt when a delete file lacks its columns or holds null or negative positions.
Result<PositionSet> ReadPositionDeletes(io::FileIo& io, const std::vector<DataFile>& delete_files,
                                        const std::string& data_file_path);

// Rows to delete, by the data file's path exactly as it stands in the table.
using DeletedPositions = std::map<std::string, std::vector<std::int64_t>>;

// Writes one position delete file for one partition of `spec`, sorted by path and position, at a
// new location of the table, and returns its entry (bounds of path and position complete,
// referenced_data_file set if there is just one).
Result<DataFile> WritePositionDeletes(io::FileIo& io, const TableMetadata& metadata,
                                      const PartitionSpec& spec, const PartitionTuple& partition,
                                      const DeletedPositions& positions,
                                      const std::string& file_stem);

}  // namespace strandline::table
