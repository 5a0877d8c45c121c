#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "strandline/base/result.h"
#include "strandline/base/rng.h"
#include "strandline/format/landing/landing_reader.h"
#include "strandline/io/file_io.h"
#include "strandline/pipeline/ingest/ingest.h"
#include "strandline/pipeline/ingest/internal/batch_cache.h"
#include "strandline/pipeline/ingest/internal/partition_router.h"
#include "strandline/pipeline/ingest/internal/row_layout.h"

namespace strandline::pipeline::ingest {

// What the steps of one unit's ingest share.
struct UnitContext {
  const LandingUnit& unit;
  const IngestTables& tables;
  const IngestOptions& options;
  io::FileIo& io;
  Rng& rng;
  const std::stop_token& stop;
  UnitLayouts layouts;
  PartitionNumbers numbers;
  BatchCache cache;

  std::size_t threads() const { return static_cast<std::size_t>(options.threads); }
  // A part of the memory limit.
  std::int64_t memory_share(std::int64_t one_in) const {
    return options.memory_limit_bytes / one_in;
  }
};

// Reads all of one landed file and gives each batch to `take`, which may keep it. Fails like the
// reader, with kCancelled when asked to stop (looked at before each batch), and with kConflict when
// the file is no longer the one that was listed (STATE.md rule 14): that is looked at when it has
// been read, and whenever it could not be.
Status ReadLandedFile(
    const UnitContext& context, std::size_t file, const RowLayout& layout,
    const std::function<Status(std::unique_ptr<format::LandedBatch> batch)>& take);

}  // namespace strandline::pipeline::ingest
