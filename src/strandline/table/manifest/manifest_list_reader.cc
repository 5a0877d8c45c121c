#include <limits>
#include <utility>

#include "strandline/format/avro/avro.h"
#include "strandline/table/manifest/internal/manifest_avro.h"
#include "strandline/table/manifest/internal/manifest_fields.h"
#include "strandline/table/manifest/internal/record_plan.h"
#include "strandline/table/manifest/manifest.h"

// https://iceberg.apache.org/spec/#manifest-lists

namespace strandline::table {
namespace manifest_format {
namespace {

namespace avro = format::avro;

enum LineTarget : int {
  kManifestPathTarget,
  kManifestLengthTarget,
  kPartitionSpecIdTarget,
  kManifestContentTarget,
  kManifestSequenceNumberTarget,
  kMinSequenceNumberTarget,
  kAddedSnapshotIdTarget,
  kAddedFilesCountTarget,  // From here on a field may be null.
  kExistingFilesCountTarget,
  kDeletedFilesCountTarget,
  kAddedRowsCountTarget,
  kExistingRowsCountTarget,
  kDeletedRowsCountTarget,
  kPartitionsTarget,
  kManifestKeyMetadataTarget,
};

enum SummaryTarget : int {
  kContainsNullTarget,
  kContainsNanTarget,
  kLowerBoundTarget,
  kUpperBoundTarget,
};

// No number of a line may be above these, so that the sums over a list cannot leave 64 bits.
constexpr std::int64_t kManifestLengthMax = std::int64_t{1} << 40;
constexpr std::int64_t kFilesCountMax = std::numeric_limits<std::int32_t>::max();

// Zero or more, and not above `max`.
Result<std::int64_t> ReadUpTo(std::int64_t max, avro::Cursor& cursor) {
  const std::int64_t value = cursor.Long();
  if (value < 0 || value > max) {
    return MakeError(ErrorKind::kCorrupt, "it is outside 0..{}: {}", max, value);
  }
  return value;
}

Result<SequenceNumber> ReadSequenceNumber(avro::Cursor& cursor) {
  const std::int64_t number = SL_TRY(ReadUpTo(kSequenceNumberMax, cursor));
  return SequenceNumber(number);
}

std::vector<Wanted> WantedOfLine() {
  constexpr Presence kMust = Presence::kRequired;
  constexpr Presence kMay = Presence::kOptional;
  return {
      {kManifestPath, Shape::kText, kMust, kManifestPathTarget},
      {kManifestLength, Shape::kNumber, kMust, kManifestLengthTarget},
      {kPartitionSpecId, Shape::kNumber, kMust, kPartitionSpecIdTarget},
      {kManifestContent, Shape::kNumber, kMust, kManifestContentTarget},
      {kManifestSequenceNumber, Shape::kNumber, kMust, kManifestSequenceNumberTarget},
      {kMinSequenceNumber, Shape::kNumber, kMay, kMinSequenceNumberTarget},
      {kAddedSnapshotId, Shape::kNumber, kMust, kAddedSnapshotIdTarget},
      {kAddedFilesCount, Shape::kNumber, kMay, kAddedFilesCountTarget},
      {kExistingFilesCount, Shape::kNumber, kMay, kExistingFilesCountTarget},
      {kDeletedFilesCount, Shape::kNumber, kMay, kDeletedFilesCountTarget},
      {kAddedRowsCount, Shape::kNumber, kMay, kAddedRowsCountTarget},
      {kExistingRowsCount, Shape::kNumber, kMay, kExistingRowsCountTarget},
      {kDeletedRowsCount, Shape::kNumber, kMay, kDeletedRowsCountTarget},
      {kPartitions, Shape::kRecords, kMay, kPartitionsTarget},
      {kManifestKeyMetadata, Shape::kText, kMay, kManifestKeyMetadataTarget},
  };
}

std::vector<Wanted> WantedOfSummary() {
  return {
      {kContainsNull, Shape::kTruth, Presence::kOptional, kContainsNullTarget},
      {kContainsNan, Shape::kTruth, Presence::kOptional, kContainsNanTarget},
      {kLowerBound, Shape::kText, Presence::kOptional, kLowerBoundTarget},
      {kUpperBound, Shape::kText, Presence::kOptional, kUpperBoundTarget},
  };
}

// Reads the lines of one list, planned once from the writer's schema, which must outlive it.
class LineReader {
 public:
  static Result<LineReader> Make(const avro::Schema& schema) {
    if (schema.kind != avro::Kind::kRecord) {
      return MakeError(ErrorKind::kCorrupt, "the lines are no records");
    }
    LineReader reader;
    reader.line_steps_ = SL_TRY(PlanRecord(schema, WantedOfLine()));
    for (const Step& step : reader.line_steps_) {
      if (step.target == kPartitionsTarget) {
        reader.summary_ = SL_TRY(StepFor(*step.schema->items, 0, step.name));
        reader.summary_steps_ =
            SL_TRY(PlanRecord(*reader.summary_.schema, WantedOfSummary()), "`{}`", step.name);
      }
    }
    return reader;
  }

  Result<ManifestFile> Read(avro::Cursor& cursor) const {
    ManifestFile line;
    for (const Step& step : line_steps_) {
      const Status outcome = ReadField(step, cursor, line);
      if (!cursor.ok() || !outcome) {
        Error error = cursor.ok() ? outcome.error() : cursor.error();
        return std::move(error).While(fmt::format("field `{}`", step.name));
      }
    }
    return line;
  }

 private:
  LineReader() = default;

  Status ReadField(const Step& step, avro::Cursor& cursor, ManifestFile& line) const;
  std::vector<PartitionFieldSummary> ReadSummaries(avro::Cursor& cursor) const;
  PartitionFieldSummary ReadSummary(avro::Cursor& cursor) const;

  std::vector<Step> line_steps_;
  Step summary_;
  std::vector<Step> summary_steps_;
};

Status LineReader::ReadField(const Step& step, avro::Cursor& cursor, ManifestFile& line) const {
  if (step.target == kSkip) {
    cursor.Skip(*step.schema);
    return {};
  }
  const auto target = LineTarget{step.target};
  if (ReadsNull(step, cursor)) {
    return target >= kAddedFilesCountTarget || target == kMinSequenceNumberTarget
               ? Status()
               : MakeError(ErrorKind::kCorrupt, "it is null");
  }
  switch (target) {
    case kManifestPathTarget:
      line.manifest_path = cursor.Bytes();
      break;
    case kManifestLengthTarget:
      line.manifest_length = SL_TRY(ReadUpTo(kManifestLengthMax, cursor));
      break;
    case kPartitionSpecIdTarget:
      line.partition_spec_id = SpecId(ReadInt32(cursor));
      break;
    case kManifestContentTarget: {
      const std::int64_t content = cursor.Long();
      if (content != 0 && content != 1) {
        return MakeError(ErrorKind::kUnsupported, "a manifest of unknown content: {}", content);
      }
      line.content = static_cast<ManifestContent>(content);
      break;
    }
    case kManifestSequenceNumberTarget:
      line.sequence_number = SL_TRY(ReadSequenceNumber(cursor));
      break;
    case kMinSequenceNumberTarget:
      line.min_sequence_number = SL_TRY(ReadSequenceNumber(cursor));
      break;
    case kAddedSnapshotIdTarget:
      line.added_snapshot_id = SnapshotId(cursor.Long());
      break;
    case kAddedFilesCountTarget:
      line.added_files_count = SL_TRY(ReadUpTo(kFilesCountMax, cursor));
      break;
    case kExistingFilesCountTarget:
      line.existing_files_count = SL_TRY(ReadUpTo(kFilesCountMax, cursor));
      break;
    case kDeletedFilesCountTarget:
      line.deleted_files_count = SL_TRY(ReadUpTo(kFilesCountMax, cursor));
      break;
    case kAddedRowsCountTarget:
      line.added_rows_count = SL_TRY(ReadUpTo(kRowsOrBytesMax, cursor));
      break;
    case kExistingRowsCountTarget:
      line.existing_rows_count = SL_TRY(ReadUpTo(kRowsOrBytesMax, cursor));
      break;
    case kDeletedRowsCountTarget:
      line.deleted_rows_count = SL_TRY(ReadUpTo(kRowsOrBytesMax, cursor));
      break;
    case kPartitionsTarget:
      line.partitions = ReadSummaries(cursor);
      break;
    case kManifestKeyMetadataTarget:
      line.key_metadata = cursor.Bytes();
      break;
  }
  return {};
}

std::vector<PartitionFieldSummary> LineReader::ReadSummaries(avro::Cursor& cursor) const {
  std::vector<PartitionFieldSummary> summaries;
  while (const std::int64_t count = cursor.BlockCount()) {
    for (std::int64_t index = 0; index < count && cursor.ok(); ++index) {
      summaries.push_back(ReadSummary(cursor));
    }
  }
  return summaries;
}

PartitionFieldSummary LineReader::ReadSummary(avro::Cursor& cursor) const {
  PartitionFieldSummary summary;
  summary.contains_null = true;  // Unless it says otherwise.
  if (ReadsNull(summary_, cursor)) {
    return summary;
  }
  for (const Step& step : summary_steps_) {
    if (step.target == kSkip) {
      cursor.Skip(*step.schema);
    } else if (ReadsNull(step, cursor)) {
      continue;
    } else if (step.target == kContainsNullTarget) {
      summary.contains_null = cursor.Bool();
    } else if (step.target == kContainsNanTarget) {
      summary.contains_nan = cursor.Bool();
    } else if (step.target == kLowerBoundTarget) {
      summary.lower_bound = cursor.Bytes();
    } else {
      summary.upper_bound = cursor.Bytes();
    }
  }
  return summary;
}

}  // namespace
}  // namespace manifest_format

Result<std::vector<ManifestFile>> ReadManifestList(io::FileIo& io, const Snapshot& snapshot) {
  namespace avro = format::avro;
  using manifest_format::LineReader;
  const std::string& path = snapshot.manifest_list;
  if (path.empty()) {
    return MakeError(ErrorKind::kUnsupported,
                     "snapshot {} lists its manifests inline (format version 1)", snapshot.id);
  }
  const std::string bytes = SL_TRY(io::ReadFile(io, path), "reading manifest list {}", path);
  std::optional<LineReader> reader;
  avro::SchemaPtr schema;  // Outlives the reader.
  const auto read_header = [&](const avro::Header& header) -> Status {
    schema = header.schema;
    const bool has_sequence_numbers =
        manifest_format::HasField(*schema, manifest_format::kManifestSequenceNumber);
    SL_TRY(manifest_format::CheckVersion(header, has_sequence_numbers));
    reader = SL_TRY(LineReader::Make(*schema));
    return {};
  };
  std::vector<ManifestFile> lines;
  const auto read_line = [&](avro::Decoder& decoder) -> Result<bool> {
    lines.push_back(SL_TRY(reader->Read(decoder.cursor()), "line {}", lines.size()));
    return true;
  };
  SL_TRY(avro::ReadContainer(bytes, read_header, read_line), "reading manifest list {}", path);
  return lines;
}

}  // namespace strandline::table
