#pragma once

#include <string>
#include <sys/stat.h>
#include <vector>

#include "strandline/io/file_io.h"

namespace strandline::io::internal {

// FileIo::List() for a local folder: `location` is how the caller spelled it, `path` where it is.
// Holds the names of one folder at a time for each level of depth. Links are followed, except into
// a folder that is being listed already; what vanishes meanwhile is left out.
Status ListLocalFiles(const std::string& location, const std::string& path, Recursive recursive,
                      const FileVisitor& visitor);

// FileIo::ListFolders() for a local folder.
Result<std::vector<std::string>> ListLocalFolders(const std::string& path);

// What `status` (a struct stat) says of a file.
FileInfo LocalFileInfo(std::string location, const struct stat& status);

}  // namespace strandline::io::internal
