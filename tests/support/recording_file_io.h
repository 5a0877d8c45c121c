#pragma once

#include <memory>
#include <string>
#include <vector>

#include "strandline/io/file_io.h"

namespace strandline::testing {

// Passes everything on and remembers which files were opened and created, in order: for tests of
// what is not read. Not thread-safe. `target` must outlive it.
class RecordingFileIo final : public io::FileIo {
 public:
  explicit RecordingFileIo(io::FileIo& target) : target_(target) {}

  const std::vector<std::string>& opened() const { return opened_; }
  const std::vector<std::string>& created() const { return created_; }
  void Forget() {
    opened_.clear();
    created_.clear();
  }

  Result<std::unique_ptr<io::InputFile>> Open(const std::string& location) override {
    opened_.push_back(location);
    return target_.Open(location);
  }
  Result<std::unique_ptr<io::OutputFile>> Create(const std::string& location) override {
    created_.push_back(location);
    return target_.Create(location);
  }
  Status Delete(const std::string& location) override { return target_.Delete(location); }
  Result<io::FileInfo> Stat(const std::string& location) override { return target_.Stat(location); }
  Status List(const std::string& location, io::Recursive recursive,
              const io::FileVisitor& visitor) override {
    return target_.List(location, recursive, visitor);
  }
  Result<std::vector<std::string>> ListFolders(const std::string& location) override {
    return target_.ListFolders(location);
  }

 private:
  io::FileIo& target_;
  std::vector<std::string> opened_;
  std::vector<std::string> created_;
};

}  // namespace strandline::testing
