#include "strandline/pipeline/state/landing.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "strandline/base/glob.h"
#include "strandline/base/time_text.h"
#include "strandline/io/location.h"
#include "strandline/pipeline/state/fingerprints.h"

namespace strandline::pipeline {
namespace {

// `.../impressions/{unit:%Y-%m-%d-%H}/*.parquet` in its parts.
struct PathParts {
  std::string parent;  // `.../impressions`
  std::string glob;    // `*.parquet`
};

PathParts SplitTemplate(const std::string& path) {
  const std::size_t last = path.rfind('/');
  const std::size_t folder = path.rfind('/', last - 1);
  return {.parent = path.substr(0, folder), .glob = path.substr(last + 1)};
}

// Names that writers use for files that are not there yet, or not data.
bool IsHiddenOrTemporary(std::string_view name) {
  return name.empty() || name.front() == '.' || name.front() == '_' || name.ends_with(".tmp") ||
         name.ends_with(".crc") || name.ends_with("~") || name.ends_with(".part") ||
         name.ends_with(".inprogress");
}

// What a source's parent folder shows.
struct LandedFolders {
  std::set<Timestamp> units;
  std::optional<Timestamp> stray;  // The first of those that are left out.
};

Result<LandedFolders> FindFolders(const project::Source& source, io::FileIo& io) {
  constexpr std::chrono::days kGapMax{366};
  LandedFolders found;
  const std::string parent = SplitTemplate(source.path).parent;
  for (const std::string& name :
       SL_TRY(io.ListFolders(parent), "listing what landed for source {}", source.name)) {
    const std::optional<Timestamp> unit = project::UnitOfFolder(source.path, name);
    if (unit && *unit >= WindowStart(source.unit, source.start) &&
        WindowStart(source.unit, *unit) == *unit) {
      found.units.insert(*unit);
    }
  }
  Timestamp before = source.start;
  for (auto unit = found.units.begin(); unit != found.units.end(); before = *unit, ++unit) {
    if (*unit - before > kGapMax) {
      found.stray = *unit;
      found.units.erase(unit, found.units.end());
      break;
    }
  }
  return found;
}

Status ReadUnit(const project::Source& source, Timestamp now, io::FileIo& io, ListedUnit& listed) {
  const std::string path = project::UnitPath(source.path, listed.unit.interval.start);
  const std::string folder = path.substr(0, path.rfind('/'));
  const std::string glob = SplitTemplate(source.path).glob;
  bool marked = false;
  std::int64_t others = 0;
  SL_TRY(io.List(folder, io::Recursive::kNo,
                 [&](const io::FileInfo& file) -> Result<bool> {
                   const std::string_view name = io::FileName(file.location);
                   if (source.complete_marker && name == *source.complete_marker) {
                     marked = true;
                   } else if (IsHiddenOrTemporary(name)) {
                     return true;
                   } else if (!GlobMatches(glob, name)) {
                     ++others;
                   } else {
                     const std::string version =
                         file.etag.empty()
                             ? fmt::format("{}", file.modified.time_since_epoch().count())
                             : file.etag;
                     listed.unit.files.push_back({.location = file.location,
                                                  .name = std::string(name),
                                                  .size_bytes = file.size_bytes,
                                                  .version = version});
                   }
                   return true;
                 }),
         "listing {}", folder);
  std::ranges::sort(listed.unit.files, {}, &LandedFile::name);
  if (source.complete_marker) {
    listed.complete = marked;
    listed.waiting_for = fmt::format("has no {} yet", *source.complete_marker);
  } else {
    const Timestamp due =
        listed.unit.interval.end + source.complete_grace.value_or(std::chrono::microseconds(0));
    listed.complete = now >= due;
    listed.waiting_for = fmt::format("is complete at {}", FormatTimestamp(due));
  }
  if (listed.complete && listed.unit.files.empty() && others > 0) {
    // An hour without data has no files: these were meant to be read.
    listed.complete = false;
    listed.waiting_for =
        fmt::format("has {} {}, and none matches {}", others, others == 1 ? "file" : "files", glob);
    listed.problem =
        fmt::format("source {}: {} has {} {}, and none matches {} of the source's path",
                    source.name, folder, others, others == 1 ? "file" : "files", glob);
  }
  return {};
}

// A unit whose folder is not there although a later one's is.
void JudgeAbsence(const project::Source& source, Timestamp now, ListedUnit& listed) {
  const Timestamp due = listed.unit.interval.end + source.absent_after;
  switch (source.absent) {
    case project::AbsentPolicy::kWait:
      listed.waiting_for = "has not landed";
      return;
    case project::AbsentPolicy::kEmptyAfter:
      listed.complete = now >= due;
      listed.waiting_for =
          fmt::format("has not landed; counts as empty from {} on", FormatTimestamp(due));
      return;
    case project::AbsentPolicy::kErrorAfter:
      listed.waiting_for = "has not landed";
      if (now >= due) {
        listed.problem =
            fmt::format("source {}: unit {} has not landed, and was due at {}", source.name,
                        FormatTimestamp(listed.unit.interval.start), FormatTimestamp(due));
      }
      return;
  }
}

}  // namespace

Result<std::optional<Timestamp>> NewestLandedEnd(const project::Source& source, io::FileIo& io) {
  const LandedFolders found = SL_TRY(FindFolders(source, io));
  std::optional<Timestamp> newest;
  if (!found.units.empty()) {
    newest = *found.units.rbegin() + LengthOf(source.unit);
  }
  return newest;
}

Result<Landing> ListLanding(const project::Source& source, const Interval& interval, Timestamp now,
                            io::FileIo& io) {
  Landing landing;
  const LandedFolders found = SL_TRY(FindFolders(source, io));
  if (found.stray) {
    landing.problem = fmt::format(
        "source {}: folder of unit {} is more than a year after all before it and is left out; if "
        "its name is right, let `start:` of the source be later",
        source.name, FormatTimestamp(*found.stray));
  }
  if (found.units.empty()) {
    landing.waiting_for =
        fmt::format("nothing has landed in {}", SplitTemplate(source.path).parent);
  }
  const std::chrono::microseconds length = LengthOf(source.unit);
  const Timestamp first =
      std::max(WindowStart(source.unit, interval.start), WindowStart(source.unit, source.start));
  for (Timestamp start = first; start < interval.end; start += length) {
    ListedUnit listed;
    listed.unit.source = &source;
    listed.unit.interval = {start, start + length};
    listed.landed = found.units.contains(start);
    if (listed.landed) {
      SL_TRY(ReadUnit(source, now, io, listed));
    } else if (!found.units.empty() && start < *found.units.rbegin()) {
      JudgeAbsence(source, now, listed);
    } else {
      listed.waiting_for = "has not landed";
    }
    listed.unit.stamp = StampOfLandingUnit(source.name, "", start, listed.unit.files);
    landing.units.push_back(std::move(listed));
  }
  return landing;
}

}  // namespace strandline::pipeline
