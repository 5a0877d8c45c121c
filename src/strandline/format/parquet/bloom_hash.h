#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"

namespace strandline::format {

// Hashes as Parquet's bloom filters define them: XXH64 with seed 0 over the plain encoding of a
// value, byte arrays without their length.
// https://parquet.apache.org/docs/file-format/bloomfilter/
//
//   const auto filter = SL_TRY(file->ReadBloomFilter(row_group, column));
//   const auto hashes = SL_TRY(BloomHashes(*keys));   // keys: of the type the file's schema says
//   ... if (filter != nullptr && !filter->MayContain(hashes[i])) { /* surely not in there */ }
std::uint64_t BloomHash(std::string_view plain_bytes);

// How values of an Arrow type lie in a file that our writer made.
enum class PhysicalKind { kInt32, kInt64, kFloat, kDouble, kByteArray, kFixedBytes };
struct PhysicalType {
  PhysicalKind kind = PhysicalKind::kInt64;
  std::int32_t length = 0;  // Fixed bytes only.

  friend bool operator==(const PhysicalType&, const PhysicalType&) = default;
};

// Absent for types that bloom filters cannot hold: booleans (Parquet has no filters for them),
// nested types, and types whose values are stored converted (timestamps in seconds).
std::optional<PhysicalType> BloomPhysicalType(const arrow::DataType& type);

// One hash for each row. `values` must have the type that ParquetFile::schema() gives to the column
// asked (hashes of an int are no hashes of a long: cast first), dictionaries excepted: they hash as
// their values. Rows that are null get 0 and are not to be asked: filters hold no nulls. All NaNs
// hash as one, see BloomFilter::MayContain. kUnsupported for types without a BloomPhysicalType.
Result<std::vector<std::uint64_t>> BloomHashes(const arrow::Array& values);

}  // namespace strandline::format
