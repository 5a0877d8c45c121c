#include "strandline/pipeline/ingest/ingest.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strandline/base/ignore_error.h"
#include "strandline/base/time_text.h"
#include "strandline/base/uuid.h"
#include "strandline/pipeline/ingest/internal/bucket_store.h"
#include "strandline/pipeline/ingest/internal/duplicates.h"
#include "strandline/pipeline/ingest/internal/key_pass.h"
#include "strandline/pipeline/ingest/internal/partition_writers.h"
#include "strandline/pipeline/ingest/internal/published_keys.h"
#include "strandline/pipeline/ingest/internal/published_rows.h"
#include "strandline/pipeline/ingest/internal/quarantine_replacement.h"
#include "strandline/pipeline/ingest/internal/quarantine_writer.h"
#include "strandline/pipeline/ingest/internal/unit_context.h"
#include "strandline/pipeline/ingest/internal/write_pass.h"
#include "strandline/pipeline/state/bookkeeping.h"
#include "strandline/pipeline/state/table_state.h"

namespace strandline::pipeline {
namespace {

using ingest::BatchCache;
using ingest::BucketStore;
using ingest::KeyPass;
using ingest::RowSet;
using ingest::SecondPassRows;
using ingest::UnitContext;
using ingest::WritePass;

// How the memory limit is shared. What the passes read and write at a time takes the rest.
constexpr std::int64_t kKeysShare = 6;         // Hashes of all keys of the unit.
constexpr std::int64_t kFiltersShare = 8;      // Bloom filters of published keys.
constexpr std::int64_t kAskedShare = 16;       // Keys that are perhaps published, as they wait,
constexpr std::int64_t kVerifyShare = 8;       // and as they are verified.
constexpr std::int64_t kCandidatesShare = 12;  // Keys that share a hash.
constexpr std::int64_t kRowsShare = 4;         // Rows that need not be parsed twice.

RowMarks MarksOf(const LandingUnit& unit, std::int64_t seq) {
  return {
      .unit_seconds =
          std::chrono::floor<std::chrono::seconds>(unit.interval.start).time_since_epoch().count(),
      .stamp = unit.stamp,
      .logic = std::nullopt,
      .seq = seq};
}

Status CheckCall(const LandingUnit& unit, const IngestOptions& options) {
  if (options.threads < 1 || options.memory_limit_bytes < 1) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "an ingest needs a thread and memory: {} threads, {} bytes", options.threads,
                     options.memory_limit_bytes);
  }
  if (unit.files.size() > ingest::RowId::kFileCountMax) {
    return MakeError(ErrorKind::kUnsupported, "too many files in one landing unit: {}, at most {}",
                     unit.files.size(), ingest::RowId::kFileCountMax);
  }
  return {};
}

// One ingest from start to end. What it wrote is known at any time, so that it can be removed if
// the ingest fails.
class UnitIngest {
 public:
  UnitIngest(const LandingUnit& unit, const IngestTables& tables, std::int64_t marks_seq,
             std::int64_t quarantine_seq, const IngestOptions& options, io::FileIo& io, Rng& rng,
             const std::stop_token& stop, ingest::UnitLayouts layouts)
      : context_{.unit = unit,
                 .tables = tables,
                 .options = options,
                 .io = io,
                 .rng = rng,
                 .stop = stop,
                 .layouts = std::move(layouts),
                 .numbers = {},
                 .cache = BatchCache(unit.files.size(), options.memory_limit_bytes / kRowsShare)},
        file_stem_(NewUuidV4(rng)),
        marks_(MarksOf(unit, marks_seq)),
        quarantine_(context_, file_stem_, MarksOf(unit, quarantine_seq)) {}

  Result<IngestResult> Run() {
    const KeyPass keys = SL_TRY(FindRows());
    SL_TRY(WriteAllRows(keys));
    SL_TRY(CheckShareOfBadRows());
    return Finish(keys);
  }

  std::vector<std::string> written_files() const {
    std::vector<std::string> files = quarantine_.written_files();
    if (writers_ != nullptr) {
      const std::vector<std::string> data_files = writers_->written_files();
      files.insert(files.end(), data_files.begin(), data_files.end());
    }
    files.insert(files.end(), replaced_.written_files.begin(), replaced_.written_files.end());
    return files;
  }

 private:
  BucketStore Store(std::int64_t share) const {
    return BucketStore(context_.memory_share(share), context_.options.temp_directory);
  }

  // The first pass, and what it has to be compared with: which rows lose, and to whom.
  Result<KeyPass> FindRows() {
    const table::TableMetadata& metadata = *context_.tables.table;
    const std::vector<std::string>& key = context_.unit.source->key;
    BucketStore keys = Store(kKeysShare);
    BucketStore asked = Store(kAskedShare);
    ingest::PublishedKeys published_keys(
        metadata, key, context_.numbers,
        {.use_bloom_filters = context_.options.use_bloom_filters,
         .filter_bytes_max = context_.memory_share(kFiltersShare),
         .every_filter_hits = context_.options.for_tests.every_filter_hits},
        context_.io);
    KeyPass pass = SL_TRY(ReadKeys(context_, published_keys, keys, asked));
    counts_.keys_asked = pass.keys_asked;
    counts_.filter_hits = pass.filter_hits;

    RowSet published(pass.rows_by_file);
    if (pass.filter_hits > 0) {
      ingest::PublishedRows published_rows(metadata, key, published_keys,
                                           {.threads = context_.threads(),
                                            .memory_bytes_max = context_.memory_share(kVerifyShare),
                                            .temp_directory = context_.options.temp_directory,
                                            .hash_key = context_.options.for_tests.hash_key},
                                           context_.io, context_.stop);
      SL_TRY(published_rows.Verify(asked, published));
      counts_.false_positives = pass.filter_hits - published_rows.keys_found();
      counts_.verify_bytes = published_rows.bytes_read_to_verify();
      std::vector<std::string> payload;
      for (const int column : context_.layouts.all.payload) {
        payload.push_back(context_.layouts.all.schema->field(column)->name());
      }
      SL_TRY(published_rows.ReadPayloads(payload, published_payloads_));
    }
    rows_ = {.dropped = published, .candidates = published};
    SL_TRY(FindDuplicates(keys, context_.layouts.keys.order.has_value(), published,
                          context_.threads(), rows_));
    return pass;
  }

  // The second pass, and the few rows that it shows to have been held back wrongly.
  Status WriteAllRows(const KeyPass& keys) {
    writers_ = std::make_unique<ingest::PartitionWriters>(context_, keys.rows_by_partition,
                                                          file_stem_, marks_);
    BucketStore candidates = Store(kCandidatesShare);
    pass_ =
        SL_TRY(ingest::WriteRows(context_, rows_, keys.rows(), candidates, quarantine_, *writers_));
    RowSet rescued(keys.rows_by_file);
    const ingest::ResolvedDuplicates resolved = SL_TRY(ResolveDuplicates(
        candidates, published_payloads_, rows_.dropped, context_.threads(), rescued));
    if (resolved.rows_rescued > 0) {
      const WritePass again = SL_TRY(WriteRescuedRows(context_, rescued, *writers_));
      SL_CHECK(again.total_written() == resolved.rows_rescued);
      pass_.rows_dropped -= again.total_written();
      pass_.rows_written.resize(std::max(pass_.rows_written.size(), again.rows_written.size()), 0);
      for (std::size_t i = 0; i < again.rows_written.size(); ++i) {
        pass_.rows_written[i] += again.rows_written[i];
      }
    }
    counts_.rows_in = pass_.rows_in;
    counts_.rows_published = pass_.total_written();
    counts_.rows_duplicate = pass_.rows_dropped;
    counts_.rows_conflicting = resolved.rows_conflicting;
    counts_.rows_quarantined = quarantine_.rows();
    SL_CHECK(counts_.rows_in == counts_.rows_published + counts_.rows_duplicate +
                                    counts_.rows_suppressed + counts_.rows_quarantined);
    return {};
  }

  Status CheckShareOfBadRows() const {
    const project::Source& source = *context_.unit.source;
    const double share = counts_.rows_in == 0 ? 0
                                              : static_cast<double>(counts_.rows_quarantined) /
                                                    static_cast<double>(counts_.rows_in);
    if (share <= source.quarantine_max_share) {
      return {};
    }
    std::vector<std::string> reasons;
    for (const auto& [reason, rows] : quarantine_.reasons()) {
      reasons.push_back(fmt::format("{} {}", rows, reason));
    }
    return MakeError(
        ErrorKind::kInvalidArgument,
        "{} of {} rows of source {}, unit {}, are bad ({:.2f}%), more than the {:.2f}% "
        "it allows: {}; the first: {}",
        counts_.rows_quarantined, counts_.rows_in, source.name,
        FormatTimestamp(context_.unit.interval.start), share * 100,
        source.quarantine_max_share * 100, fmt::join(reasons, ", "),
        fmt::join(quarantine_.examples(), ", "));
  }

  Result<IngestResult> Finish(const KeyPass& keys) {
    IngestResult result;
    result.added = SL_TRY(writers_->Finish());
    result.quarantine_added = SL_TRY(quarantine_.Finish());
    replaced_ = SL_TRY(ReplaceQuarantined(context_, fmt::format("{}-deletes", file_stem_)));
    for (table::NewFile& deletes : replaced_.deletes) {
      result.quarantine_added.push_back(std::move(deletes));
    }
    result.quarantine_removed = replaced_.removed;
    result.counts = counts_;
    result.quarantine_reasons = quarantine_.reasons();
    result.written_files = written_files();

    const table::PartitionSpec& spec = DefaultSpec(*context_.tables.table);
    const Interval& unit = context_.unit.interval;
    const table::NestedField* time =
        FindColumn(CurrentSchema(*context_.tables.table), context_.unit.source->time);
    const Interval reach{.start = unit.start - context_.unit.source->lateness, .end = unit.end};
    for (std::size_t i = 0; i < keys.rows_by_partition.size(); ++i) {
      // Partitions that only rejected rows would have gone to were not asked.
      if (keys.rows_by_partition[i] == 0) {
        continue;
      }
      const table::PartitionTuple& tuple =
          context_.numbers.TupleOf(static_cast<ingest::PartitionNumber>(i));
      result.partitions.insert(tuple);
      const std::optional<Interval> interval =
          time != nullptr ? IntervalOfPartition(spec, tuple, time->id) : std::nullopt;
      if (i < pass_.rows_written.size() && (!interval || interval->Overlaps(reach))) {
        result.rows_in_reach += pass_.rows_written[i];
      }
    }
    return result;
  }

  UnitContext context_;
  const std::string file_stem_;
  const RowMarks marks_;
  ingest::QuarantineWriter quarantine_;
  std::unique_ptr<ingest::PartitionWriters> writers_;
  ingest::QuarantineReplacement replaced_;
  BucketStore published_payloads_ = Store(kCandidatesShare);
  SecondPassRows rows_;
  WritePass pass_;
  IngestCounts counts_;
};

}  // namespace

Result<IngestResult> IngestUnit(const LandingUnit& unit, const IngestTables& tables,
                                std::int64_t marks_seq, std::int64_t quarantine_seq,
                                const IngestOptions& options, io::FileIo& io, Rng& rng,
                                const std::stop_token& stop) {
  SL_TRY(CheckCall(unit, options));
  ingest::UnitLayouts layouts = SL_TRY(ingest::LayoutsOf(*unit.source, *tables.table));
  UnitIngest ingest(unit, tables, marks_seq, quarantine_seq, options, io, rng, stop,
                    std::move(layouts));
  Result<IngestResult> result = ingest.Run();
  if (!result) {
    for (const std::string& file : ingest.written_files()) {
      IgnoreError(io.Delete(file), "nothing names it, so orphan removal will find it");
    }
  }
  return result;
}

}  // namespace strandline::pipeline
