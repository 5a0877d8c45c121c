#include "strandline/maintenance/fsck/internal/path_check.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "strandline/base/hash.h"
#include "strandline/table/deletes/path_bounds.h"

namespace strandline::maintenance::internal {
namespace {

using table::ManifestEntry;
using table::ManifestFile;

using PathVisitor = std::function<void(const std::string& key, const std::string& path)>;

Status VisitLivePaths(Context& context, const std::vector<ManifestFile>& lines,
                      const PathVisitor& visitor) {
  const table::ManifestReadOptions paths_only{
      .bounds = false, .column_sizes = false, .columns = {}};
  for (const ManifestFile& line : lines) {
    Status read = ReadManifest(
        context.io, context.metadata, line, paths_only, [&](ManifestEntry&& entry) -> Result<bool> {
          if (entry.status != table::EntryStatus::kDeleted) {
            visitor(table::PathKey(entry.file.file_path), entry.file.file_path);
          }
          return true;
        });
    // A manifest that cannot be read has been reported when it was compared with its line.
    if (!read && read.error().kind != ErrorKind::kCorrupt &&
        read.error().kind != ErrorKind::kNotFound) {
      return read;
    }
  }
  return {};
}

// Hashes that occur more than once among those of one pass.
Result<std::set<std::uint64_t>> FindRepeated(Context& context,
                                             const std::vector<ManifestFile>& lines,
                                             std::uint64_t pass, std::uint64_t passes) {
  std::vector<std::uint64_t> hashes;
  SL_TRY(VisitLivePaths(context, lines, [&](const std::string& key, const std::string&) {
    const std::uint64_t hash = HashKey(key).low;
    if (hash % passes == pass) {
      hashes.push_back(hash);
    }
  }));
  std::ranges::sort(hashes);
  std::set<std::uint64_t> repeated;
  for (auto same = std::ranges::adjacent_find(hashes); same != hashes.end();
       same = std::adjacent_find(std::next(same), hashes.end())) {
    repeated.insert(*same);
  }
  return repeated;
}

}  // namespace

Status CheckDuplicatePaths(Context& context, const std::vector<ManifestFile>& lines,
                           std::int64_t paths_per_pass) {
  std::int64_t count = 0;
  SL_TRY(VisitLivePaths(context, lines, [&](const std::string&, const std::string&) { ++count; }));
  const auto passes = static_cast<std::uint64_t>(count / paths_per_pass + 1);
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    const std::set<std::uint64_t> repeated = SL_TRY(FindRepeated(context, lines, pass, passes));
    if (repeated.empty()) {
      continue;
    }
    // Equal hashes prove nothing; the paths themselves do.
    std::map<std::string, std::int64_t> entries;
    SL_TRY(VisitLivePaths(context, lines, [&](const std::string& key, const std::string& path) {
      if (repeated.contains(HashKey(key).low) && ++entries[key] == 2) {
        AddFinding(context, FsckKind::kDuplicatePath, path,
                   "more than one live entry has this path");
      }
    }));
  }
  return {};
}

}  // namespace strandline::maintenance::internal
