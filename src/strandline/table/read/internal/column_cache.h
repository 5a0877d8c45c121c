#pragma once

#include <compare>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/table/read/scan_reader.h"

namespace strandline::table {

struct ColumnCache::Impl {
 public:
  struct Key {
    std::string file;
    int row_group = 0;
    FieldId column;
    bool is_dictionary = false;  // Scans of other files may have to read the column plainly.
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  using Column = std::shared_ptr<arrow::ChunkedArray>;
  using Decode = std::function<Result<Column>()>;

  explicit Impl(std::int64_t bytes_max) : bytes_max_(bytes_max) {}

  void Announce(const std::vector<FieldId>& columns);
  void Release(const std::vector<FieldId>& columns);

  // Whether to ask this cache at all: the column is kept, or someone else will want it. Otherwise
  // it is better streamed than decoded whole.
  bool IsShared(const Key& key) const;

  // The column if it is kept as `type`, else what `decode` gives, kept while others want it. When
  // several threads ask for one column at once, one decodes it and the others wait.
  Result<Column> Get(const Key& key, const arrow::DataType& type, const Decode& decode);

  std::int64_t bytes_kept() const;
  std::int64_t chunks_decoded() const;
  std::int64_t chunks_reused() const;

 private:
  struct Entry {
    Column column;  // Null: being decoded.
    std::int64_t bytes = 0;
  };

  std::int64_t UsersOf(FieldId column) const;
  void Drop(std::map<Key, Entry>::iterator entry);
  void Keep(const Key& key, Column column);

  const std::int64_t bytes_max_;
  mutable std::mutex mutex_;
  std::condition_variable decoded_;
  std::map<FieldId, std::int64_t> users_;  // Announced and not released.
  std::map<Key, Entry> entries_;
  std::int64_t bytes_kept_ = 0;
  std::int64_t chunks_decoded_ = 0;
  std::int64_t chunks_reused_ = 0;
};

}  // namespace strandline::table
