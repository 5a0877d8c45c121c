#include "strandline/table/write/internal/write_options.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/table/write/data_file_writer.h"

namespace strandline::table {
namespace {

constexpr std::string_view kCodec = "write.parquet.compression-codec";
constexpr std::string_view kLevel = "write.parquet.compression-level";
constexpr std::string_view kRowGroupRows = "write.parquet.row-group-limit";
constexpr std::string_view kRowGroupBytes = "write.parquet.row-group-size-bytes";
constexpr std::string_view kBloomColumn = "write.parquet.bloom-filter-enabled.column.";
constexpr std::string_view kDictionaryColumn = "write.parquet.dictionary-enabled.column.";
constexpr std::string_view kTargetFileBytes = "write.target-file-size-bytes";

constexpr std::int64_t kDefaultTargetFileBytes = std::int64_t{512} << 20;

// Iceberg's own names of codecs, and the level each is written with unless the table says.
struct Codec {
  std::string_view name;
  format::Compression compression;
  int default_level;
  int level_max;
};
constexpr Codec kCodecs[] = {
    {"zstd", format::Compression::kZstd, 1, 22}, {"snappy", format::Compression::kSnappy, 0, 0},
    {"gzip", format::Compression::kGzip, 6, 9},  {"uncompressed", format::Compression::kNone, 0, 0},
    {"none", format::Compression::kNone, 0, 0},
};

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Status SetCompression(const TableMetadata& metadata, format::ParquetWriteOptions& options) {
  const std::string name = Lower(PropertyOr(metadata, kCodec, kCodecs[0].name));
  const Codec* codec = std::find_if(std::begin(kCodecs), std::end(kCodecs),
                                    [&](const Codec& known) { return known.name == name; });
  if (codec == std::end(kCodecs)) {
    return MakeError(ErrorKind::kUnsupported, "table property {} names a codec we do not write: {}",
                     kCodec, name);
  }
  options.compression = codec->compression;
  options.compression_level = codec->default_level;
  if (codec->level_max > 0) {
    const std::optional<std::int64_t> level =
        SL_TRY(NumberProperty(metadata, kLevel, 1, codec->level_max));
    options.compression_level = static_cast<int>(level.value_or(codec->default_level));
  }
  return {};
}

// A field by its dotted path, unless it lies inside a list or a map: Parquet calls those otherwise.
const NestedField* FindInStructs(const std::vector<NestedField>& fields, std::string_view path) {
  for (const NestedField& field : fields) {
    if (field.name == path) {
      return &field;
    }
    if (field.type.id == TypeId::kStruct && path.size() > field.name.size() &&
        path.starts_with(field.name) && path[field.name.size()] == '.') {
      const NestedField* found =
          FindInStructs(field.type.fields, path.substr(field.name.size() + 1));
      if (found != nullptr) {
        return found;
      }
    }
  }
  return nullptr;
}

// Paths of primitive columns of `schema` for which the property `<prefix><path>` is `value`.
std::vector<std::string> ColumnsWith(const TableMetadata& metadata, const Schema& schema,
                                     std::string_view prefix, std::string_view value,
                                     bool (*suits)(const Type&)) {
  std::vector<std::string> columns;
  for (auto property = metadata.properties.lower_bound(std::string(prefix));
       property != metadata.properties.end() && property->first.starts_with(prefix); ++property) {
    const std::string path = property->first.substr(prefix.size());
    const NestedField* field = FindInStructs(schema.fields, path);
    if (field != nullptr && suits(field->type) && Lower(property->second) == value) {
      columns.push_back(path);
    }
  }
  return columns;
}

}  // namespace

Result<format::ParquetWriteOptions> WriteOptionsFor(const TableMetadata& metadata,
                                                    const Schema& schema) {
  format::ParquetWriteOptions options;
  SL_TRY(SetCompression(metadata, options));
  const std::optional<std::int64_t> rows =
      SL_TRY(NumberProperty(metadata, kRowGroupRows, 1, std::int64_t{1} << 31));
  options.row_group_rows = rows.value_or(options.row_group_rows);
  const std::optional<std::int64_t> bytes =
      SL_TRY(NumberProperty(metadata, kRowGroupBytes, 1, std::numeric_limits<std::int64_t>::max()));
  options.row_group_bytes =
      std::min(bytes.value_or(options.row_group_bytes), options.row_group_bytes);
  options.bloom_filter_columns = ColumnsWith(
      metadata, schema, kBloomColumn, "true",
      [](const Type& type) { return type.is_primitive() && type.id != TypeId::kBoolean; });
  options.plain_columns = ColumnsWith(metadata, schema, kDictionaryColumn, "false",
                                      [](const Type& type) { return type.is_primitive(); });
  return options;
}

Result<format::ParquetWriteOptions> WriteOptionsOf(const TableMetadata& metadata) {
  return WriteOptionsFor(metadata, CurrentSchema(metadata));
}

Result<std::int64_t> TargetFileBytes(const TableMetadata& metadata) {
  const std::optional<std::int64_t> bytes = SL_TRY(
      NumberProperty(metadata, kTargetFileBytes, 1, std::numeric_limits<std::int64_t>::max()));
  return bytes.value_or(kDefaultTargetFileBytes);
}

}  // namespace strandline::table
