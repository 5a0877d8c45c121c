#include "strandline/table/manifest/internal/entry_reader.h"

#include <array>
#include <utility>

namespace strandline::table::manifest_format {
namespace {

namespace avro = format::avro;

enum EntryTarget : int {
  kStatusTarget,
  kSnapshotIdTarget,
  kSequenceNumberTarget,
  kFileSequenceNumberTarget,
  kDataFileTarget,
};

enum FileTarget : int {
  kContentTarget,
  kFilePathTarget,
  kFileFormatTarget,
  kPartitionTarget,
  kRecordCountTarget,
  kFileSizeTarget,
  kColumnSizesTarget,
  kValueCountsTarget,
  kNullValueCountsTarget,
  kNanValueCountsTarget,
  kLowerBoundsTarget,
  kUpperBoundsTarget,
  kKeyMetadataTarget,
  kSplitOffsetsTarget,
  kEqualityIdsTarget,
  kSortOrderIdTarget,
  kReferencedDataFileTarget,
  kFileTargetCount,
};

std::vector<Wanted> WantedOfEntry() {
  return {
      {kStatus, Shape::kNumber, Presence::kRequired, kStatusTarget},
      {kSnapshotId, Shape::kNumber, Presence::kOptional, kSnapshotIdTarget},
      {kSequenceNumber, Shape::kNumber, Presence::kOptional, kSequenceNumberTarget},
      {kFileSequenceNumber, Shape::kNumber, Presence::kOptional, kFileSequenceNumberTarget},
      {kDataFile, Shape::kRecord, Presence::kRequired, kDataFileTarget},
  };
}

std::vector<Wanted> WantedOfFile(const ManifestReadOptions& options, bool is_partitioned) {
  std::vector<Wanted> wanted = {
      {kContent, Shape::kNumber, Presence::kRequired, kContentTarget},
      {kFilePath, Shape::kText, Presence::kRequired, kFilePathTarget},
      {kFileFormat, Shape::kText, Presence::kRequired, kFileFormatTarget},
      {kRecordCount, Shape::kNumber, Presence::kRequired, kRecordCountTarget},
      {kFileSize, Shape::kNumber, Presence::kRequired, kFileSizeTarget},
      {kKeyMetadata, Shape::kText, Presence::kOptional, kKeyMetadataTarget},
      {kEqualityIds, Shape::kNumbers, Presence::kOptional, kEqualityIdsTarget},
      {kSortOrderId, Shape::kNumber, Presence::kOptional, kSortOrderIdTarget},
      {kReferencedDataFile, Shape::kText, Presence::kOptional, kReferencedDataFileTarget},
  };
  const auto want = [&](const SpecField& field, Shape shape, FileTarget target) {
    wanted.push_back({field, shape, Presence::kOptional, target});
  };
  if (is_partitioned) {
    wanted.push_back({kPartition, Shape::kRecord, Presence::kRequired, kPartitionTarget});
  }
  if (options.column_sizes) {
    want(kColumnSizes, Shape::kRecords, kColumnSizesTarget);
    want(kSplitOffsets, Shape::kNumbers, kSplitOffsetsTarget);
  }
  if (options.bounds) {
    want(kValueCounts, Shape::kRecords, kValueCountsTarget);
    want(kNullValueCounts, Shape::kRecords, kNullValueCountsTarget);
    want(kNanValueCounts, Shape::kRecords, kNanValueCountsTarget);
    want(kLowerBounds, Shape::kRecords, kLowerBoundsTarget);
    want(kUpperBounds, Shape::kRecords, kUpperBoundsTarget);
  }
  return wanted;
}

struct MapLayout {
  FileTarget target;
  PairIds ids;
  Shape value;
};
constexpr std::array kMaps = {
    MapLayout{kColumnSizesTarget, kColumnSizesIds, Shape::kNumber},
    MapLayout{kValueCountsTarget, kValueCountsIds, Shape::kNumber},
    MapLayout{kNullValueCountsTarget, kNullValueCountsIds, Shape::kNumber},
    MapLayout{kNanValueCountsTarget, kNanValueCountsIds, Shape::kNumber},
    MapLayout{kLowerBoundsTarget, kLowerBoundsIds, Shape::kText},
    MapLayout{kUpperBoundsTarget, kUpperBoundsIds, Shape::kText},
};

// Fields without which an entry means nothing.
bool MayBeNull(FileTarget target) { return target >= kColumnSizesTarget; }

// A number of an enum whose values are 0, 1 and 2.
template <typename Enum>
Result<Enum> EnumOf(std::int64_t number) {
  if (number < 0 || number > 2) {
    return MakeError(ErrorKind::kCorrupt, "{} is outside of 0..2", number);
  }
  return static_cast<Enum>(number);
}

Result<std::int64_t> RowsOrBytes(std::int64_t number) {
  if (number < 0) {
    return MakeError(ErrorKind::kCorrupt, "a negative number: {}", number);
  }
  if (number > kRowsOrBytesMax) {
    return MakeError(ErrorKind::kCorrupt, "a number above {}: {}", kRowsOrBytesMax, number);
  }
  return number;
}

// The specification's names are in capitals for us; writers differ.
Result<std::string> FileFormatOf(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  constexpr std::array<std::string_view, 4> kKnown = {"PARQUET", "AVRO", "ORC", "PUFFIN"};
  if (std::ranges::find(kKnown, name) == kKnown.end()) {
    return MakeError(ErrorKind::kUnsupported, "unknown file format `{}`", text);
  }
  return name;
}

std::vector<FieldId> FieldIds(const std::vector<std::int64_t>& numbers, avro::Cursor& cursor) {
  std::vector<FieldId> ids;
  for (const std::int64_t number : numbers) {
    if (number != static_cast<std::int32_t>(number)) {
      cursor.Fail("a field id is no 32-bit number");
    }
    ids.emplace_back(static_cast<std::int32_t>(number));
  }
  return ids;
}

// The outcome of one field: malformed bytes come first, since values after them mean nothing.
Status Named(const Step& step, Status outcome, const avro::Cursor& cursor) {
  if (outcome && cursor.ok()) [[likely]] {
    return outcome;
  }
  Error error = cursor.ok() ? std::move(outcome).error() : cursor.error();
  return std::move(error).While(fmt::format("field `{}`", step.name));
}

}  // namespace

Result<EntryReader> EntryReader::Make(const avro::Schema& schema,
                                      std::vector<NestedField> partition_fields,
                                      const ManifestReadOptions& options) {
  if (schema.kind != avro::Kind::kRecord) {
    return MakeError(ErrorKind::kCorrupt, "the entries are no records");
  }
  EntryReader reader(options);
  reader.entry_steps_ = SL_TRY(PlanRecord(schema, WantedOfEntry()));
  const auto data_file =
      std::ranges::find(reader.entry_steps_, int{kDataFileTarget}, &Step::target);
  const avro::Schema& file_schema = *data_file->schema;
  const bool is_partitioned = !partition_fields.empty();
  reader.file_steps_ = SL_TRY(PlanRecord(file_schema, WantedOfFile(options, is_partitioned)));
  SL_TRY(reader.PlanFileParts());
  const auto partition =
      std::ranges::find(reader.file_steps_, int{kPartitionTarget}, &Step::target);
  if (partition != reader.file_steps_.end()) {
    reader.partition_ =
        SL_TRY(PartitionReader::Make(*partition->schema, std::move(partition_fields)));
  }
  return reader;
}

Status EntryReader::PlanFileParts() {
  pairs_.resize(kFileTargetCount);
  for (const Step& step : file_steps_) {
    if (const auto* const map = std::ranges::find(kMaps, step.target, &MapLayout::target);
        map != kMaps.end()) {
      pairs_[static_cast<std::size_t>(step.target)] =
          SL_TRY(PlanPairs(*step.schema, map->ids, map->value), "field `{}`", step.name);
    } else if (step.target == kSplitOffsetsTarget) {
      split_offset_ = SL_TRY(StepFor(*step.schema->items, 0, step.name));
    } else if (step.target == kEqualityIdsTarget) {
      equality_id_ = SL_TRY(StepFor(*step.schema->items, 0, step.name));
    }
  }
  return {};
}

Result<ManifestEntry> EntryReader::Read(avro::Cursor& cursor) const {
  ManifestEntry entry;
  for (const Step& step : entry_steps_) {
    if (step.target == kSkip) {
      cursor.Skip(*step.schema);
      SL_TRY(Named(step, {}, cursor));
    } else if (step.target == kDataFileTarget) {
      SL_TRY(ReadFile(step, cursor, entry.file));
    } else {
      SL_TRY(Named(step, ReadEntryField(step, cursor, entry), cursor));
    }
  }
  return entry;
}

Status EntryReader::ReadEntryField(const Step& step, avro::Cursor& cursor,
                                   ManifestEntry& entry) const {
  if (ReadsNull(step, cursor)) {
    return step.target == kStatusTarget ? MakeError(ErrorKind::kCorrupt, "it is null") : Status();
  }
  const std::int64_t number = cursor.Long();
  switch (EntryTarget{step.target}) {
    case kStatusTarget:
      entry.status = SL_TRY(EnumOf<EntryStatus>(number));
      break;
    case kSnapshotIdTarget:
      entry.snapshot_id = SnapshotId(number);
      break;
    case kSequenceNumberTarget:
      entry.sequence_number = SequenceNumber(number);
      break;
    case kFileSequenceNumberTarget:
      entry.file_sequence_number = SequenceNumber(number);
      break;
    case kDataFileTarget:
      break;
  }
  return {};
}

Status EntryReader::ReadFile(const Step& data_file, avro::Cursor& cursor, DataFile& file) const {
  if (ReadsNull(data_file, cursor)) {
    return Named(data_file, MakeError(ErrorKind::kCorrupt, "it is null"), cursor);
  }
  for (const Step& step : file_steps_) {
    if (step.target == kSkip) {
      cursor.Skip(*step.schema);
      SL_TRY(Named(step, {}, cursor));
    } else {
      SL_TRY(Named(step, ReadFileField(step, cursor, file), cursor));
    }
  }
  return {};
}

Status EntryReader::ReadFileField(const Step& step, avro::Cursor& cursor, DataFile& file) const {
  const auto target = FileTarget{step.target};
  if (ReadsNull(step, cursor)) {
    return MayBeNull(target) ? Status() : MakeError(ErrorKind::kCorrupt, "it is null");
  }
  const PairsPlan& pairs = pairs_[static_cast<std::size_t>(target)];
  switch (target) {
    case kContentTarget:
      file.content = SL_TRY(EnumOf<FileContent>(cursor.Long()));
      break;
    case kFilePathTarget:
      file.file_path = cursor.Bytes();
      break;
    case kFileFormatTarget:
      file.file_format = SL_TRY(FileFormatOf(cursor.Bytes()));
      break;
    case kPartitionTarget:
      file.partition = SL_TRY(partition_->Read(cursor));
      break;
    case kRecordCountTarget:
      file.record_count = SL_TRY(RowsOrBytes(cursor.Long()));
      break;
    case kFileSizeTarget:
      file.file_size_bytes = SL_TRY(RowsOrBytes(cursor.Long()));
      break;
    case kColumnSizesTarget:
      file.column_sizes = ReadCounts(pairs, filter_, cursor);
      break;
    case kValueCountsTarget:
      file.value_counts = ReadCounts(pairs, filter_, cursor);
      break;
    case kNullValueCountsTarget:
      file.null_value_counts = ReadCounts(pairs, filter_, cursor);
      break;
    case kNanValueCountsTarget:
      file.nan_value_counts = ReadCounts(pairs, filter_, cursor);
      break;
    case kLowerBoundsTarget:
      file.lower_bounds = ReadBounds(pairs, filter_, cursor);
      break;
    case kUpperBoundsTarget:
      file.upper_bounds = ReadBounds(pairs, filter_, cursor);
      break;
    case kKeyMetadataTarget:
      file.key_metadata = cursor.Bytes();
      break;
    case kSplitOffsetsTarget:
      file.split_offsets = ReadNumbers(split_offset_, cursor);
      break;
    case kEqualityIdsTarget:
      file.equality_ids = FieldIds(ReadNumbers(equality_id_, cursor), cursor);
      break;
    case kSortOrderIdTarget:
      file.sort_order_id = SortOrderId(ReadInt32(cursor));
      break;
    case kReferencedDataFileTarget:
      file.referenced_data_file = cursor.Bytes();
      break;
    case kFileTargetCount:
      break;
  }
  return {};
}

}  // namespace strandline::table::manifest_format
