#include "strandline/table/partition/partition_spec.h"

#include <algorithm>

#include "strandline/base/hash.h"
#include "strandline/io/location.h"

namespace strandline::table {
namespace {

// File systems allow 255 bytes; ours may get a suffix.
constexpr std::size_t kFolderNameBytesMax = 200;

// The type of a partition field's source column; unknown when the column is gone.
Type SourceType(const PartitionField& field, const Schema& schema) {
  const NestedField* const source = FindField(schema, field.source_id);
  return source == nullptr ? PrimitiveType(TypeId::kUnknown) : source->type;
}

// A level that no file system would take is cut, and told apart by a fingerprint of what it was. A
// path is only a name: the values are in the manifests.
std::string Shortened(std::string level) {
  if (level.size() <= kFolderNameBytesMax) {
    return level;
  }
  const std::string suffix = "-" + FingerprintText(Fingerprint().Add(level).Finish());
  std::size_t kept = kFolderNameBytesMax - suffix.size();
  // Not through the middle of an escape such as %2F.
  const std::size_t escape = level.rfind('%', kept - 1);
  if (escape != std::string::npos && escape + 3 > kept) {
    kept = escape;
  }
  level.resize(kept);
  return level + suffix;
}

// -1, 0 or 1 as in <=>; null first, then by C++ type, then by value.
std::strong_ordering ComparePartitionValues(const Value& a, const Value& b) {
  if (a.index() != b.index() || IsNull(a)) {
    return a.index() <=> b.index();
  }
  return CompareValues(a, b);
}

}  // namespace

Result<std::vector<NestedField>> PartitionType(const PartitionSpec& spec, const Schema& schema) {
  std::vector<NestedField> fields;
  for (const PartitionField& field : spec.fields) {
    const Result<Type> type = TransformResultType(field.transform, SourceType(field, schema));
    if (!type) {
      return MakeError(ErrorKind::kCorrupt, "partition field {} of spec {}: {}", field.name,
                       spec.id, type.error().message);
    }
    fields.push_back({.id = field.field_id, .name = field.name, .type = *type, .required = false});
  }
  return fields;
}

std::string PartitionFieldName(const Transform& transform, std::string_view column) {
  switch (transform.kind) {
    case TransformKind::kIdentity:
      return std::string(column);
    case TransformKind::kBucket:
      return fmt::format("{}_bucket", column);
    case TransformKind::kTruncate:
      return fmt::format("{}_trunc", column);
    default:
      return fmt::format("{}_{}", column, ToString(transform));
  }
}

std::string PartitionPath(const PartitionSpec& spec, const Schema& schema,
                          const PartitionTuple& tuple) {
  SL_CHECK(tuple.size() == spec.fields.size());
  std::string path;
  for (std::size_t i = 0; i < tuple.size(); ++i) {
    const PartitionField& field = spec.fields[i];
    const std::string value =
        PartitionValueText(field.transform, SourceType(field, schema), tuple[i]);
    path += path.empty() ? "" : "/";
    path += Shortened(
        fmt::format("{}={}", io::EscapePartitionText(field.name), io::EscapePartitionText(value)));
  }
  return path;
}

std::string PartitionText(const PartitionSpec& spec, const Schema& schema,
                          const PartitionTuple& tuple) {
  SL_CHECK(tuple.size() == spec.fields.size());
  std::string text;
  for (std::size_t i = 0; i < tuple.size(); ++i) {
    const PartitionField& field = spec.fields[i];
    text += text.empty() ? "" : ", ";
    text += PartitionValueText(field.transform, SourceType(field, schema), tuple[i]);
  }
  return text;
}

bool PartitionLess(const PartitionTuple& a, const PartitionTuple& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](const Value& left, const Value& right) {
                                        return ComparePartitionValues(left, right) < 0;
                                      });
}

bool IsSamePartition(const PartitionTuple& a, const PartitionTuple& b) {
  return !PartitionLess(a, b) && !PartitionLess(b, a);
}

}  // namespace strandline::table
