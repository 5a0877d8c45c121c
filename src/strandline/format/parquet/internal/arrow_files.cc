#include "strandline/format/parquet/internal/arrow_files.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "strandline/format/batch/arrow_status.h"

namespace strandline::format {

ArrowInputFile::ArrowInputFile(std::shared_ptr<io::InputFile> file) : file_(std::move(file)) {
  set_mode(arrow::io::FileMode::READ);
}

arrow::Result<std::int64_t> ArrowInputFile::ReadAt(std::int64_t position, std::int64_t size,
                                                   bool allow_short_read, void* into) {
  if (closed_) {
    return arrow::Status::Invalid("read from a closed file");
  }
  if (position < 0 || size < 0 || position > file_->size_bytes()) {
    return arrow::Status::IOError("read outside of the file: ", size, " bytes at ", position,
                                  " of ", file_->size_bytes());
  }
  const std::int64_t available = std::min(size, file_->size_bytes() - position);
  if (available < size && !allow_short_read) {
    return arrow::Status::IOError("read beyond the end of the file: ", size, " bytes at ", position,
                                  " of ", file_->size_bytes());
  }
  if (available > 0) {
    const Status status = file_->ReadAt(
        position, std::span(static_cast<std::byte*>(into), static_cast<std::size_t>(available)));
    if (!status) {
      return ToArrow(status.error());
    }
  }
  return available;
}

arrow::Result<std::int64_t> ArrowInputFile::ReadAt(std::int64_t position, std::int64_t size,
                                                   void* into) {
  return ReadAt(position, size, /*allow_short_read=*/true, into);
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ArrowInputFile::ReadAt(std::int64_t position,
                                                                     std::int64_t size,
                                                                     bool allow_short_read) {
  if (position < 0 || size < 0) {
    return arrow::Status::IOError("read outside of the file: ", size, " bytes at ", position);
  }
  // A size that a broken footer made up must not become an allocation.
  const std::int64_t possible = std::clamp(file_->size_bytes() - position, std::int64_t{0}, size);
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::ResizableBuffer> buffer,
                        arrow::AllocateResizableBuffer(possible));
  const std::int64_t wanted = allow_short_read ? possible : size;
  ARROW_ASSIGN_OR_RAISE(const std::int64_t read,
                        ReadAt(position, wanted, allow_short_read, buffer->mutable_data()));
  ARROW_RETURN_NOT_OK(buffer->Resize(read));
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ArrowInputFile::ReadAt(std::int64_t position,
                                                                     std::int64_t size) {
  return ReadAt(position, size, /*allow_short_read=*/true);
}

arrow::Result<std::int64_t> ArrowInputFile::GetSize() { return file_->size_bytes(); }

arrow::Result<std::int64_t> ArrowInputFile::Read(std::int64_t size, void* into) {
  ARROW_ASSIGN_OR_RAISE(const std::int64_t read, ReadAt(position_, size, into));
  position_ += read;
  return read;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ArrowInputFile::Read(std::int64_t size) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, ReadAt(position_, size));
  position_ += buffer->size();
  return buffer;
}

arrow::Status ArrowInputFile::Seek(std::int64_t position) {
  if (position < 0) {
    return arrow::Status::Invalid("seek to a negative position: ", position);
  }
  position_ = position;
  return arrow::Status::OK();
}

arrow::Result<std::int64_t> ArrowInputFile::Tell() const { return position_; }

arrow::Status ArrowInputFile::Close() {
  closed_ = true;
  return arrow::Status::OK();
}

bool ArrowInputFile::closed() const { return closed_; }

ArrowOutputFile::ArrowOutputFile(std::unique_ptr<io::OutputFile> file) : file_(std::move(file)) {
  set_mode(arrow::io::FileMode::WRITE);
}

arrow::Status ArrowOutputFile::Write(const void* data, std::int64_t size) {
  if (abandoned_) {
    return arrow::Status::Cancelled("the file is abandoned");
  }
  const Status status = file_->Write(
      std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size)));
  return status ? arrow::Status::OK() : ToArrow(status.error());
}

arrow::Result<std::int64_t> ArrowOutputFile::Tell() const { return file_->position(); }

arrow::Status ArrowOutputFile::Close() {
  closed_ = true;
  return arrow::Status::OK();
}

bool ArrowOutputFile::closed() const { return closed_; }

}  // namespace strandline::format
