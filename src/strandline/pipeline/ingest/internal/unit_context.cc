#include "strandline/pipeline/ingest/internal/unit_context.h"

#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

namespace strandline::pipeline::ingest {
namespace {

using TakeBatch = std::function<Status(std::unique_ptr<format::LandedBatch> batch)>;

Result<std::unique_ptr<format::LandingReader>> Open(const UnitContext& context,
                                                    const LandedFile& file,
                                                    const RowLayout& layout) {
  const project::Source& source = *context.unit.source;
  const format::LandingOptions options{.max_line_bytes = source.max_line_bytes};
  switch (source.format) {
    case project::LandingFormat::kParquet:
      return format::OpenLandedParquet(context.io, file.location, file.size_bytes, layout.schema,
                                       options);
    case project::LandingFormat::kJsonLines:
      return format::OpenLandedJsonLines(context.io, file.location, file.size_bytes, layout.schema,
                                         options);
  }
  SL_CHECK(false && "no such format");
}

Status ReadAll(const UnitContext& context, const LandedFile& file, const RowLayout& layout,
               const TakeBatch& take) {
  std::unique_ptr<format::LandingReader> reader = SL_TRY(Open(context, file, layout));
  while (true) {
    if (context.stop.stop_requested()) {
      return MakeError(ErrorKind::kCancelled, "stopped while reading {}", file.location);
    }
    std::unique_ptr<format::LandedBatch> batch = SL_TRY(reader->Next());
    if (batch == nullptr) {
      return {};
    }
    SL_TRY(take(std::move(batch)));
  }
}

Status CheckUnchanged(const UnitContext& context, const LandedFile& file) {
  const Result<io::FileInfo> now = context.io.Stat(file.location);
  if (!now && now.error().kind == ErrorKind::kNotFound) {
    return MakeError(ErrorKind::kConflict, "landed file was removed while it was read: {}",
                     file.location);
  }
  if (!now) {
    return now.error();
  }
  const std::string version =
      now->etag.empty() ? fmt::format("{}", now->modified.time_since_epoch().count()) : now->etag;
  if (now->size_bytes != file.size_bytes || version != file.version) {
    return MakeError(ErrorKind::kConflict,
                     "landed file changed while it was read ({} bytes, version {}; listed with {} "
                     "bytes, version {}): {}",
                     now->size_bytes, version, file.size_bytes, file.version, file.location);
  }
  return {};
}

}  // namespace

Status ReadLandedFile(const UnitContext& context, std::size_t file, const RowLayout& layout,
                      const TakeBatch& take) {
  const LandedFile& landed = context.unit.files[file];
  Status read = ReadAll(context, landed, layout, take);
  if (!read && (read.error().kind == ErrorKind::kCancelled)) {
    return read;
  }
  // A file that is being replaced may well look broken.
  SL_TRY(CheckUnchanged(context, landed));
  return read;
}

}  // namespace strandline::pipeline::ingest
