#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/clock.h"
#include "strandline/catalog/table_name.h"
#include "strandline/pipeline/ingest/landed_file.h"
#include "strandline/project/project.h"
#include "strandline/table/schema/schema.h"

namespace strandline::pipeline {

// The fingerprints of STATE.md: pure functions from what a unit reads, or how it computes, to one
// number. Scheme version 1; on disk for ever (fingerprints_test.cc has the golden values).

// One watched partition that has live rows, and the digest of its content (rule 5).
struct PartitionDigest {
  std::string partition;  // PartitionPath of its tuple: `event_time_hour=2026-11-30-05`.
  std::string
      digest;  // A version in decimal, or the hexadecimal hash of a foreign partition's files.

  friend auto operator<=>(const PartitionDigest&, const PartitionDigest&) = default;
};

// What a window watches of one input.
struct InputDigest {
  std::string table;  // Logical name: `ads.impressions`.
  std::vector<PartitionDigest> partitions;

  friend auto operator<=>(const InputDigest&, const InputDigest&) = default;
};

// Rule 7: H(scheme version, per input its name, the number of its partitions and each with its
// digest). The order of what is given does not matter.
std::int64_t StampOfWindow(std::vector<InputDigest> inputs);

// The columns of an input that a model's SQL can name, for all we know without binding it.
std::vector<const table::NestedField*> ColumnsRead(const project::Model& model,
                                                   const table::Schema& input);

// Rule 14: H(scheme version, source, tenant, unit, per file its name, size and version). `tenant`
// is empty until there are tenants.
std::int64_t StampOfLandingUnit(std::string_view source, std::string_view tenant, Timestamp unit,
                                std::vector<LandedFile> files);

// Rule 5, for a table that does not carry `_strand_seq`: hash of the sorted paths of a partition's
// live data and delete files.
std::string DigestOfFiles(std::vector<std::string> paths);

// Rule 8: H(our token-normalised SQL, the settings that change results, engine, revision, and field
// id, type and default of each input column that the SQL can name). `engine` is the engine's name
// without its version.
std::int64_t LogicOfModel(const project::Model& model, std::string_view engine,
                          const std::map<catalog::TableName, table::Schema>& inputs);

}  // namespace strandline::pipeline
