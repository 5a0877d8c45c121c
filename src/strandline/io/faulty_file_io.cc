#include "strandline/io/faulty_file_io.h"

namespace strandline::io {
namespace {

class FaultyInputFile final : public InputFile {
 public:
  FaultyInputFile(std::unique_ptr<InputFile> target, FaultyFileIo& io)
      : target_(std::move(target)), io_(io) {}

  const std::string& location() const override { return target_->location(); }
  std::int64_t size_bytes() const override { return target_->size_bytes(); }
  Status ReadAt(std::int64_t offset, std::span<std::byte> into) override {
    SL_TRY(io_.Pass("reading", location()));
    return target_->ReadAt(offset, into);
  }

 private:
  std::unique_ptr<InputFile> target_;
  FaultyFileIo& io_;
};

class FaultyOutputFile final : public OutputFile {
 public:
  FaultyOutputFile(std::unique_ptr<OutputFile> target, FaultyFileIo& io)
      : target_(std::move(target)), io_(io) {}

  const std::string& location() const override { return target_->location(); }
  std::int64_t position() const override { return target_->position(); }
  Status Write(std::string_view bytes) override {
    SL_TRY(io_.Pass("writing", location()));
    return target_->Write(bytes);
  }
  Status Close() override {
    SL_TRY(io_.Pass("closing", location()));
    return target_->Close();
  }

 private:
  std::unique_ptr<OutputFile> target_;
  FaultyFileIo& io_;
};

}  // namespace

void FaultyFileIo::FailCall(std::int64_t number) {
  SL_CHECK(number > 0);
  failed_ = false;
  fail_at_ = calls_ + number;
}

void FaultyFileIo::StopFailing() { fail_at_ = 0; }

Status FaultyFileIo::Pass(std::string_view what, const std::string& location) {
  const std::int64_t call = ++calls_;
  if (call == fail_at_) {
    failed_ = true;
    return MakeError(ErrorKind::kUnavailable, "{} {}: call {} was told to fail", what, location,
                     call);
  }
  return {};
}

Result<std::unique_ptr<InputFile>> FaultyFileIo::Open(const std::string& location) {
  SL_TRY(Pass("opening", location));
  std::unique_ptr<InputFile> file = SL_TRY(target_.Open(location));
  return std::make_unique<FaultyInputFile>(std::move(file), *this);
}

Result<std::unique_ptr<OutputFile>> FaultyFileIo::Create(const std::string& location) {
  SL_TRY(Pass("creating", location));
  std::unique_ptr<OutputFile> file = SL_TRY(target_.Create(location));
  return std::make_unique<FaultyOutputFile>(std::move(file), *this);
}

Status FaultyFileIo::Delete(const std::string& location) {
  SL_TRY(Pass("deleting", location));
  return target_.Delete(location);
}

Result<FileInfo> FaultyFileIo::Stat(const std::string& location) {
  SL_TRY(Pass("looking at", location));
  return target_.Stat(location);
}

Status FaultyFileIo::List(const std::string& location, Recursive recursive,
                          const FileVisitor& visitor) {
  SL_TRY(Pass("listing", location));
  return target_.List(location, recursive, visitor);
}

Result<std::vector<std::string>> FaultyFileIo::ListFolders(const std::string& location) {
  SL_TRY(Pass("listing folders of", location));
  return target_.ListFolders(location);
}

}  // namespace strandline::io
