#include "strandline/table/manifest/internal/manifest_avro.h"

#include <array>
#include <limits>
#include <set>
#include <utility>

#include "strandline/base/hash.h"
#include "strandline/table/json/json.h"
#include "strandline/table/manifest/internal/manifest_fields.h"

namespace strandline::table::manifest_format {
namespace {

namespace avro = format::avro;
using avro::Kind;
using avro::Primitive;
using avro::SchemaPtr;

avro::Field Required(const SpecField& field, SchemaPtr schema) {
  avro::Field required;
  required.name = field.name;
  required.schema = std::move(schema);
  required.field_id = field.id;
  required.doc = field.doc;
  return required;
}

avro::Field Optional(const SpecField& field, SchemaPtr schema) {
  avro::Field optional = Required(field, avro::Optional(std::move(schema)));
  optional.default_json = "null";
  return optional;
}

// Avro's own maps have text keys only; the specification says lists of pairs.
SchemaPtr PairsOf(PairIds ids, SchemaPtr value) {
  const std::string name = fmt::format("k{}_v{}", ids.key, ids.value);
  const std::vector<avro::Field> fields = {
      Required({ids.key, "key", ""}, Primitive(Kind::kInt)),
      Required({ids.value, "value", ""}, std::move(value)),
  };
  avro::Schema pairs;
  pairs.kind = Kind::kArray;
  pairs.items = avro::RecordOf(name, fields);
  pairs.logical_type = "map";
  return std::make_shared<const avro::Schema>(std::move(pairs));
}

SchemaPtr Logical(Kind kind, std::string_view logical_type) {
  avro::Schema schema = *Primitive(kind);
  schema.logical_type = logical_type;
  return std::make_shared<const avro::Schema>(std::move(schema));
}

SchemaPtr TimestampSchema(std::string_view logical_type, bool has_zone) {
  avro::Schema schema = *Logical(Kind::kLong, logical_type);
  schema.attributes["adjust-to-utc"] = has_zone ? "true" : "false";
  return std::make_shared<const avro::Schema>(std::move(schema));
}

// A name not used before in this struct: different Iceberg names can be one Avro name, and Avro's
// types must not be defined twice.
std::string Unused(std::string name, FieldId field_id, std::set<std::string>& used) {
  if (!used.insert(name).second) {
    name += fmt::format("_{}", field_id);
    used.insert(name);
  }
  return name;
}

SchemaPtr FixedSchema(const NestedField& field, std::set<std::string>& type_names) {
  const Type& type = field.type;
  std::string name;
  std::int32_t size = type.length;
  if (type.id == TypeId::kUuid) {
    name = "uuid_fixed";
    size = 16;
  } else if (type.id == TypeId::kDecimal) {
    name = fmt::format("decimal_{}_{}", type.precision, type.scale);
    size = DecimalBytes(type.precision);
  } else {
    name = fmt::format("fixed_{}", type.length);
  }
  avro::Schema schema = *avro::FixedOf(Unused(std::move(name), field.id, type_names), size);
  if (type.id == TypeId::kDecimal) {
    schema.logical_type = "decimal";
    schema.precision = type.precision;
    schema.scale = type.scale;
  } else if (type.id == TypeId::kUuid) {
    schema.logical_type = "uuid";
  }
  return std::make_shared<const avro::Schema>(std::move(schema));
}

// https://iceberg.apache.org/spec/#avro
// Null for the types of HoldsOnlyNulls().
SchemaPtr TypeSchema(const NestedField& field, std::set<std::string>& type_names) {
  switch (field.type.id) {
    case TypeId::kBoolean:
      return Primitive(Kind::kBoolean);
    case TypeId::kInt:
      return Primitive(Kind::kInt);
    case TypeId::kLong:
      return Primitive(Kind::kLong);
    case TypeId::kFloat:
      return Primitive(Kind::kFloat);
    case TypeId::kDouble:
      return Primitive(Kind::kDouble);
    case TypeId::kDate:
      return Logical(Kind::kInt, "date");
    case TypeId::kTime:
      return Logical(Kind::kLong, "time-micros");
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
      return TimestampSchema("timestamp-micros", field.type.id == TypeId::kTimestamptz);
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return TimestampSchema("timestamp-nanos", field.type.id == TypeId::kTimestamptzNs);
    case TypeId::kString:
      return Primitive(Kind::kString);
    case TypeId::kBinary:
      return Primitive(Kind::kBytes);
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kDecimal:
      return FixedSchema(field, type_names);
    case TypeId::kUnknown:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      break;
  }
  return Primitive(Kind::kNull);
}

}  // namespace

bool HoldsOnlyNulls(const Type& type) {
  return type.id == TypeId::kUnknown || !type.is_primitive();
}

namespace {

SchemaPtr PartitionSchema(const std::vector<NestedField>& partition_fields) {
  std::set<std::string> field_names;
  std::set<std::string> type_names;
  std::vector<avro::Field> fields;
  for (const NestedField& partition_field : partition_fields) {
    const std::string sanitized = avro::SanitizedName(partition_field.name);
    const std::string name = Unused(sanitized, partition_field.id, field_names);
    SchemaPtr schema = TypeSchema(partition_field, type_names);
    const SpecField spec_field = {partition_field.id.value(), name, ""};
    avro::Field field =
        schema->kind == Kind::kNull ? Required(spec_field, schema) : Optional(spec_field, schema);
    if (name != partition_field.name) {
      field.attributes["iceberg-field-name"] = JsonText(Json(partition_field.name));
    }
    fields.push_back(std::move(field));
  }
  return avro::RecordOf("r102", std::move(fields));
}

SchemaPtr DataFileSchema(const std::vector<NestedField>& partition_fields) {
  const SchemaPtr number = Primitive(Kind::kLong);
  const SchemaPtr text = Primitive(Kind::kString);
  const SchemaPtr bytes = Primitive(Kind::kBytes);
  const SchemaPtr small = Primitive(Kind::kInt);
  return avro::RecordOf(
      "r2",
      {Required(kContent, small), Required(kFilePath, text), Required(kFileFormat, text),
       Required(kPartition, PartitionSchema(partition_fields)), Required(kRecordCount, number),
       Required(kFileSize, number), Optional(kColumnSizes, PairsOf(kColumnSizesIds, number)),
       Optional(kValueCounts, PairsOf(kValueCountsIds, number)),
       Optional(kNullValueCounts, PairsOf(kNullValueCountsIds, number)),
       Optional(kNanValueCounts, PairsOf(kNanValueCountsIds, number)),
       Optional(kLowerBounds, PairsOf(kLowerBoundsIds, bytes)),
       Optional(kUpperBounds, PairsOf(kUpperBoundsIds, bytes)), Optional(kKeyMetadata, bytes),
       Optional(kSplitOffsets, avro::ArrayOf(number, kSplitOffsetsElementId)),
       Optional(kEqualityIds, avro::ArrayOf(small, kEqualityIdsElementId)),
       Optional(kSortOrderId, small), Optional(kReferencedDataFile, text)});
}

// A property of manifests, or else of Avro files in general.
std::string PackingProperty(const TableMetadata& metadata, std::string_view name,
                            std::string_view fallback) {
  return PropertyOr(metadata, fmt::format("write.manifest.{}", name),
                    PropertyOr(metadata, fmt::format("write.avro.{}", name), fallback));
}

}  // namespace

Result<std::vector<NestedField>> PartitionFieldsOf(const TableMetadata& metadata,
                                                   const PartitionSpec& spec) {
  Schema sources;
  for (const PartitionField& field : spec.fields) {
    const NestedField* source = FindField(CurrentSchema(metadata), field.source_id);
    for (auto schema = metadata.schemas.rbegin();
         source == nullptr && schema != metadata.schemas.rend(); ++schema) {
      source = FindField(*schema, field.source_id);
    }
    if (source != nullptr && FindField(sources, field.source_id) == nullptr) {
      sources.fields.push_back(*source);
    }
  }
  return PartitionType(spec, sources);
}

SchemaPtr EntrySchema(const std::vector<NestedField>& partition_fields) {
  return avro::RecordOf("manifest_entry", {Required(kStatus, Primitive(Kind::kInt)),
                                           Optional(kSnapshotId, Primitive(Kind::kLong)),
                                           Optional(kSequenceNumber, Primitive(Kind::kLong)),
                                           Optional(kFileSequenceNumber, Primitive(Kind::kLong)),
                                           Required(kDataFile, DataFileSchema(partition_fields))});
}

SchemaPtr ManifestListSchema() {
  const SchemaPtr number = Primitive(Kind::kLong);
  const SchemaPtr bytes = Primitive(Kind::kBytes);
  const SchemaPtr truth = Primitive(Kind::kBoolean);
  const SchemaPtr small = Primitive(Kind::kInt);
  const SchemaPtr summary =
      avro::RecordOf("r508", {Required(kContainsNull, truth), Optional(kContainsNan, truth),
                              Optional(kLowerBound, bytes), Optional(kUpperBound, bytes)});
  return avro::RecordOf(
      "manifest_file",
      {Required(kManifestPath, Primitive(Kind::kString)), Required(kManifestLength, number),
       Required(kPartitionSpecId, small), Required(kManifestContent, small),
       Required(kManifestSequenceNumber, number), Required(kMinSequenceNumber, number),
       Required(kAddedSnapshotId, number), Required(kAddedFilesCount, small),
       Required(kExistingFilesCount, small), Required(kDeletedFilesCount, small),
       Required(kAddedRowsCount, number), Required(kExistingRowsCount, number),
       Required(kDeletedRowsCount, number),
       Optional(kPartitions, avro::ArrayOf(summary, kPartitionsElementId)),
       Optional(kManifestKeyMetadata, bytes)});
}

std::int32_t DecimalBytes(std::int32_t precision) {
  Int128 largest = 1;
  for (std::int32_t digit = 0; digit < precision; ++digit) {
    largest *= 10;
  }
  // One bit is the sign's.
  std::int32_t bytes = 1;
  while (bytes < 16 && (largest - 1) >> (8 * bytes - 1) != 0) {
    ++bytes;
  }
  return bytes;
}

Result<Packing> PackingOf(const TableMetadata& metadata) {
  struct CodecName {
    std::string_view name;
    avro::Codec codec;
  };
  // Iceberg's names and Avro's.
  constexpr std::array kNames = {
      CodecName{"gzip", avro::Codec::kDeflate},   CodecName{"deflate", avro::Codec::kDeflate},
      CodecName{"zstd", avro::Codec::kZstandard}, CodecName{"zstandard", avro::Codec::kZstandard},
      CodecName{"snappy", avro::Codec::kSnappy},  CodecName{"uncompressed", avro::Codec::kNull},
      CodecName{"none", avro::Codec::kNull},      CodecName{"null", avro::Codec::kNull},
  };
  const std::string name = PackingProperty(metadata, "compression-codec", "gzip");
  const auto* const found = std::ranges::find(kNames, name, &CodecName::name);
  if (found == kNames.end()) {
    return MakeError(ErrorKind::kUnsupported, "manifests cannot be packed with codec `{}`", name);
  }
  Packing packing{.codec = found->codec, .level = std::nullopt};
  const std::int64_t level = IntPropertyOr(
      metadata, "write.manifest.compression-level",
      IntPropertyOr(metadata, "write.avro.compression-level", std::numeric_limits<int>::min()));
  // No codec has levels beyond these; Java takes -1 for the codec's usual one.
  if (level > 0 && level <= 22) {
    packing.level = static_cast<int>(level);
  }
  return packing;
}

std::string SyncMarker(std::string_view location) {
  const Hash128 hash = HashKey(location);
  std::string marker;
  for (const std::uint64_t half : {hash.high, hash.low}) {
    for (int shift = 56; shift >= 0; shift -= 8) {
      marker += static_cast<char>(half >> shift);
    }
  }
  return marker;
}

Status CheckVersion(const avro::Header& header, bool has_sequence_numbers) {
  const auto found = header.metadata.find(std::string(kFormatVersionKey));
  const std::string_view version = found != header.metadata.end() ? std::string_view(found->second)
                                   : has_sequence_numbers         ? "2"
                                                                  : "1";
  if (version != kFormatVersion) {
    return MakeError(ErrorKind::kUnsupported, "a file of format version {}, not {}", version,
                     kFormatVersion);
  }
  return {};
}

}  // namespace strandline::table::manifest_format
