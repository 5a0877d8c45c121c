#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/clock.h"
#include "strandline/base/result.h"

namespace strandline::io {

// What a listing or a stat says of one object. Directories are never listed as objects.
struct FileInfo {
  std::string location;
  std::int64_t size_bytes = 0;
  Timestamp modified;
  std::string etag;  // Empty where the store has none (local files).

  friend bool operator==(const FileInfo&, const FileInfo&) = default;
};

// An open file. Thread-safe: reads carry their own offset.
class InputFile {
 public:
  virtual ~InputFile() = default;

  virtual const std::string& location() const = 0;
  virtual std::int64_t size_bytes() const = 0;

  // Fills all of `into` from `offset` on. kCorrupt when the file ends before that (it was cut, or
  // the caller believed wrong metadata), kUnavailable when storage does not answer.
  virtual Status ReadAt(std::int64_t offset, std::span<std::byte> into) = 0;
};

// A file being written. Not thread-safe. Destroying it before Close() leaves either nothing or an
// unreferenced file behind; it never leaves something that looks complete to a metadata reader,
// since nothing names the file yet.
class OutputFile {
 public:
  virtual ~OutputFile() = default;

  virtual const std::string& location() const = 0;
  virtual std::int64_t position() const = 0;
  virtual Status Write(std::string_view bytes) = 0;

  // Makes the bytes durable (file and folder) before it returns. Nothing may name the file before
  // that.
  virtual Status Close() = 0;
};

enum class Recursive { kNo, kYes };

// Return false to stop the listing early.
using FileVisitor = std::function<Result<bool>(const FileInfo&)>;

// Storage: a flat space of objects named by locations (io/location.h says which spellings are the
// same place). Thread-safe. All calls fail with kUnavailable when storage does not answer and with
// kPermissionDenied when it says no.
class FileIo {
 public:
  virtual ~FileIo() = default;

  // kNotFound when there is no such file.
  virtual Result<std::unique_ptr<InputFile>> Open(const std::string& location) = 0;

  // Creates a new file, and its folders. kAlreadyExists when the name is taken: files are
  // immutable.
  virtual Result<std::unique_ptr<OutputFile>> Create(const std::string& location) = 0;

  // kNotFound when there is none.
  virtual Status Delete(const std::string& location) = 0;

  // kNotFound when there is none.
  virtual Result<FileInfo> Stat(const std::string& location) = 0;

  // Calls `visitor` for each object under the folder `location`, in the order of their locations. A
  // folder that is not there is empty. Streams: memory grows with the largest folder (its names are
  // sorted), not with the number of objects.
  virtual Status List(const std::string& location, Recursive recursive,
                      const FileVisitor& visitor) = 0;

  // The names (no path, no slash) of the sub-folders directly under `location`, sorted. Costs one
  // directory read, however much lies below.
  virtual Result<std::vector<std::string>> ListFolders(const std::string& location) = 0;
};

// Files that are read and written whole are metadata: none may be larger, so that what is written
// can be read again.
inline constexpr std::int64_t kWholeFileBytesMax = std::int64_t{1} << 30;

// The whole file as bytes. kCorrupt when it is larger than `size_bytes_max`.
Result<std::string> ReadFile(FileIo& io, const std::string& location,
                             std::int64_t size_bytes_max = kWholeFileBytesMax);

// Creates `location` with these bytes, durably. kUnsupported, and nothing is created, when they are
// more than `size_bytes_max`.
Status WriteFile(FileIo& io, const std::string& location, std::string_view bytes,
                 std::int64_t size_bytes_max = kWholeFileBytesMax);

}  // namespace strandline::io
