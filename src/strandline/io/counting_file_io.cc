#include "strandline/io/counting_file_io.h"

namespace strandline::io {
namespace {

class CountingInputFile final : public InputFile {
 public:
  CountingInputFile(std::unique_ptr<InputFile> target, CountingFileIo& io)
      : target_(std::move(target)), io_(io) {}

  const std::string& location() const override { return target_->location(); }
  std::int64_t size_bytes() const override { return target_->size_bytes(); }
  Status ReadAt(std::int64_t offset, std::span<std::byte> into) override {
    SL_TRY(target_->ReadAt(offset, into));
    io_.AddRead(static_cast<std::int64_t>(into.size()));
    return {};
  }

 private:
  std::unique_ptr<InputFile> target_;
  CountingFileIo& io_;
};

class CountingOutputFile final : public OutputFile {
 public:
  CountingOutputFile(std::unique_ptr<OutputFile> target, CountingFileIo& io)
      : target_(std::move(target)), io_(io) {}

  const std::string& location() const override { return target_->location(); }
  std::int64_t position() const override { return target_->position(); }
  Status Write(std::string_view bytes) override {
    SL_TRY(target_->Write(bytes));
    io_.AddWritten(static_cast<std::int64_t>(bytes.size()));
    return {};
  }
  Status Close() override { return target_->Close(); }

 private:
  std::unique_ptr<OutputFile> target_;
  CountingFileIo& io_;
};

}  // namespace

Result<std::unique_ptr<InputFile>> CountingFileIo::Open(const std::string& location) {
  std::unique_ptr<InputFile> file = SL_TRY(target_.Open(location));
  return std::make_unique<CountingInputFile>(std::move(file), *this);
}

Result<std::unique_ptr<OutputFile>> CountingFileIo::Create(const std::string& location) {
  std::unique_ptr<OutputFile> file = SL_TRY(target_.Create(location));
  return std::make_unique<CountingOutputFile>(std::move(file), *this);
}

Status CountingFileIo::Delete(const std::string& location) { return target_.Delete(location); }

Result<FileInfo> CountingFileIo::Stat(const std::string& location) {
  return target_.Stat(location);
}

Status CountingFileIo::List(const std::string& location, Recursive recursive,
                            const FileVisitor& visitor) {
  return target_.List(location, recursive, visitor);
}

Result<std::vector<std::string>> CountingFileIo::ListFolders(const std::string& location) {
  return target_.ListFolders(location);
}

}  // namespace strandline::io
