#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/clock.h"
#include "strandline/catalog/table_name.h"
#include "strandline/pipeline/ingest/landed_file.h"
#include "strandline/pipeline/state/fingerprints.h"
#include "strandline/table/metadata/table_metadata.h"

namespace strandline::pipeline {

// What our snapshots say of the units they published (the summary keys of docs/STATE.md), while
// they are retained. For explanations, and for not reading landed files twice; never needed to
// decide whether a unit is fresh (rule 13).

// One unit in `strandline.units`.
struct RecordedUnit {
  Timestamp unit;
  std::int64_t stamp = 0;
  std::optional<std::int64_t> logic;
  bool complete = true;
};

std::string RecordedUnitsJson(const std::vector<RecordedUnit>& units);

// One input in `strandline.inputs`.
struct RecordedInput {
  std::string table;
  std::optional<table::SnapshotId> snapshot;
  std::vector<PartitionDigest> partitions;  // By short name: `2026-11-30-05`.
};

std::string RecordedInputsJson(const std::vector<RecordedInput>& inputs);

// `event_time_hour=2026-11-30-05/country=DE` as `2026-11-30-05/DE`.
std::string ShortPartition(std::string_view path);

// `strandline.files`: `16:<hashes>`, eight bytes each in hexadecimal; no hashes above 500 files.
std::string RecordedFilesText(const std::vector<LandedFile>& files);

// The newest retained ancestor of `main` that published `unit`; null when none is left.
const table::Snapshot* PublishingSnapshot(const table::TableMetadata& metadata, Timestamp unit);

// What that snapshot read. Empty when it recorded nothing that can be read.
std::vector<RecordedInput> RecordedInputsOf(const table::Snapshot& snapshot);
std::optional<RecordedUnit> RecordedUnitOf(const table::Snapshot& snapshot, Timestamp unit);

// The files of `files` that the snapshot recorded as read.
std::vector<LandedFile> AlreadyRead(const table::Snapshot& snapshot,
                                    const std::vector<LandedFile>& files);

// How the inputs now differ from those recorded: `ads.impressions 04:00Z: version 6 → 9`, one line
// a partition, at most `lines_max` and then a count.
std::vector<std::string> DescribeChanges(const std::vector<RecordedInput>& recorded,
                                         const std::vector<InputDigest>& now,
                                         std::size_t lines_max);

}  // namespace strandline::pipeline
