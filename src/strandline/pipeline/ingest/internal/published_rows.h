#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/hash.h"
#include "strandline/base/result.h"
#include "strandline/format/batch/batch_stream.h"
#include "strandline/io/file_io.h"
#include "strandline/pipeline/ingest/internal/bucket_store.h"
#include "strandline/pipeline/ingest/internal/published_keys.h"
#include "strandline/pipeline/ingest/internal/row_set.h"

namespace strandline::pipeline::ingest {

// Compares keys of the unit with the table's live rows, exactly (STATE.md rule 24): what the
// filters left is read, deletes applied, and compared byte by byte on all key columns. Not
// thread-safe; uses threads of its own.
class PublishedRows {
 public:
  struct Options {
    std::size_t threads = 1;
    std::int64_t memory_bytes_max = 0;  // For the keys compared in one reading.
    std::string temp_directory;
    Hash128 (*hash_key)(std::string_view) = &HashKey;
  };

  // All must outlive it. `keys` must not be asked any more.
  PublishedRows(const table::TableMetadata& metadata, const std::vector<std::string>& key,
                const PublishedKeys& keys, const Options& options, io::FileIo& io,
                const std::stop_token& stop);
  ~PublishedRows();

  // Finds out which of the keys in `asked` (AskedRecord, by BucketOf) are there, and calls
  // `published.Add` for their rows. Reads the row groups that may hold some once for each share of
  // the keys that fits into memory. Fails like OpenScan, and with kCancelled.
  Status Verify(BucketStore& asked, RowSet& published);

  // Fingerprints what the rows found hold in the columns `payload`, into `payloads`
  // (PublishedPayloadRecord, by BucketOf). Reads those columns of the row groups that hold any.
  Status ReadPayloads(const std::vector<std::string>& payload, BucketStore& payloads);

  std::int64_t keys_found() const { return keys_found_; }
  std::int64_t bytes_read_to_verify() const { return bytes_read_to_verify_; }

 private:
  struct Keys;  // Those compared in one reading.

  Status OpenParts(const std::vector<std::string>& columns);
  Status Compare(Keys& keys);
  Status ComparePart(std::size_t part, Keys& keys) const;
  Status ReadPayloadsOf(std::string_view published, std::size_t column_count,
                        BucketStore::Writer& writer) const;

  const table::TableMetadata& metadata_;
  const std::vector<std::string>& key_;
  const Options options_;
  io::FileIo& io_;
  const std::stop_token& stop_;
  // Files with row groups that may hold some of the keys; a part is one row group of one of them.
  std::vector<const PublishedKeys::File*> files_;
  std::vector<std::pair<const PublishedKeys::File*, const PublishedKeys::File::RowGroup*>> parts_;
  std::unique_ptr<format::BatchSource> source_;
  BucketStore published_;  // PublishedRecord, by part.
  std::int64_t keys_found_ = 0;
  std::int64_t bytes_read_to_verify_ = 0;
};

// XXH3-64 of a row's payload bytes.
std::uint64_t PayloadFingerprint(std::string_view bytes);

}  // namespace strandline::pipeline::ingest
