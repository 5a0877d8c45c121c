#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strandline/base/result.h"
#include "strandline/table/schema/value.h"

namespace strandline::table {

// https://iceberg.apache.org/spec/#partition-transforms
enum class TransformKind {
  kIdentity,
  kBucket,
  kTruncate,
  kYear,
  kMonth,
  kDay,
  kHour,
  kVoid,
  kUnknown
};

struct Transform {
  TransformKind kind = TransformKind::kIdentity;
  std::int32_t parameter = 0;  // Bucket count or truncate width.
  std::string text = {};       // The original spelling of an unknown transform.

  friend bool operator==(const Transform&, const Transform&) = default;
};

// `identity`, `bucket[16]`, `hour`, ...; an unknown name becomes kUnknown (readers ignore it,
// writers refuse it), a malformed parameter is kInvalidArgument.
Result<Transform> ParseTransform(std::string_view text);
std::string ToString(const Transform& transform);

// The type of the transform's result; kInvalidArgument when it cannot be applied to `source`.
// Year, month and hour give int; day gives date, as Java writes it.
Result<Type> TransformResultType(const Transform& transform, const Type& source);

// The partition value of one source value: floors towards minus infinity, truncates negatives
// downwards, hashes with murmur3 as Appendix B says. Null gives null. kInvalidArgument when the
// result leaves its type (an hour beyond 32 bits), kUnsupported for an unknown transform.
Result<Value> ApplyTransform(const Transform& transform, const Type& source, const Value& value);

// murmur3_x86_32 of a value, seed 0.
// https://iceberg.apache.org/spec/#appendix-b-32-bit-hash-requirements
std::int32_t BucketHash(const Type& type, const Value& value);

// The text of a partition value in paths and messages: `2026-11-30-05` for an hour, `null` for
// null.
std::string PartitionValueText(const Transform& transform, const Type& source, const Value& value);

}  // namespace strandline::table
