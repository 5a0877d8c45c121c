#include "strandline/project/init_template.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "strandline/project/internal/init_files.h"

namespace strandline::project {
namespace {

namespace fs = std::filesystem;

Error CannotWrite(const fs::path& path, const std::error_code& error) {
  const bool is_refused = error == std::errc::permission_denied ||
                          error == std::errc::read_only_file_system ||
                          error == std::errc::operation_not_permitted;
  return MakeError(is_refused ? ErrorKind::kPermissionDenied : ErrorKind::kUnavailable,
                   "cannot write {}: {}", path.string(), error.message());
}

Status WriteNewFile(const fs::path& path, std::string_view text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    return CannotWrite(path.parent_path(), error);
  }
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) {
    return CannotWrite(path, std::make_error_code(std::errc::io_error));
  }
  return {};
}

}  // namespace

Status WriteSampleProject(const std::string& directory) {
  const fs::path root(directory);
  std::error_code error;
  const bool is_there = fs::exists(root, error);
  if (is_there && !(fs::is_directory(root, error) && fs::is_empty(root, error))) {
    return MakeError(ErrorKind::kAlreadyExists,
                     "a new project needs a folder of its own: {} is there and not empty; nothing "
                     "was written",
                     directory);
  }
  if (error) {
    return CannotWrite(root, error);
  }
  for (const internal::InitFile& file : internal::InitFiles()) {
    SL_TRY(WriteNewFile(root / file.name, file.text));
  }
  return {};
}

}  // namespace strandline::project
