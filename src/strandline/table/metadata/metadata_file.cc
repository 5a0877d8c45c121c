#include <algorithm>
#include <charconv>
#include <utility>

#include "strandline/io/file_io.h"
#include "strandline/io/location.h"
#include "strandline/table/metadata/internal/gzip.h"
#include "strandline/table/metadata/table_metadata.h"

namespace strandline::table {
namespace {

constexpr std::string_view kPlainSuffix = ".metadata.json";
constexpr std::string_view kGzipSuffix = ".gz.metadata.json";
// Older Java writers' order of the two.
constexpr std::string_view kOldGzipSuffix = ".metadata.json.gz";

bool AsksForGzip(const TableMetadata& metadata) {
  const std::string codec = PropertyOr(metadata, "write.metadata.compression-codec", "none");
  constexpr std::string_view kGzip = "gzip";
  return std::equal(codec.begin(), codec.end(), kGzip.begin(), kGzip.end(), [](char a, char b) {
    return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b);
  });
}

// The number in `00007-<uuid>.metadata.json` or Hadoop's `v7.metadata.json`. Absent when there is
// none, or one that cannot be counted up any more.
std::optional<std::uint64_t> NumberOf(std::string_view location) {
  std::string_view name = io::FileName(location);
  if (name.starts_with('v')) {
    name.remove_prefix(1);
  }
  std::uint64_t number = 0;
  const auto* const end = name.end();
  const auto [stop, error] = std::from_chars(name.begin(), end, number);
  const bool ends_well = stop != end && (*stop == '-' || *stop == '.');
  if (error != std::errc() || !ends_well || number + 1 == 0) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::string NextMetadataLocation(const TableMetadata& metadata, std::string_view previous,
                                 std::string_view uuid) {
  const std::optional<std::uint64_t> number = NumberOf(previous);
  const std::string folder =
      PropertyOr(metadata, "write.metadata.path", io::JoinLocation(metadata.location, "metadata"));
  return io::JoinLocation(folder, fmt::format("{:05}-{}{}", number ? *number + 1 : 0, uuid,
                                              AsksForGzip(metadata) ? kGzipSuffix : kPlainSuffix));
}

Result<std::string> EncodeTableMetadata(const TableMetadata& metadata, std::string_view location) {
  std::string json = TableMetadataJson(metadata);
  // Packed it may be small, and still unpack to more than readers take.
  if (std::cmp_greater(json.size(), io::kWholeFileBytesMax)) {
    return MakeError(ErrorKind::kUnsupported,
                     "metadata would be larger than readers take: at most {} bytes, not {}: {}",
                     io::kWholeFileBytesMax, json.size(), location);
  }
  if (location.ends_with(kGzipSuffix) || location.ends_with(kOldGzipSuffix)) {
    return internal::Gzip(json);
  }
  return json;
}

}  // namespace strandline::table
