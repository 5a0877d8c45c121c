#include "strandline/maintenance/fsck/internal/findings.h"

namespace strandline::maintenance::internal {

Result<bool> WasRead(Context& context, const std::string& file, const Status& outcome) {
  if (outcome) {
    return true;
  }
  switch (outcome.error().kind) {
    case ErrorKind::kNotFound:
      AddFinding(context, FsckKind::kMissingFile, file, "file is not there");
      return false;
    case ErrorKind::kCorrupt:
    case ErrorKind::kInvalidArgument:
      AddFinding(context, FsckKind::kUnreadable, file, "{}", outcome.error().message);
      return false;
    case ErrorKind::kUnsupported:
      ++context.report.files_not_read;
      return false;
    default:
      return outcome.error();
  }
}

Result<bool> CheckStored(Context& context, const std::string& file, std::int64_t size_bytes) {
  const Result<io::FileInfo> info = context.io.Stat(file);
  if (!info) {
    return WasRead(context, file, info.error());
  }
  if (info->size_bytes != size_bytes) {
    AddFinding(context, FsckKind::kWrongSize, file, "expected {} bytes, found {}", size_bytes,
               info->size_bytes);
  }
  return true;
}

}  // namespace strandline::maintenance::internal
