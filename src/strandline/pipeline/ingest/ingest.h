#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strandline/base/clock.h"
#include "strandline/base/hash.h"
#include "strandline/base/interval.h"
#include "strandline/base/result.h"
#include "strandline/base/rng.h"
#include "strandline/io/file_io.h"
#include "strandline/pipeline/ingest/landed_file.h"
#include "strandline/project/project.h"
#include "strandline/table/update/snapshot_change.h"

namespace strandline::pipeline {

// How far an ingest is; called from its threads, not more often than a few times a second.
struct IngestProgress {
  std::int64_t rows = 0;
  std::int64_t bytes = 0;  // Landed bytes read in the pass that writes.
  std::int64_t bytes_total = 0;
};

struct IngestOptions {
  int threads = 2;
  std::int64_t memory_limit_bytes = std::int64_t{2} << 30;
  std::string temp_directory;  // Absolute; for spilled key hashes.
  // Off: every key is verified against the table's rows; for comparing answers (rule 24).
  bool use_bloom_filters = true;
  std::function<void(const IngestProgress&)> on_progress;

  // Makes what practically never happens happen.
  struct ForTests {
    bool every_filter_hits = false;  // Bloom filters answer "perhaps" to every key.
    Hash128 (*hash_key)(std::string_view key) = &HashKey;
  };
  ForTests for_tests;
};

// rows_in = published + duplicate + suppressed + quarantined, always (rule 23).
struct IngestCounts {
  std::int64_t rows_in = 0;
  std::int64_t rows_published = 0;
  std::int64_t rows_duplicate = 0;
  std::int64_t rows_conflicting = 0;  // Part of duplicate: another payload under the same key.
  std::int64_t rows_suppressed = 0;
  std::int64_t rows_quarantined = 0;
  // How the question "is it there already?" was answered (rule 24).
  std::int64_t keys_asked = 0;
  std::int64_t filter_hits = 0;
  std::int64_t false_positives = 0;
  std::int64_t verify_bytes = 0;  // Read from data files of the table to verify hits.
};

// The tables as the unit finds them; metadata of a table that does not exist yet is the one its
// creation will give.
struct IngestTables {
  const table::TableMetadata* table = nullptr;
  const table::TableMetadata* quarantine = nullptr;
};

// What a unit's ingest prepared: files that are written and durable, and that nothing names yet
// (rule 26).
struct IngestResult {
  std::vector<table::NewFile> added;  // Data files of the table.
  std::vector<table::NewFile>
      quarantine_added;  // Data files, and position deletes of rows replaced.
  std::vector<std::string> quarantine_removed;  // Whole data files replaced.
  IngestCounts counts;
  // Every partition a row went to or that was asked for its keys (rule 25), present in the table or
  // not.
  std::set<table::PartitionTuple, table::PartitionTupleLess> partitions;
  // Rows of this unit that went to partitions of [unit - lateness, unit end): the ones rule 15
  // finds again.
  std::int64_t rows_in_reach = 0;
  // Why rows were quarantined, by reason, and the first few places, for messages.
  std::vector<std::pair<std::string, std::int64_t>> quarantine_reasons;
  std::vector<std::string> written_files;  // All of them; garbage unless published.
};

// Reads, validates, quarantines and deduplicates one landing unit (rules 22 to 25), and writes what
// is new. `marks_seq` gives
// `_strand_seq` of the rows (rule 2). Does not commit anything.
//
// Landed files are stat'ed again after reading: kConflict when one changed meanwhile (read the unit
// again). kInvalidArgument when a file lacks a required column or its share of bad rows passes the
// source's limit (the message says which reasons and how many), kCorrupt when a landed file is
// broken (named), kCancelled after `stop`.
Result<IngestResult> IngestUnit(const LandingUnit& unit, const IngestTables& tables,
                                std::int64_t marks_seq, std::int64_t quarantine_seq,
                                const IngestOptions& options, io::FileIo& io, Rng& rng,
                                const std::stop_token& stop);

// The columns a new table for `source` gets: the declared ones first, then those that the landed
// Parquet `sample` has beside them, then the bookkeeping columns. Also the properties, partition
// spec and location-less rest of the table's creation. kInvalidArgument when a declared column
// without a type is not in the file, or a type is unsupported.
Result<table::NewTable> NewSourceTable(const project::Source& source, io::FileIo& io,
                                       const std::string& sample_location, std::string location,
                                       std::string uuid);
Result<table::NewTable> NewQuarantineTable(const project::Source& source, std::string location,
                                           std::string uuid);

}  // namespace strandline::pipeline
