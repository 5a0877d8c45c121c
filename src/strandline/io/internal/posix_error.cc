#include "strandline/io/internal/posix_error.h"

#include <cerrno>
#include <system_error>

#include "strandline/base/result.h"

namespace strandline::io::internal {
namespace {

ErrorKind KindOf(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
      return ErrorKind::kNotFound;
    case EEXIST:
      return ErrorKind::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorKind::kPermissionDenied;
    case ENAMETOOLONG:
    case ELOOP:
    case EINVAL:
    case EFBIG:
      return ErrorKind::kInvalidArgument;
    default:
      // Among them ENOSPC, EDQUOT, EIO, EMFILE: the same call can work later.
      return ErrorKind::kUnavailable;
  }
}

}  // namespace

Error PosixError(int errno_value, std::string_view doing, std::string_view path) {
  return MakeError(KindOf(errno_value), "{} {}: {}", doing, path,
                   std::generic_category().message(errno_value));
}

}  // namespace strandline::io::internal
