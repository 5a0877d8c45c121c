#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "strandline/io/file_io.h"

namespace strandline::io {

// Passes everything on to another FileIo, counting calls (Open, ReadAt, Create, Write, Close,
// Delete, Stat, List, ListFolders), and fails the one it was told to, with kUnavailable. For tests:
// "every storage call fails once". Thread-safe. `target` must outlive it and every file opened
// through it.
class FaultyFileIo final : public FileIo {
 public:
  explicit FaultyFileIo(FileIo& target) : target_(target) {}

  // The call number `number` from now on (1 is the next one) fails once.
  void FailCall(std::int64_t number);
  void StopFailing();
  bool has_failed() const { return failed_; }
  std::int64_t calls() const { return calls_; }

  Result<std::unique_ptr<InputFile>> Open(const std::string& location) override;
  Result<std::unique_ptr<OutputFile>> Create(const std::string& location) override;
  Status Delete(const std::string& location) override;
  Result<FileInfo> Stat(const std::string& location) override;
  Status List(const std::string& location, Recursive recursive,
              const FileVisitor& visitor) override;
  Result<std::vector<std::string>> ListFolders(const std::string& location) override;

  // Counts one call and fails it if it is its turn. Used by the files this opens.
  Status Pass(std::string_view what, const std::string& location);

 private:
  FileIo& target_;
  std::atomic<std::int64_t> calls_{0};
  std::atomic<std::int64_t> fail_at_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace strandline::io
