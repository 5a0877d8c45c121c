#include "strandline/table/read/internal/shared_deletes.h"

#include <algorithm>
#include <utility>

#include "strandline/base/check.h"

namespace strandline::table::internal {

SharedDeletes::SharedDeletes(io::FileIo& io, const std::vector<ScanTask>& tasks) : io_(io) {
  for (const ScanTask& task : tasks) {
    for (const DataFile& deletes : task.deletes) {
      DeleteFile& file = files_[deletes.file_path];
      file.file = deletes;
      file.data_files.push_back(task.file.file_path);
    }
  }
}

Result<std::shared_ptr<const SharedDeletes::ByDataFile>> SharedDeletes::Load(
    const std::string& delete_path) {
  const auto found = files_.find(delete_path);
  SL_CHECK(found != files_.end());
  DeleteFile& file = found->second;
  const std::lock_guard lock(file.mutex);
  if (file.positions == nullptr) {
    ByDataFile positions = SL_TRY(ReadPositionDeleteFile(io_, file.file, file.data_files));
    file.positions = std::make_shared<const ByDataFile>(std::move(positions));
  }
  return file.positions;
}

Result<std::vector<std::int64_t>> SharedDeletes::PositionsIn(const ScanTask& task,
                                                             std::int64_t first,
                                                             std::int64_t count) {
  std::vector<std::int64_t> all;
  for (const DataFile& deletes : task.deletes) {
    const std::shared_ptr<const ByDataFile> positions = SL_TRY(Load(deletes.file_path));
    const auto of_file = positions->find(task.file.file_path);
    if (of_file != positions->end()) {
      const std::vector<std::int64_t> more = of_file->second.PositionsIn(first, count);
      all.insert(all.end(), more.begin(), more.end());
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace strandline::table::internal
