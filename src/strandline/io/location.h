#pragma once

#include <string>
#include <string_view>

#include "strandline/base/result.h"

namespace strandline::io {

// Locations are URIs (`file:///lake/ads/t/data/x.parquet`, `s3://bucket/key`) or plain absolute
// paths. Other engines spell one place in several ways; these functions are the only place that
// knows it.

// The spelling used to compare: `file:/a`, `file:///a`, `file://localhost/a` and `/a` become
// `file:///a`; `s3a://` and `s3n://` become `s3://`; repeated slashes become one; no trailing
// slash. Percent signs and plus signs are kept: a location is a name, not an encoded path. Never
// store the result: what others stored is what must be written down. kInvalidArgument for a
// relative path and for `file://host/...` (a path part in the host's position).
Result<std::string> CanonicalLocation(std::string_view location);

// Whether two spellings name one place. Spellings that cannot be understood equal only themselves.
bool SameLocation(std::string_view a, std::string_view b);

// Whether `location` lies under the folder `parent` (or is it): `/w/db/ev_daily` is not under
// `/w/db/ev`.
bool IsUnder(std::string_view location, std::string_view parent);

// `parent/name` with one slash between.
std::string JoinLocation(std::string_view parent, std::string_view name);

// What comes after the last slash.
std::string_view FileName(std::string_view location);

// The absolute local path of a file location, spelled as it is there. kUnsupported for any other
// scheme, kInvalidArgument for what CanonicalLocation() refuses.
Result<std::string> LocalPath(std::string_view location);

// `file:///...` for a local path, relative ones resolved against `base_directory` (absolute).
std::string FileLocation(std::string_view path, std::string_view base_directory);

// A value or field name as one directory level, escaped as Iceberg's Java writer does (URL
// encoding, UTF-8), so that no value can leave its folder.
std::string EscapePartitionText(std::string_view text);

}  // namespace strandline::io
