#pragma once

#include <optional>
#include <vector>

#include "strandline/format/avro/avro.h"
#include "strandline/table/manifest/internal/partition_values.h"
#include "strandline/table/manifest/internal/record_plan.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::table::manifest_format {

// Reads the entries of one manifest: what to take and what to pass over is decided once, from the
// writer's schema.
class EntryReader {
 public:
  // `schema` must outlive the reader. kCorrupt names a field that is missing or of an impossible
  // type.
  static Result<EntryReader> Make(const format::avro::Schema& schema,
                                  std::vector<NestedField> partition_fields,
                                  const ManifestReadOptions& options);

  // The entry as it was written, before inheritance. kCorrupt with the field's name.
  Result<ManifestEntry> Read(format::avro::Cursor& cursor) const;

 private:
  explicit EntryReader(const ManifestReadOptions& options) : filter_(options.columns) {}

  Status PlanFileParts();
  Status ReadEntryField(const Step& step, format::avro::Cursor& cursor, ManifestEntry& entry) const;
  Status ReadFile(const Step& data_file, format::avro::Cursor& cursor, DataFile& file) const;
  Status ReadFileField(const Step& step, format::avro::Cursor& cursor, DataFile& file) const;

  ColumnFilter filter_;
  std::vector<Step> entry_steps_;
  std::vector<Step> file_steps_;
  std::optional<PartitionReader> partition_;  // Absent when the spec has no fields.
  std::vector<PairsPlan> pairs_;              // By file target; empty plans for others.
  Step split_offset_;
  Step equality_id_;
};

}  // namespace strandline::table::manifest_format
