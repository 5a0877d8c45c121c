#include "strandline/table/scan/internal/delete_index.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "strandline/table/deletes/path_bounds.h"
#include "strandline/table/deletes/position_deletes.h"

namespace strandline::table::internal {
namespace {

bool PathMayBeIn(const std::string& path, const DataFile& deletes) {
  return PathMayLieWithin(path, FindBound(deletes.lower_bounds, kDeleteFilePathId),
                          FindBound(deletes.upper_bounds, kDeleteFilePathId));
}

Status CheckSupported(const DataFile& deletes, const DataFile& data_file) {
  if (deletes.content == FileContent::kEqualityDeletes) {
    return MakeError(ErrorKind::kUnsupported,
                     "equality deletes are not read: {} applies to data file {}", deletes.file_path,
                     data_file.file_path);
  }
  if (deletes.file_format == "PUFFIN") {
    return MakeError(ErrorKind::kUnsupported,
                     "deletion vectors are not read: {} applies to data file {}", deletes.file_path,
                     data_file.file_path);
  }
  return {};
}

}  // namespace

void DeleteIndex::Add(ManifestEntry entry, SpecId spec, bool is_unpartitioned) {
  const std::size_t index = deletes_.size();
  if (const std::optional<std::string> path = ReferencedDataFile(entry.file)) {
    by_path_[PathKey(*path)].push_back(index);
  } else if (entry.file.content == FileContent::kEqualityDeletes && is_unpartitioned) {
    global_.push_back(index);
  } else {
    by_partition_[spec][entry.file.partition].push_back(index);
  }
  deletes_.push_back({std::move(entry.file), entry.sequence_number.value_or(SequenceNumber{})});
}

Result<std::vector<DataFile>> DeleteIndex::DeletesFor(const DataFile& data_file, SpecId spec,
                                                      SequenceNumber sequence_number) const {
  std::vector<std::size_t> candidates = global_;
  const auto add = [&](const std::vector<std::size_t>& more) {
    candidates.insert(candidates.end(), more.begin(), more.end());
  };
  if (!by_path_.empty()) {
    if (const auto found = by_path_.find(PathKey(data_file.file_path)); found != by_path_.end()) {
      add(found->second);
    }
  }
  if (const auto of_spec = by_partition_.find(spec); of_spec != by_partition_.end()) {
    const auto found = of_spec->second.find(data_file.partition);
    if (found != of_spec->second.end()) {
      add(found->second);
    }
  }
  std::sort(candidates.begin(), candidates.end());

  std::vector<DataFile> applying;
  for (const std::size_t index : candidates) {
    const Delete& candidate = deletes_[index];
    // Rows that came with an equality delete are newer than it; positions can only have been known
    // once the rows were there, so a position delete of the same commit applies.
    const bool is_later = candidate.file.content == FileContent::kEqualityDeletes
                              ? sequence_number < candidate.sequence_number
                              : sequence_number <= candidate.sequence_number;
    const bool may_hold_rows = candidate.file.content == FileContent::kEqualityDeletes ||
                               PathMayBeIn(data_file.file_path, candidate.file);
    if (!is_later || !may_hold_rows) {
      continue;
    }
    SL_TRY(CheckSupported(candidate.file, data_file));
    applying.push_back(candidate.file);
  }
  return applying;
}

}  // namespace strandline::table::internal
