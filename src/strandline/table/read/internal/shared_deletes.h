#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/io/file_io.h"
#include "strandline/table/deletes/position_deletes.h"
#include "strandline/table/scan/scan.h"

namespace strandline::table::internal {

// The position deletes of a scan's files. A delete file is read when the first of the data files it
// may be about is, and once for all of them. Thread-safe. `io` must outlive it.
class SharedDeletes {
 public:
  SharedDeletes(io::FileIo& io, const std::vector<ScanTask>& tasks);

  // Deleted positions of `task`'s file in [first, first + count), ascending.
  Result<std::vector<std::int64_t>> PositionsIn(const ScanTask& task, std::int64_t first,
                                                std::int64_t count);

 private:
  using ByDataFile = std::map<std::string, PositionSet>;
  struct DeleteFile {
    std::mutex mutex;  // Held while it is read: the others wait instead of reading it as well.
    DataFile file;
    std::vector<std::string> data_files;
    std::shared_ptr<const ByDataFile> positions;  // Null: not read yet.
  };

  Result<std::shared_ptr<const ByDataFile>> Load(const std::string& delete_path);

  io::FileIo& io_;
  std::map<std::string, DeleteFile> files_;  // By path; fixed from the start.
};

}  // namespace strandline::table::internal
