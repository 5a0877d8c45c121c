#include "strandline/io/location.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace strandline::io {
namespace {

constexpr std::string_view kFileScheme = "file";

// The two halves of a location. A plain path has no scheme and is all path.
struct Parts {
  std::string scheme;          // Lower case; empty for a plain path.
  std::string_view authority;  // What stands between `//` and the next slash.
  std::string_view path;       // Empty, or from a slash on.
};

bool IsSchemeCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '-' || c == '.';
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return lower;
}

// The scheme in front of the first colon, if there is one.
std::optional<std::string_view> SchemeOf(std::string_view location) {
  const std::size_t colon = location.find(':');
  if (colon == std::string_view::npos || colon == 0) {
    return std::nullopt;
  }
  const std::string_view scheme = location.substr(0, colon);
  if (!std::all_of(scheme.begin(), scheme.end(), IsSchemeCharacter)) {
    return std::nullopt;
  }
  return scheme;
}

// Hadoop's names for its S3 connectors, past and present, beside S3's own.
bool IsS3(std::string_view scheme) { return scheme == "s3" || scheme == "s3a" || scheme == "s3n"; }

Error NotAbsolute(std::string_view location) {
  return MakeError(
      ErrorKind::kInvalidArgument,
      "not a location: expected a URI such as file:///lake/t or an absolute path, found "
      "'{}'",
      location);
}

// Takes a location apart and checks what can be checked without knowing the store.
Result<Parts> Split(std::string_view location) {
  if (location.find('\0') != std::string_view::npos) {
    return MakeError(ErrorKind::kInvalidArgument, "location with a zero byte in it: '{}'",
                     location.substr(0, location.find('\0')));
  }
  if (location.starts_with('/')) {
    return Parts{.scheme = {}, .authority = {}, .path = location};
  }
  const std::optional<std::string_view> scheme = SchemeOf(location);
  if (!scheme) {
    return NotAbsolute(location);
  }
  Parts parts{.scheme = LowerCase(*scheme), .authority = {}, .path = {}};
  std::string_view rest = location.substr(scheme->size() + 1);
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    parts.authority = rest.substr(0, slash);
    parts.path = rest.substr(slash);
  } else if (parts.scheme == kFileScheme && rest.starts_with('/')) {
    parts.path = rest;
  } else {
    return NotAbsolute(location);
  }
  if (parts.scheme == kFileScheme && !parts.authority.empty() && parts.authority != "localhost") {
    return MakeError(
        ErrorKind::kInvalidArgument,
        "file location with a host: expected file:///..., found '{}' (is '{}' meant as "
        "the first folder?)",
        location, parts.authority);
  }
  if (parts.scheme == kFileScheme && parts.path.empty()) {
    return NotAbsolute(location);
  }
  if (IsS3(parts.scheme) && parts.authority.empty()) {
    return MakeError(ErrorKind::kInvalidArgument, "location without a bucket: '{}'", location);
  }
  return parts;
}

// The path with single slashes and no slash at its end; on a file system also without `.` and `..`.
// Object stores have no such names: there they are ordinary characters of a key.
std::string CanonicalPath(std::string_view path, bool is_file_system) {
  std::vector<std::string_view> levels;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view level = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (level.empty() || (is_file_system && level == ".")) {
      continue;
    }
    if (is_file_system && level == "..") {
      if (!levels.empty()) {
        levels.pop_back();
      }
      continue;
    }
    levels.push_back(level);
  }
  std::string canonical;
  for (const std::string_view level : levels) {
    canonical.append("/").append(level);
  }
  return canonical;
}

std::string_view WithoutTrailingSlashes(std::string_view text) {
  while (text.ends_with('/')) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

Result<std::string> CanonicalLocation(std::string_view location) {
  const Parts parts = SL_TRY(Split(location));
  if (parts.scheme.empty() || parts.scheme == kFileScheme) {
    const std::string path = CanonicalPath(parts.path, true);
    return path.empty() ? "file:///" : "file://" + path;
  }
  const std::string scheme = IsS3(parts.scheme) ? "s3" : parts.scheme;
  return fmt::format("{}://{}{}", scheme, parts.authority, CanonicalPath(parts.path, false));
}

bool SameLocation(std::string_view a, std::string_view b) {
  if (a == b) {
    return true;
  }
  const Result<std::string> canonical_a = CanonicalLocation(a);
  const Result<std::string> canonical_b = CanonicalLocation(b);
  return canonical_a && canonical_b && *canonical_a == *canonical_b;
}

bool IsUnder(std::string_view location, std::string_view parent) {
  const Result<std::string> canonical = CanonicalLocation(location);
  const Result<std::string> canonical_parent = CanonicalLocation(parent);
  if (!canonical || !canonical_parent) {
    return false;
  }
  const std::string_view folder = WithoutTrailingSlashes(*canonical_parent);
  return *canonical == *canonical_parent ||
         (canonical->starts_with(folder) && canonical->substr(folder.size()).starts_with('/'));
}

std::string JoinLocation(std::string_view parent, std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('/'), name.size()));
  std::string joined(WithoutTrailingSlashes(parent));
  return joined.append("/").append(name);
}

std::string_view FileName(std::string_view location) {
  const std::size_t slash = location.rfind('/');
  return slash == std::string_view::npos ? location : location.substr(slash + 1);
}

Result<std::string> LocalPath(std::string_view location) {
  const Parts parts = SL_TRY(Split(location));
  if (!parts.scheme.empty() && parts.scheme != kFileScheme) {
    return MakeError(ErrorKind::kUnsupported,
                     "not a local file: expected file:///... or an absolute path, found '{}'",
                     location);
  }
  return std::string(parts.path);
}

std::string FileLocation(std::string_view path, std::string_view base_directory) {
  std::string absolute(path);
  if (!path.starts_with('/')) {
    absolute = JoinLocation(base_directory, path);
  }
  const std::string canonical = CanonicalPath(absolute, true);
  return canonical.empty() ? "file:///" : "file://" + canonical;
}

std::string EscapePartitionText(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  constexpr std::string_view kKept =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-*_";
  // Java leaves dots alone; as a whole level these two would name another folder.
  const bool names_a_folder = text == "." || text == "..";
  std::string escaped;
  for (const char c : text) {
    if (c == ' ') {
      escaped += '+';
    } else if (kKept.find(c) != std::string_view::npos && !names_a_folder) {
      escaped += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      escaped += '%';
      escaped += kHexDigits.at(byte >> 4U);
      escaped += kHexDigits.at(byte & 0x0fU);
    }
  }
  return escaped;
}

}  // namespace strandline::io
