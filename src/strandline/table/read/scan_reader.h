#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "strandline/base/interval.h"
#include "strandline/format/batch/batch_stream.h"
#include "strandline/io/file_io.h"
#include "strandline/table/scan/scan.h"

namespace strandline::table {

class ColumnCache;

struct ScanReadOptions {
  // Top-level columns by their current names, in the order wanted. May be empty: batches then only
  // count rows.
  std::vector<std::string> columns = {};

  // Rows with `column` outside of the interval are left out, exactly (nulls too). For cuts by time;
  // the column needs not be among `columns`. Files and row groups whose bounds prove that all rows
  // are inside are not tested.
  struct TimeCut {
    std::string column;
    Interval interval;
  };
  std::optional<TimeCut> cut = {};

  // Row groups that surely hold no matching row (by footer statistics) are skipped; other rows are
  // not filtered.
  Expression filter = {};
  bool prune = true;

  // Appends two columns: `_file` (string, the path as stored) and `_pos` (long, the row's
  // position).
  bool with_positions = false;

  // Shares decoded columns with other scans of the same files; null: no sharing. Must outlive the
  // source.
  ColumnCache* cache = nullptr;

  // Gives string columns as dictionary<int32, utf8> where every row group of these files that has
  // the column stores it wholly in a small dictionary: the source's schema then says so. Each batch
  // has dictionaries of its own.
  bool dictionaries = false;

  std::int64_t batch_rows = 65536;
};

// Rows of `tasks` as columns of `schema`: files are read by field id (by the table's name mapping
// where a file has no ids; by name where there is no mapping either), types are promoted, columns
// that a file lacks are null (or the identity partition value, which the manifest gives), position
// deletes are applied. One part is one row group.
//
// Opens every file and reads its footer, once. `io` and `options.cache` must outlive the source;
// `metadata` and `schema` are only read while this runs.
//
// kInvalidArgument when a column is not in the schema, the cut's column holds no times or the
// filter does not fit; kNotFound when a file is gone; kCorrupt when a file is not what the manifest
// says; kUnsupported for data files that are not Parquet and for default values (format version 3).
// Later reads fail with the kinds of ParquetFile and of ReadPositionDeletes(). Errors name the
// file.
Result<std::unique_ptr<format::BatchSource>> OpenScan(io::FileIo& io, const TableMetadata& metadata,
                                                      const Schema& schema,
                                                      std::vector<ScanTask> tasks,
                                                      const ScanReadOptions& options);

// The rows of a source one part after the other, as one stream. `source` is kept alive by it.
std::unique_ptr<format::BatchStream> ReadAll(std::unique_ptr<format::BatchSource> source);

// Decoded columns of row groups, kept while someone announced still wants them: models that read
// the same window share one scan of it, so bytes are read and decoded once. Thread-safe.
class ColumnCache {
 public:
  // `bytes_max` bounds what is kept; beyond it columns are simply read again.
  explicit ColumnCache(std::int64_t bytes_max);
  ~ColumnCache();

  // One more scan will read these columns (field ids) of any file; call before the first of them
  // starts.
  void Announce(const std::vector<FieldId>& columns);

  // A scan that announced these columns (checked) is done: what nobody else wants is dropped.
  void Release(const std::vector<FieldId>& columns);

  std::int64_t bytes_kept() const;
  std::int64_t chunks_decoded() const;
  std::int64_t chunks_reused() const;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace strandline::table
