#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::table::internal {

// The live delete files of a snapshot, found by the data files that they apply to.
// https://iceberg.apache.org/spec/#scan-planning
class DeleteIndex {
 public:
  // `is_unpartitioned` says whether `spec` has no fields.
  void Add(ManifestEntry entry, SpecId spec, bool is_unpartitioned);

  // The position deletes that may hold rows of `data_file`, in the order they were added.
  // kUnsupported, naming both files, when an equality delete or a deletion vector applies.
  Result<std::vector<DataFile>> DeletesFor(const DataFile& data_file, SpecId spec,
                                           SequenceNumber sequence_number) const;

 private:
  struct Delete {
    DataFile file;
    SequenceNumber sequence_number;
  };
  using ByPartition = std::map<PartitionTuple, std::vector<std::size_t>, PartitionTupleLess>;

  std::vector<Delete> deletes_;
  // Position deletes of one data file, by its canonical location.
  std::unordered_map<std::string, std::vector<std::size_t>> by_path_;
  // All others, by the partition that they are bound to.
  std::map<SpecId, ByPartition> by_partition_;
  // Equality deletes of unpartitioned specs: they apply to every partition of every spec.
  std::vector<std::size_t> global_;
};

}  // namespace strandline::table::internal
